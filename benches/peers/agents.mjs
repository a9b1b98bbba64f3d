// The session of OpenAI's Agents SDK.

export { MemorySession } from '@openai/agents-core';
