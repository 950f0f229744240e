// The primitives of the suite, all of them the browser's own (WebCrypto): SHA-256, HMAC and HKDF
// (RFC 5869), X25519 (RFC 7748), AES-256-GCM (NIST SP 800-38D). No cipher is written in script.
//
// WebCrypto exists only in secure contexts (https, localhost); cryptoAvailable() tells.

import { Bytes, concat, isZero } from './bytes.js';

export const KEY_BYTES = 32;
export const HASH_BYTES = 32;
export const TAG_BYTES = 16;
const NONCE_BYTES = 12;

export class CryptoError extends Error {}

export interface KeyPair {
  readonly secret: CryptoKey;
  readonly publicKey: Bytes;
}

function subtle(): SubtleCrypto {
  const found = globalThis.crypto?.subtle;
  if (!found) throw new CryptoError('no WebCrypto: not a secure context');
  return found;
}

/** True where the browser offers WebCrypto at all. */
export function cryptoAvailable(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** SHA-256 of data, 32 bytes. */
export async function sha256(data: Uint8Array): Promise<Bytes> {
  return new Uint8Array(await subtle().digest('SHA-256', data as Bytes));
}

// WebCrypto refuses HMAC keys of no bytes; HMAC pads keys with zeros to a block, so one zero byte
// is the same key.
function hmacKeyBytes(key: Uint8Array): Bytes {
  return key.length === 0 ? new Uint8Array(1) : (key as Bytes);
}

/** HMAC-SHA-256 (RFC 2104), 32 bytes. */
export async function hmac(key: Uint8Array, data: Uint8Array): Promise<Bytes> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await subtle().importKey('raw', hmacKeyBytes(key), algorithm, false, ['sign']);
  return new Uint8Array(await subtle().sign('HMAC', imported, data as Bytes));
}

/** HKDF with SHA-256 (RFC 5869): n bytes, at most 8,160. */
export async function hkdf(
  salt: Uint8Array,
  ikm: Uint8Array,
  info: Uint8Array,
  n: number,
): Promise<Bytes> {
  const key = await subtle().importKey('raw', ikm as Bytes, 'HKDF', false, ['deriveBits']);
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: salt as Bytes, info: info as Bytes };
  return new Uint8Array(await subtle().deriveBits(parameters, key, n * 8));
}

/** Noise's HKDF (revision 34, §4.3): count outputs of 32 bytes from a chaining key. */
export async function noiseHkdf(
  chainingKey: Uint8Array,
  ikm: Uint8Array,
  count: 2 | 3,
): Promise<Bytes[]> {
  const okm = await hkdf(chainingKey, ikm, new Uint8Array(0), count * HASH_BYTES);
  const outputs: Bytes[] = [];
  for (let i = 0; i < count; i++) outputs.push(okm.slice(i * HASH_BYTES, (i + 1) * HASH_BYTES));
  return outputs;
}

/** A fresh X25519 key pair; the secret half cannot be exported. */
export async function x25519Generate(): Promise<KeyPair> {
  const pair = (await subtle().generateKey({ name: 'X25519' }, false, [
    'deriveBits',
  ])) as CryptoKeyPair;
  const publicKey = new Uint8Array(await subtle().exportKey('raw', pair.publicKey));
  return { secret: pair.privateKey, publicKey };
}

// PKCS #8 around a raw X25519 secret (RFC 8410, §7): WebCrypto imports no raw secrets.
const PKCS8_HEAD = Uint8Array.of(
  0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20,
);

/** The key pair of a given 32-byte secret. */
export async function x25519FromSecret(secret: Uint8Array): Promise<KeyPair> {
  const wrapped = concat(PKCS8_HEAD, secret);
  const key = await subtle().importKey('pkcs8', wrapped, { name: 'X25519' }, false, ['deriveBits']);
  const base = new Uint8Array(KEY_BYTES);
  base[0] = 9;
  return { secret: key, publicKey: await x25519(key, base) };
}

/** X25519 (RFC 7748); throws CryptoError when the result is all zeros (a low-order point). */
export async function x25519(secret: CryptoKey, publicKey: Uint8Array): Promise<Bytes> {
  let bits: ArrayBuffer;
  try {
    const peer = await subtle().importKey('raw', publicKey as Bytes, { name: 'X25519' }, false, []);
    bits = await subtle().deriveBits({ name: 'X25519', public: peer }, secret, KEY_BYTES * 8);
  } catch {
    throw new CryptoError('X25519 refused the public key');
  }
  const shared = new Uint8Array(bits);
  if (isZero(shared)) throw new CryptoError('X25519 gave zeros');
  return shared;
}

/** An AES-256-GCM key from 32 bytes; usable both ways, since rekeying encrypts with a reading key. */
export function aesKey(key: Uint8Array): Promise<CryptoKey> {
  return subtle().importKey('raw', key as Bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

/** Noise's nonce for AESGCM (§12.4): 4 zero bytes, then the 64-bit counter, big-endian. */
export function aesNonce(counter: bigint): Bytes {
  const nonce = new Uint8Array(NONCE_BYTES);
  new DataView(nonce.buffer).setBigUint64(4, counter);
  return nonce;
}

/** Seals plain: ciphertext, then the 16-byte tag. */
export async function aesSeal(
  key: CryptoKey,
  nonce: Uint8Array,
  ad: Uint8Array,
  plain: Uint8Array,
): Promise<Bytes> {
  const parameters = { name: 'AES-GCM', iv: nonce as Bytes, additionalData: ad as Bytes };
  return new Uint8Array(await subtle().encrypt(parameters, key, plain as Bytes));
}

/** Opens what aesSeal made; throws CryptoError when it was altered. */
export async function aesOpen(
  key: CryptoKey,
  nonce: Uint8Array,
  ad: Uint8Array,
  sealed: Uint8Array,
): Promise<Bytes> {
  const parameters = { name: 'AES-GCM', iv: nonce as Bytes, additionalData: ad as Bytes };
  try {
    return new Uint8Array(await subtle().decrypt(parameters, key, sealed as Bytes));
  } catch {
    throw new CryptoError('does not open');
  }
}
