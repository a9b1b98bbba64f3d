// The entry `turnlog/history` for Node: the core starts at its first use, without waiting.
import { readFileSync } from 'node:fs';
import { startWith } from './core.js';

startWith(() => readFileSync(new URL('./turnlog_history_bg.wasm', import.meta.url)));

export * from './history/api.js';
