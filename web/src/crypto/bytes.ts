// Byte helpers that every module below the view uses. No DOM, no I/O.

/** Bytes in memory of their own, as WebCrypto and WebSocket want them. */
export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

/** UTF-8 of a text. */
export function utf8(text: string): Bytes {
  return encoder.encode(text) as Bytes;
}

/** Copies the runs, one after the other, into a new array. */
export function concat(...runs: readonly Uint8Array[]): Bytes {
  const out = new Uint8Array(runs.reduce((sum, run) => sum + run.length, 0));
  let at = 0;
  for (const run of runs) {
    out.set(run, at);
    at += run.length;
  }
  return out;
}

/** True when all bytes are zero. Not for comparing secrets. */
export function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Bytes of an even number of hexadecimal digits; throws RangeError on anything else. */
export function fromHex(text: string): Bytes {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw new RangeError('not hexadecimal');
  const out = new Uint8Array(text.length / 2);
  for (let i = 0; i < out.length; i++) out[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return out;
}
