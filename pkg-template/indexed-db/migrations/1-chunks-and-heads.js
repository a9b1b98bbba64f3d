// Version 1: the records of all sessions in chunks, and a head for each session.

/** The object stores from this version on. */
export const stores = ['chunks', 'heads'];

export function migrate(database) {
  database.createObjectStore('chunks');
  database.createObjectStore('heads');
}
