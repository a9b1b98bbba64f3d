// assistant-ui without its React parts: the repository of a thread's messages, and the adapter that keeps it in a storage of
// texts. The adapter is given to a runtime by `createLocalStorageAdapter`, which only makes it inside a React component, so it is
// taken from its own file.

export { ExportedMessageRepository, MessageRepository } from '@assistant-ui/core/internal';
export { createLocalStorageHistoryAdapter } from '../../node_modules/@assistant-ui/core/dist/react/adapters/LocalStorageThreadListAdapter.js';
