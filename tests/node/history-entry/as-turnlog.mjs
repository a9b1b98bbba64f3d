// node --import this: whoever imports 'turnlog' gets 'turnlog/history'.
import { register } from 'node:module';

register('./resolve.mjs', import.meta.url);
