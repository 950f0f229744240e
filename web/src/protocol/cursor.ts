// Bounded cursors over bytes, big-endian: the only way the page reads bytes from outside or builds
// bytes for it. Reading past the end throws Malformed, and nothing read so far is to be used.

import { Bytes } from '../crypto/bytes.js';

/** A message, record or link that breaks the protocol. */
export class Malformed extends Error {}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export class Reader {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  /** The next n bytes, borrowed. */
  take(n: number): Uint8Array {
    if (n > this.left) throw new Malformed('length past the end');
    this.at += n;
    return this.bytes.subarray(this.at - n, this.at);
  }

  u8(): number {
    return this.view.getUint8(this.advance(1));
  }

  u16(): number {
    return this.view.getUint16(this.advance(2));
  }

  u32(): number {
    return this.view.getUint32(this.advance(4));
  }

  /** A u64 as a number; above 2^53-1 it is malformed: no counter here gets that far honestly. */
  u64(): number {
    const value = this.view.getBigUint64(this.advance(8));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Malformed('number too large');
    return Number(value);
  }

  /** u16 length, then UTF-8 (RFC 3629). */
  str(): string {
    const bytes = this.take(this.u16());
    try {
      return strictUtf8.decode(bytes);
    } catch {
      throw new Malformed('text is not UTF-8');
    }
  }

  rest(): Uint8Array {
    return this.take(this.left);
  }

  /** Throws unless everything was read. */
  done(): void {
    if (this.left !== 0) throw new Malformed('bytes left over');
  }

  private advance(n: number): number {
    if (n > this.left) throw new Malformed('length past the end');
    this.at += n;
    return this.at - n;
  }
}

export class Writer {
  private bytes: Bytes = new Uint8Array(64);
  private view = new DataView(this.bytes.buffer);
  private length = 0;

  u8(value: number): void {
    const at = this.grow(1);
    this.view.setUint8(at, checked(value, 0xff));
  }

  u16(value: number): void {
    const at = this.grow(2);
    this.view.setUint16(at, checked(value, 0xffff));
  }

  u32(value: number): void {
    const at = this.grow(4);
    this.view.setUint32(at, checked(value, 0xffffffff));
  }

  u64(value: number): void {
    const at = this.grow(8);
    this.view.setBigUint64(at, BigInt(checked(value, Number.MAX_SAFE_INTEGER)));
  }

  str(text: string): void {
    const bytes = encoder.encode(text);
    this.u16(bytes.length);
    this.put(bytes);
  }

  put(run: Uint8Array): void {
    const at = this.grow(run.length);
    this.bytes.set(run, at);
  }

  /** What was written, borrowed until the next write. */
  finish(): Bytes {
    return this.bytes.subarray(0, this.length);
  }

  // May replace bytes and view: call it before touching either.
  private grow(n: number): number {
    const at = this.length;
    this.length += n;
    if (this.length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(this.length, this.bytes.length * 2));
      larger.set(this.bytes);
      this.bytes = larger;
      this.view = new DataView(larger.buffer);
    }
    return at;
  }
}

function checked(value: number, largest: number): number {
  if (!Number.isInteger(value) || value < 0 || value > largest) {
    throw new RangeError(`${value} does not fit`);
  }
  return value;
}
