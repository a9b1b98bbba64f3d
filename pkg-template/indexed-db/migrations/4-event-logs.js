// Version 4: event-sourced sessions, the header of each and its events in segments. It adds and moves nothing.

export const stores = ['chunks', 'heads', 'side', 'logs', 'events'];

export function migrate(database) {
  database.createObjectStore('logs');
  database.createObjectStore('events');
}
