// Where this tab keeps its link and resume token: in history.state, and nowhere else. The fragment
// leaves the address bar at once, so that bookmarks, referrers and history sync do not carry it; a
// reload finds it again.

import { fromHex, toHex } from './crypto/bytes.js';

interface Kept {
  readonly fragment: string;
  readonly token: string;
}

function kept(): Kept | undefined {
  const state = history.state as { vitrine?: Kept } | null;
  return state?.vitrine;
}

function keep(fragment: string, token: string): void {
  const address = location.pathname + location.search;
  history.replaceState({ vitrine: { fragment, token } }, '', address);
}

/** The fragment this tab was opened with, without "#"; undefined when there is none. */
export function takeFragment(): string | undefined {
  const shown = location.hash.slice(1);
  if (shown) keep(shown, '');
  return kept()?.fragment;
}

/** The token of the last visit in this tab, or undefined. */
export function loadToken(): Uint8Array | undefined {
  const token = kept()?.token;
  return token ? fromHex(token) : undefined;
}

export function saveToken(token: Uint8Array): void {
  const now = kept();
  if (now) keep(now.fragment, toHex(token));
}
