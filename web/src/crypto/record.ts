// The record layer (docs/protocol.md §4): every WebSocket message after the handshake is one Noise
// transport message under AES-256-GCM, its nonce a counter that nobody sets from outside.
//
//   plaintext = u8 type_and_more || u16 length || body || zeros
//
// WebCrypto answers later, never at once, so order is kept here: counters and keys are fixed when a
// record is handed in, operations then overlap, and results come out through one chain. A record
// that does not open ends its direction: everything handed in after it fails too.
//
// Rekey (Noise §4.2, REKEY): the key after records 65,535, 131,071, … is the first 32 bytes of
// ENCRYPT(k, 2^64-1, "", zeros[32]). The counter goes on and never wraps.

import { Bytes } from './bytes.js';
import { CryptoError, KEY_BYTES, TAG_BYTES, aesKey, aesNonce, aesOpen, aesSeal } from './primitives.js';

export const REKEY_RECORDS = 65536;
export const PLAIN_MAX_BYTES = 65519;
export const HEADER_BYTES = 3;
export const PAD_BYTES = 64;
export const MORE = 0x80;

const REKEY_NONCE = aesNonce(0xffffffffffffffffn);
const EMPTY = new Uint8Array(0);

/** One opened record, its padding gone. */
export interface Plain {
  readonly type: number;
  /** True when the message goes on in the next record of the same type. */
  readonly more: boolean;
  readonly body: Uint8Array;
}

/** Noise's REKEY for AESGCM. */
export async function rekey(key: CryptoKey): Promise<CryptoKey> {
  const sealed = await aesSeal(key, REKEY_NONCE, EMPTY, new Uint8Array(KEY_BYTES));
  return aesKey(sealed.subarray(0, KEY_BYTES));
}

/** Counter and key of one direction. */
class Direction {
  private counter = 0;
  private key: Promise<CryptoKey>;

  constructor(key: Uint8Array) {
    this.key = aesKey(key);
  }

  /** The key and nonce of the next record; the key changes behind it where the layer says so. */
  next(): { key: Promise<CryptoKey>; nonce: Bytes } {
    const n = this.counter++;
    const current = { key: this.key, nonce: aesNonce(BigInt(n)) };
    if ((n + 1) % REKEY_RECORDS === 0) {
      this.key = this.key.then(rekey);
      this.key.catch(() => undefined);
    }
    return current;
  }
}

/** Seals records in order. */
export class RecordWriter {
  private readonly direction: Direction;
  private last: Promise<unknown> = Promise.resolve();

  constructor(key: Uint8Array) {
    this.direction = new Direction(key);
  }

  /** Seals one plaintext; the promises resolve in the order of the calls. */
  seal(plain: Uint8Array): Promise<Bytes> {
    const { key, nonce } = this.direction.next();
    const sealing = key.then((ready) => aesSeal(ready, nonce, EMPTY, plain));
    const inOrder = this.last.then(() => sealing);
    this.last = inOrder;
    sealing.catch(() => undefined);
    inOrder.catch(() => undefined);
    return inOrder;
  }
}

/** Opens records in order. */
export class RecordReader {
  private readonly direction: Direction;
  private last: Promise<unknown> = Promise.resolve();

  constructor(key: Uint8Array) {
    this.direction = new Direction(key);
  }

  /** Opens one record; the promises resolve in the order of the calls. */
  open(record: Uint8Array): Promise<Plain> {
    const { key, nonce } = this.direction.next();
    const opening = key.then((ready) => openOne(ready, nonce, record));
    const inOrder = this.last.then(() => opening);
    this.last = inOrder;
    opening.catch(() => undefined);
    inOrder.catch(() => undefined);
    return inOrder;
  }
}

async function openOne(key: CryptoKey, nonce: Bytes, record: Uint8Array): Promise<Plain> {
  if (record.length <= TAG_BYTES || record.length > PLAIN_MAX_BYTES + TAG_BYTES) {
    throw new CryptoError('record of a wrong size');
  }
  return parsePlain(await aesOpen(key, nonce, EMPTY, record));
}

/** Splits a plaintext; throws CryptoError on a length past the end or padding that is not zeros. */
export function parsePlain(plain: Uint8Array): Plain {
  if (plain.length < HEADER_BYTES) throw new CryptoError('record without a header');
  const head = plain[0]!;
  const end = HEADER_BYTES + ((plain[1]! << 8) | plain[2]!);
  if (end > plain.length) throw new CryptoError('length past the end of the record');
  for (let i = end; i < plain.length; i++) {
    if (plain[i] !== 0) throw new CryptoError('padding is not zeros');
  }
  return { type: head & ~MORE, more: (head & MORE) !== 0, body: plain.subarray(HEADER_BYTES, end) };
}

/** Builds a plaintext. `padTo`: the plaintext becomes a multiple of so many bytes, 1 for none. */
export function buildPlain(type: number, more: boolean, body: Uint8Array, padTo = PAD_BYTES): Bytes {
  const length = HEADER_BYTES + body.length;
  if (length > PLAIN_MAX_BYTES) throw new RangeError('body too large for one record');
  const plain = new Uint8Array(Math.min(Math.ceil(length / padTo) * padTo, PLAIN_MAX_BYTES));
  plain[0] = more ? type | MORE : type;
  plain[1] = body.length >> 8;
  plain[2] = body.length & 0xff;
  plain.set(body, HEADER_BYTES);
  return plain;
}
