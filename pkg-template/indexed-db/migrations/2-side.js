// Version 2: a store for what is no session's record: the database's generation, damaged values kept aside,
// drafts, and appends that a page left behind. It adds and moves nothing, so it is one step.

import { mark } from '../../mark.js';

export const stores = ['chunks', 'heads', 'side'];

export function migrate(database) {
  database.createObjectStore('side').put(mark(), ['meta', 'generation']);
}
