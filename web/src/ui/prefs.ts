// What this browser remembers: how things look, and nothing else. Links, tokens and names never come
// here. Where storage is closed (a saved file, a strict browser) everything has its usual value.

import { FitMode } from '../view/fit.js';
import { ThemeChoice } from '../view/themes.js';

export interface Prefs {
  fontPx: number;
  theme: ThemeChoice;
  fit: FitMode;
  keys: boolean | undefined; // on-screen keys; undefined: where there is no mouse
  reader: boolean; // screen reader support
}

const KEY = 'vitrine.look';
const USUAL: Prefs = { fontPx: 15, theme: 'owner', fit: 'fit', keys: undefined, reader: false };
const THEMES: readonly string[] = ['owner', 'system', 'light', 'dark', 'contrast'];
const FITS: readonly string[] = ['fit', 'fill', 'natural'];

/** Reads them; anything strange counts as not set. */
export function loadPrefs(): Prefs {
  const prefs = { ...USUAL };
  let stored: Partial<Prefs>;
  try {
    stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Prefs>;
  } catch {
    return prefs;
  }
  if (typeof stored.fontPx === 'number' && stored.fontPx >= 7 && stored.fontPx <= 40) prefs.fontPx = stored.fontPx;
  if (THEMES.includes(String(stored.theme))) prefs.theme = stored.theme as ThemeChoice;
  if (FITS.includes(String(stored.fit))) prefs.fit = stored.fit as FitMode;
  if (typeof stored.keys === 'boolean') prefs.keys = stored.keys;
  if (typeof stored.reader === 'boolean') prefs.reader = stored.reader;
  return prefs;
}

export function savePrefs(prefs: Prefs): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(prefs));
  } catch {
    // not remembered, then
  }
}
