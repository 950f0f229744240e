// The oracle's viewer: one @xterm/headless terminal, driven the way the page drives its own.
//
// The authority on what bytes mean is xterm.js, so a reference terminal is fed a stream from its
// first byte, and a joining terminal is fed a keyframe and the rest; both must end alike. The
// terminal's parser is called directly (no write queue), which makes every step synchronous.
//
// A page reuses its terminal when a keyframe arrives, and ESC c leaves some of xterm.js's state
// behind (cursor visibility, title, palette, newline mode, cursor blink). RESET is the in-band
// reset that really brings a used terminal back to the state of a new one; the page applies the
// same bytes in front of every keyframe.
//
// Two faults of xterm.js 6.0 are worked around as the page must: a character split over two writes
// after a byte 0x80 is lost (so an unfinished character waits for its rest), and ED 1 in the last
// column reads the wrong line, which throws on the bottom row of a terminal without scrollback.

import { createRequire } from 'node:module';

const require = createRequire(new URL('../../web/package.json', import.meta.url));
const { Terminal } = require('@xterm/headless');
const { Unicode11Addon } = require('@xterm/addon-unicode11');

export const RESET =
  '\x1b\\\x1bc\x1b[?25h\x1b[?12l\x1b[20l' +
  '\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07\x1b]0;\x07';

const RESET_BYTES = Buffer.from(RESET);
const SCROLLBACK_LINES = 10000;
const COLOR_SET = 1;
const COLOR_RESTORE = 2;

/**
 * How many bytes at the end of `bytes` begin a UTF-8 character without finishing it, by xterm.js's
 * own idea of a lead byte (0xc0 to 0xf7). They must be written together with the next bytes.
 */
export function unfinishedBytes(bytes) {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back];
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf8 || byte < 0xc0 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? back : 0;
  }
  return 0;
}

/**
 * ED 1 with the cursor in the last column ends the wrapping of the row below. xterm.js 6.0 takes
 * the row's number for a line of the whole buffer: it touches a scrollback line, or throws.
 */
function repairEraseAbove(core, selective) {
  return (params) => {
    const { x, y, ybase, lines } = core.buffer;
    if (params[0] !== 1 || x + 1 < core.cols) return false;
    const wrong = lines.get(y + 1);
    const wrapped = wrong?.isWrapped;
    const below = y + 1 < core.rows ? lines.get(ybase + y + 1) : undefined;
    core._inputHandler.eraseInDisplay({ params: [wrong ? 1 : 2], length: 1 }, selective);
    if (wrong) wrong.isWrapped = wrapped;
    if (below) below.isWrapped = false;
    return true;
  };
}

/** A terminal with what a page's viewer has: Unicode 11 widths, 10,000 lines, a palette. */
export class Viewer {
  constructor(cols, rows, scrollback = SCROLLBACK_LINES) {
    this.term = new Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: 'off' });
    this.term.loadAddon(new Unicode11Addon());
    this.term.unicode.activeVersion = '11';
    this.core = this.term._core;
    this.input = this.core._inputHandler;
    this.tail = Buffer.alloc(0);
    const { parser } = this.term;
    parser.registerCsiHandler({ final: 'J' }, repairEraseAbove(this.core, false));
    parser.registerCsiHandler({ prefix: '?', final: 'J' }, repairEraseAbove(this.core, true));
    this.palette = new Map();
    this.answers = [];
    this.term.onData((text) => this.answers.push(text));
    this.input.onColor((event) => this.#color(event));
  }

  /** Feeds bytes, at once. Throws what xterm.js throws. */
  write(bytes) {
    const all = this.tail.length ? Buffer.concat([this.tail, bytes]) : bytes;
    const whole = all.length - unfinishedBytes(all);
    this.tail = all.subarray(whole);
    if (whole) this.input.parse(all.subarray(0, whole));
  }

  /** Applies a keyframe as the page does: resize, reset in-band, then the keyframe's bytes. */
  applyKeyframe({ cols, rows, vt }) {
    this.tail = Buffer.alloc(0);
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
