// Everything of web/src/protocol and the message table, as one module for tests and tools.
export * from 'gen/messages';
export * from './cursor.js';
export * from './codec.js';
export * from './link.js';
export * from './plain_text.js';
export * from './reassembly.js';
export * from './input_queue.js';
export * from './ack_ledger.js';
export * from './timing.js';
