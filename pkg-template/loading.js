import * as api from './api.js';
import { initOf } from './starting.js';

export const init = initOf(() => api);
