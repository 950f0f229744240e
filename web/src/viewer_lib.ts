// Everything a program in Node needs to be a viewer, honest or not: connection, protocol, crypto.
export * from './connection/index.js';
export * from './protocol/index.js';
export * from './crypto/index.js';
