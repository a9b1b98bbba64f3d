// Constructors of the protocol: they fill in defaults; the core checks.

import { core } from './core.js';
import { ValidationError } from './glue.js';

export function SessionId(raw) {
  return core().checkSessionId(raw);
}

export function MessageId(raw) {
  return raw === undefined ? core().freshMessageId(Date.now()) : core().checkMessageId(raw);
}

export function AssistantInjectionMessage(fields) {
  return message('assistant_message', fields);
}

export function ChartRequestMessage(fields) {
  return message('chart_request', fields);
}

function message(type, fields) {
  if (typeof fields !== 'object' || fields === null) {
    throw new ValidationError('invalid', 'a message is made from an object of its fields');
  }
  // Each field is read once. The envelope comes first, so that stored texts begin alike.
  const { type: _, id, sessionId, timestamp, ...rest } = fields;
  return core().checkedMessage({
    type,
    id: id === undefined ? MessageId() : id,
    sessionId,
    timestamp: timestamp === undefined ? Date.now() : timestamp,
    ...rest,
  });
}

export function deriveUserIntent(request) {
  return core().deriveUserIntent(request);
}

export function defaultLLMContext(entry) {
  return core().defaultLLMContext(entry);
}

export function toSessionHistoryEntry(entry) {
  return core().toSessionHistoryEntry(entry);
}

export function fromSessionHistoryEntry(entry) {
  return core().fromSessionHistoryEntry(entry);
}
