// The oracle's viewer: one @xterm/headless terminal, driven the way the page drives its own.
//
// The authority on what bytes mean is xterm.js, so a reference terminal is fed a stream from its
// first byte, and a joining terminal is fed a keyframe and the rest; both must end alike. The
// terminal's parser is called directly (no write queue), which makes every step synchronous.
//
// What the page repairs about xterm.js and how it resets a terminal comes from the page's own module
// (web/src/view/terminal_repair.ts), translated here.
//
// Links do not die here. xterm.js forgets a link once all lines it was used on are cleared, even while
// it is open, so that text printed then looks like a link but leads nowhere; a joining terminal has
// such links alive. No program can tell.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

const SCROLLBACK_LINES = 10000;
const COLOR_SET = 1;
const COLOR_RESTORE = 2;

/** Imports one of the page's TypeScript modules. */
async function importPageModule(path) {
  const { outputFiles: [{ text }] } = require('esbuild').buildSync({
    entryPoints: [fileURLToPath(new URL(`../../web/src/${path}`, import.meta.url))],
    bundle: true, write: false, format: 'esm', platform: 'neutral', logLevel: 'warning',
  });
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
}

export const { REPEAT_MAX, RESET, TERMINAL_OPTIONS, WholeCharacters, repairTerminal } =
  await importPageModule('view/terminal_repair.ts');
const RESET_BYTES = Buffer.from(RESET);

/** A terminal with what a page's viewer has: Unicode 11 widths, 10,000 lines, a palette. */
export class Viewer {
  constructor(cols, rows, scrollback = SCROLLBACK_LINES) {
    this.term = new Terminal({
      cols, rows, scrollback, allowProposedApi: true, logLevel: 'off', ...TERMINAL_OPTIONS,
    });
    this.term.loadAddon(new Unicode11Addon());
    this.term.unicode.activeVersion = '11';
    repairTerminal(this.term);
    this.characters = new WholeCharacters();
    this.core = this.term._core;
    this.input = this.core._inputHandler;
    this.core._oscLinkService._removeMarkerFromLink = () => {};
    this.palette = new Map();
    this.answers = [];
    this.term.onData((text) => this.answers.push(text));
    this.input.onColor((event) => this.#color(event));
  }

  /** Feeds bytes, at once. Throws what xterm.js throws. */
  write(bytes) {
    const whole = this.characters.take(bytes);
    if (whole.length) this.input.parse(whole);
  }

  /** Applies a keyframe as the page does: resize, reset in-band, then the keyframe's bytes. */
  applyKeyframe({ cols, rows, vt }) {
    this.characters.reset();
    this.write(RESET_BYTES);
    if (cols !== this.term.cols || rows !== this.term.rows) {
      this.term.resize(cols, rows);
      this.write(RESET_BYTES);
    }
    this.write(vt);
  }

  #color(event) {
    for (const request of event) {
      if (request.type === COLOR_SET) this.palette.set(request.index, request.color.join(','));
      if (request.type !== COLOR_RESTORE) continue;
      if (request.index !== undefined) this.palette.delete(request.index);
      else for (const index of [...this.palette.keys()]) if (index < 256) this.palette.delete(index);
    }
  }
}
