// What a link's bytes turn into (docs/protocol.md §1, §3): the pre-shared key, the public look-up
// handle, a daemon's address on a shared relay, and the bits of the spoken check words.

import { Bytes, concat, utf8 } from './bytes.js';
import { hkdf, sha256 } from './primitives.js';

export const LINK_ID_BYTES = 16;
export const SAS_WORDS = 4;
const SAS_WORD_BITS = 11n;
const SAS_UNUSED_BITS = 20n; // of the 64 derived, 44 are spoken

const EMPTY = new Uint8Array(0);

/** psk = HKDF("", link_secret, "vitrine v1 psk", 32) */
export function derivePsk(linkSecret: Uint8Array): Promise<Bytes> {
  return hkdf(EMPTY, linkSecret, utf8('vitrine v1 psk'), 32);
}

/** link_id = HKDF("", link_secret, "vitrine v1 link id", 16) */
export function deriveLinkId(linkSecret: Uint8Array): Promise<Bytes> {
  return hkdf(EMPTY, linkSecret, utf8('vitrine v1 link id'), LINK_ID_BYTES);
}

/** route = first 16 bytes of SHA-256("vitrine v1 route" || daemon_pk) */
export async function deriveRoute(daemonKey: Uint8Array): Promise<Bytes> {
  return (await sha256(concat(utf8('vitrine v1 route'), daemonKey))).slice(0, 16);
}

/** Four numbers of 11 bits each, indexes into the BIP-39 English list. */
export async function deriveSas(handshakeHash: Uint8Array): Promise<number[]> {
  const bytes = await hkdf(EMPTY, handshakeHash, utf8('vitrine v1 sas'), 8);
  let bits = new DataView(bytes.buffer).getBigUint64(0) >> SAS_UNUSED_BITS;
  const words: number[] = [];
  for (let i = 0; i < SAS_WORDS; i++) {
    words.unshift(Number(bits & ((1n << SAS_WORD_BITS) - 1n)));
    bits >>= SAS_WORD_BITS;
  }
  return words;
}
