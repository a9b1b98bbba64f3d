// What `turnlog/history` exports.
export * from './parts.js';
export { init } from './loading.js';
