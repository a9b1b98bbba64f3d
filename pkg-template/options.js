import { ValidationError } from './glue.js';

/** The named options of a caller's object, each read once. An object that throws is refused, with the name. */
export function readOptions(options, names) {
  const read = {};
  if (options === undefined || options === null) return read;
  for (const name of names) {
    try {
      read[name] = options[name];
    } catch (cause) {
      throw new ValidationError('invalid', `${name}: cannot be read`, { path: name, cause });
    }
  }
  return read;
}

/** Throws the refusal of an option. */
export function refuse(path, reason) {
  throw new ValidationError('invalid', `${path}: ${reason}`, { path });
}
