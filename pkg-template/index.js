// The default entry: browsers and workers, with a bundler or without. `init()` finds the .wasm file
// beside turnlog.js.
export * from './api.js';
