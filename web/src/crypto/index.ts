// Everything of web/src/crypto, as one module for tests and tools.
export * from './bytes.js';
export * from './primitives.js';
export * from './derive.js';
export * from './noise.js';
export * from './record.js';
