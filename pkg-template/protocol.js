// Constructors of the protocol: they fill in defaults; the core checks.

import { core } from './core.js';
import { ValidationError, snapshot } from './glue.js';

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
  const frozen = snapshot(fields, true);
  if (typeof frozen !== 'object' || frozen === null) {
    throw new ValidationError('invalid', 'a message is made from an object of its fields');
  }
  const { type: _, id = MessageId(), sessionId, timestamp = Date.now(), ...rest } = frozen;
  // The envelope comes first, so that stored texts begin alike.
  return core().checkedMessage(Object.freeze({ type, id, sessionId, timestamp, ...rest }));
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
