// The text of a link (docs/protocol.md §1):
//
//   <page URL>#<fragment>
//   fragment = b64url( 0x01 || daemon_pk[32] || link_secret[32] ) [ "." b64url(WebSocket URL) ]
//
// Only the canonical form is taken: no padding, no other alphabet, no stray bits at the end.

import { Bytes } from '../crypto/bytes.js';
import { Malformed } from './cursor.js';

export const SUITE = 0x01;
const KEY_BYTES = 32;
const LINK_BYTES = 1 + 2 * KEY_BYTES;
const URL_MAX_CHARS = 1024;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export interface Link {
  /** The daemon's X25519 static public key, pinned. */
  readonly daemonKey: Bytes;
  readonly secret: Bytes;
  /** Where to connect; undefined for "next to the page". */
  readonly socketUrl: string | undefined;
}

/** Base64 for URLs (RFC 4648 §5), no padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const run = bytes.subarray(i, i + 3);
    const bits = (run[0]! << 16) | ((run[1] ?? 0) << 8) | (run[2] ?? 0);
    for (let k = 0; k <= run.length; k++) text += ALPHABET[(bits >> (18 - 6 * k)) & 63];
  }
  return text;
}

/** The reverse; throws Malformed on anything toBase64Url does not make. */
export function fromBase64Url(text: string): Bytes {
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const char of text) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) throw new Malformed('not base64url');
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out[at++] = (bits >> held) & 0xff;
    }
  }
  const stray = bits & ((1 << held) - 1);
  if (text.length % 4 === 1 || stray !== 0) throw new Malformed('not canonical base64url');
  return out;
}

/** Reads a fragment, with or without its "#"; throws Malformed. */
export function parseFragment(text: string): Link {
  const fragment = text.startsWith('#') ? text.slice(1) : text;
  const [head, tail, ...more] = fragment.split('.');
  if (more.length > 0) throw new Malformed('too many parts');
  const bytes = fromBase64Url(head ?? '');
  if (bytes.length !== LINK_BYTES) throw new Malformed('link of a wrong length');
  if (bytes[0] !== SUITE) throw new Malformed('link of an unknown kind');
  return {
    daemonKey: bytes.slice(1, 1 + KEY_BYTES),
    secret: bytes.slice(1 + KEY_BYTES),
    socketUrl: tail === undefined ? undefined : parseSocketUrl(tail),
  };
}

// The address as the link has it, not as the browser would tidy it up: one link, one text.
const SOCKET_URL = /^wss?:\/\/([!-~]+)$/;

function parseSocketUrl(text: string): string {
  const url = String.fromCharCode(...fromBase64Url(text));
  const rest = SOCKET_URL.exec(url)?.[1];
  if (rest === undefined || url.length > URL_MAX_CHARS) throw new Malformed('not a WebSocket address');
  const host = /^[^/?]*/.exec(rest)![0];
  if (host === '' || host.startsWith(':') || host.includes('@') || /[#\\]/.test(url)) {
    throw new Malformed('not a WebSocket address');
  }
  return url;
}

/** Writes a fragment, without "#". */
export function formatFragment(link: Link): string {
  const bytes = new Uint8Array(LINK_BYTES);
  bytes[0] = SUITE;
  bytes.set(link.daemonKey, 1);
  bytes.set(link.secret, 1 + KEY_BYTES);
  const head = toBase64Url(bytes);
  if (link.socketUrl === undefined) return head;
  return `${head}.${toBase64Url(new TextEncoder().encode(link.socketUrl))}`;
}

/** The default address: the page's own path up to the last "/", then "ws". */
export function socketUrlOf(pageUrl: string): string {
  const url = new URL(pageUrl);
  const scheme = url.protocol === 'https:' ? 'wss:' : 'ws:';
  return `${scheme}//${url.host}${url.pathname.replace(/[^/]*$/, '')}ws`;
}

/** Splits a whole link (page URL and fragment); throws Malformed when there is no fragment. */
export function parseLink(text: string): { link: Link; socketUrl: string } {
  const hash = text.indexOf('#');
  if (hash < 0) throw new Malformed('link without its secret part');
  const link = parseFragment(text.slice(hash));
  return { link, socketUrl: link.socketUrl ?? socketUrlOf(text.slice(0, hash)) };
}
