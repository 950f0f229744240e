// Everything of web/src/connection, as one module for tests and tools.
export * from './channel.js';
export * from './commands.js';
export * from './people.js';
export * from './state.js';
export * from './viewer.js';
