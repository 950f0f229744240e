// The trust panel: what is encrypted, with whom, and who could read along all the same.

import { sha256 } from '../crypto/primitives.js';
import { toHex } from '../crypto/bytes.js';
import { el } from './dom.js';

export interface TrustFacts {
  readonly daemonKey: Uint8Array;
  readonly socketUrl: string;
  readonly pageUrl: string;
  readonly hostLabel: string;
}

/** Fingerprint of the daemon's key: 16 bytes of its SHA-256 in groups of four digits. */
export async function fingerprintOf(key: Uint8Array): Promise<string> {
  const digits = toHex((await sha256(key)).subarray(0, 16));
  return digits.replace(/(.{4})(?=.)/g, '$1 ');
}

/** Who could read, as sentences. */
export function whoCanRead({ pageUrl, socketUrl }: TrustFacts): string[] {
  const page = new URL(pageUrl);
  const relay = new URL(socketUrl).host;
  if (page.protocol === 'file:') {
    return [`This page is a saved file: neither ${relay} nor anybody between can read the session, as long as the file is what you saved.`];
  }
  if (page.host === relay) {
    return [
      `This page was served by ${page.host}, which also carries the session. Whoever controls that server, or ends its TLS, could serve an altered page that gives the link away.`,
      'A page from a host you trust, or a saved file, closes that gap: the carrier then sees sealed bytes only.',
    ];
  }
  return [`This page was served by ${page.host}; ${relay} carries the session and sees sealed bytes only. You trust ${page.host} to serve the true page.`];
}

/** The panel's content. */
export async function trustContent(facts: TrustFacts): Promise<HTMLElement> {
  const list = el('dl');
  const add = (term: string, text: string, code = false): void => {
    list.append(el('dt', { text: term }), el('dd', {}, el(code ? 'code' : 'span', { text })));
  };
  add('Encrypted', 'Everything on the screen and everything typed, between this browser and the host’s Vitrine daemon.');
  add('How', 'Noise NKpsk0 handshake: X25519, AES-256-GCM, SHA-256, all by the browser’s own WebCrypto. The host’s key is part of your link and was checked.');
  add('Visible on the way', 'That you are connected, when, and how much flows. Not what.');
  if (facts.hostLabel) add('Host says its name is', facts.hostLabel);
  add('Host key', await fingerprintOf(facts.daemonKey), true);
  const who = el('div', { class: 'who' }, el('h3', { text: 'Who could read along' }));
  for (const line of whoCanRead(facts)) who.append(el('p', { text: line }));
  return el('div', { class: 'trust' }, list, who);
}
