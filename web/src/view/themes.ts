// Colours of the terminal. "owner" is what the daemon's THEME says (on top of the dark colours);
// "system" follows the browser's light or dark; the chrome around the terminal goes along.
// Each palette is readable on its own background. xterm.js's minimumContrastRatio is left alone: it
// takes reversed text for text on its own colour, and greys it.

import type { ITheme } from '@xterm/xterm';
import { Theme } from 'gen/messages';

export type ThemeChoice = 'owner' | 'system' | 'light' | 'dark' | 'contrast';
export type ChromeTheme = 'light' | 'dark' | 'contrast';

export interface Look {
  readonly chrome: ChromeTheme;
  readonly terminal: ITheme;
  readonly font: string;
}

const FONT = '"DejaVu Sans Mono", ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace';

const ANSI_NAMES = [
  'black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white',
  'brightBlack', 'brightRed', 'brightGreen', 'brightYellow',
  'brightBlue', 'brightMagenta', 'brightCyan', 'brightWhite',
] as const;

function ansi(...colours: string[]): ITheme {
  return Object.fromEntries(ANSI_NAMES.map((name, i) => [name, colours[i]]));
}

const DARK: ITheme = {
  foreground: '#d7dae0',
  background: '#14171c',
  cursor: '#e6b455',
  cursorAccent: '#14171c',
  selectionBackground: '#3a4a66',
  ...ansi(
    '#2a2f38', '#e5646e', '#7fc17f', '#d9b45f', '#6ea3e8', '#c583d4', '#5fbcc4', '#c3c8d1',
    '#6b7482', '#ff8a92', '#a3dda0', '#f0d084', '#98c0ff', '#dea6ea', '#88dbe2', '#f2f4f8',
  ),
};

const LIGHT: ITheme = {
  foreground: '#23262d',
  background: '#fbfbf9',
  cursor: '#a15c00',
  cursorAccent: '#fbfbf9',
  selectionBackground: '#c9dcf7',
  ...ansi(
    '#23262d', '#b3202c', '#2b7a2f', '#8a6100', '#1f5fbf', '#8b3a9e', '#0f7680', '#6a707c',
    '#565c68', '#c93540', '#35883a', '#996c00', '#2d6fd4', '#9c49b0', '#15838e', '#33373f',
  ),
};

const CONTRAST: ITheme = {
  foreground: '#ffffff',
  background: '#000000',
  cursor: '#ffff00',
  cursorAccent: '#000000',
  selectionBackground: '#ffffff',
  selectionForeground: '#000000',
  ...ansi(
    '#000000', '#ff6666', '#66ff66', '#ffff66', '#8ab4ff', '#ff8aff', '#66ffff', '#ffffff',
    '#9a9a9a', '#ff9999', '#99ff99', '#ffff99', '#b3d0ff', '#ffb3ff', '#99ffff', '#ffffff',
  ),
};

const css = (rgb: number): string => `#${(rgb & 0xffffff).toString(16).padStart(6, '0')}`;

function ownerTheme(owner: Theme): ITheme {
  const theme: ITheme = {
    ...DARK,
    foreground: css(owner.foreground),
    background: css(owner.background),
    cursor: css(owner.cursor),
    cursorAccent: css(owner.background),
  };
  for (const { index, rgb } of owner.palette) {
    const name = ANSI_NAMES[index];
    if (name) theme[name] = css(rgb);
  }
  return theme;
}

function isLight(rgb: number): boolean {
  const [r, g, b] = [(rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255];
  return 0.299 * r + 0.587 * g + 0.114 * b > 140;
}

// A font name comes from the daemon: only letters, digits, spaces and hyphens of it are used.
function fontOf(owner: Theme | undefined): string {
  const name = owner?.font.replace(/[^\p{L}\p{N} -]/gu, '').slice(0, 64).trim();
  return name ? `"${name}", ${FONT}` : FONT;
}

/** What a choice looks like now. */
export function lookOf(choice: ThemeChoice, owner: Theme | undefined, systemLight: boolean): Look {
  const font = fontOf(owner);
  if (choice === 'owner' && owner) {
    const chrome = isLight(owner.background) ? 'light' : 'dark';
    return { chrome, terminal: ownerTheme(owner), font };
  }
  if (choice === 'contrast') return { chrome: 'contrast', terminal: CONTRAST, font };
  const light = choice === 'light' || (choice !== 'dark' && systemLight);
  if (light) return { chrome: 'light', terminal: LIGHT, font };
  return { chrome: 'dark', terminal: DARK, font };
}
