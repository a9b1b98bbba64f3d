// The entry `turnlog/history` for browsers and workers. Its core is a smaller one.
export * from './history/api.js';
