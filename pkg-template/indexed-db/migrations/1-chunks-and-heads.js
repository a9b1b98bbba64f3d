// Version 1: the records of all sessions in chunks, and a head for each session.

export function migrate(database) {
  database.createObjectStore('chunks');
  database.createObjectStore('heads');
}
