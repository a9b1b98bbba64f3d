// TanStack AI's client, which holds the messages of a chat and gives them to its persistence on every change.

export { ChatClient, indexedDBPersistence, stream } from '@tanstack/ai-client';
