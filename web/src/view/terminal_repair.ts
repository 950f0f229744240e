// What xterm.js 6.0 gets wrong and every viewer's terminal must get right. No DOM: the oracle of
// tests/oracle drives its terminals through this same module.
//
// - ESC c leaves cursor visibility, blinking, newline mode, titles and palette as they were, so a used
//   terminal needs RESET in front of a keyframe.
// - Titles are pushed and popped only where the options allow it: TERMINAL_OPTIONS.
// - A character split over two writes is lost when the first part ends in a byte 0x80 (U+2019 after
//   e2 80), so an unfinished character waits for its rest: WholeCharacters.
// - ED 1 with the cursor in the last column takes the row below for a line of the whole buffer: it
//   ends the wrapping of a scrollback line, and throws on the bottom row of a short buffer.
// - Counts are not bounded: one CSI 2147483647 S keeps the page busy for most of an hour. More lines
//   than there are rows, or tabs than columns, do the same as just enough; REP stops at REPEAT_MAX,
//   as it does in the daemon.
// - The saved cursor's row is kept as a line of the whole buffer, so it moves up when the screen
//   scrolls, unless the scrollback is full: after the same bytes a viewer with a long past and one who
//   joined just now would restore different rows. As in other terminals it is a row of the screen.

import type { Terminal } from '@xterm/xterm';

/** What every viewer's terminal is made with. */
export const TERMINAL_OPTIONS = { windowOptions: { pushTitle: true, popTitle: true } };

const TITLES_KEPT = 10;

/** Returns a used terminal to the state of a new one, in-band; ends an unfinished sequence first. */
export const RESET =
  '\x1b\\\x1bc\x1b[?25h\x1b[?12l\x1b[20l' +
  '\x1b]104\x07\x1b]110\x07\x1b]111\x07\x1b]112\x07' +
  '\x1b[23;0t'.repeat(TITLES_KEPT) +
  '\x1b]0;\x07';

/** Most characters one REP prints. */
export const REPEAT_MAX = 65536;

type Params = (number | number[])[];
type CountMethod =
  | 'insertLines'
  | 'deleteLines'
  | 'scrollUp'
  | 'scrollDown'
  | 'cursorForwardTab'
  | 'cursorBackwardTab'
  | 'repeatPrecedingCharacter';
type Handler = (params: { params: number[]; length: number }, selective?: boolean) => boolean;
interface Line {
  isWrapped: boolean;
}

interface SavedRow {
  readonly ybase: number;
  savedY: number;
  savedScreenRow?: number;
}

/** The parts of xterm.js's core that are used. */
interface Core {
  readonly buffers: { readonly normal: SavedRow; readonly alt: SavedRow };
  readonly cols: number;
  readonly rows: number;
  readonly buffer: {
    readonly x: number;
    readonly y: number;
    readonly ybase: number;
    readonly lines: { get(index: number): Line | undefined };
  };
  readonly _inputHandler: Record<CountMethod | 'eraseInDisplay', Handler>;
}

const COUNTS: readonly [final: string, method: CountMethod, most: (core: Core) => number][] = [
  ['L', 'insertLines', (core) => core.rows],
  ['M', 'deleteLines', (core) => core.rows],
  ['S', 'scrollUp', (core) => core.rows],
  ['T', 'scrollDown', (core) => core.rows],
  ['I', 'cursorForwardTab', (core) => core.cols],
  ['Z', 'cursorBackwardTab', (core) => core.cols],
  ['b', 'repeatPrecedingCharacter', () => REPEAT_MAX],
];

function boundCount(core: Core, method: CountMethod, most: (core: Core) => number) {
  return (params: Params): boolean => {
    const count = params[0];
    if (typeof count !== 'number' || count <= most(core)) return false;
    return core._inputHandler[method]({ params: [most(core)], length: 1 });
  };
}

function eraseAbove(core: Core, selective: boolean) {
  return (params: Params): boolean => {
    const { x, y, ybase, lines } = core.buffer;
    if (params[0] !== 1 || x + 1 < core.cols) return false;
    const wrong = lines.get(y + 1);
    const wrapped = wrong?.isWrapped ?? false;
    const below = y + 1 < core.rows ? lines.get(ybase + y + 1) : undefined;
    // On the bottom row of a short buffer everything is above: ED 2 does the same and does not throw.
    core._inputHandler.eraseInDisplay({ params: [wrong ? 1 : 2], length: 1 }, selective);
    if (wrong && y + 1 < ybase) wrong.isWrapped = wrapped; // else it is one of the erased rows
    if (below) below.isWrapped = false;
    return true;
  };
}

/** Makes savedY follow ybase, for all buffers of this build of xterm.js: a reset makes new ones. */
function keepSavedRow(core: Core): void {
  const { normal, alt } = core.buffers;
  const prototype = Object.getPrototypeOf(normal) as SavedRow;
  if (!Object.hasOwn(prototype, 'savedY')) {
    Object.defineProperty(prototype, 'savedY', {
      get(this: SavedRow) {
        return this.ybase + (this.savedScreenRow ?? 0);
      },
      set(this: SavedRow, line: number) {
        this.savedScreenRow = line - this.ybase;
      },
    });
  }
  for (const buffer of [normal, alt]) {
    if (!Object.hasOwn(buffer, 'savedY')) continue;
    const line = buffer.savedY;
    delete (buffer as Partial<SavedRow>).savedY;
    buffer.savedY = line;
  }
}

/** Repairs a terminal for good; returns what undoes it, but for the saved row. */
export function repairTerminal(terminal: Terminal): { dispose(): void } {
  const core = (terminal as unknown as { _core: Core })._core;
  const { parser } = terminal;
  keepSavedRow(core);
  const registered = [
    ...COUNTS.map(([final, method, most]) =>
      parser.registerCsiHandler({ final }, boundCount(core, method, most)),
    ),
    parser.registerCsiHandler({ final: 'J' }, eraseAbove(core, false)),
    parser.registerCsiHandler({ prefix: '?', final: 'J' }, eraseAbove(core, true)),
  ];
  return { dispose: () => registered.forEach((one) => one.dispose()) };
}

/**
 * How many bytes at the end begin a UTF-8 character without finishing it, by xterm.js's own idea of
 * a lead byte (0xc0 to 0xf7).
 */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf8 || byte < 0xc0 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? back : 0;
  }
  return 0;
}

/** Cuts a stream of bytes only between characters. */
export class WholeCharacters {
  private rest = new Uint8Array(0);

  /** The bytes to write now; an unfinished character at the end is kept for the next call. */
  take(bytes: Uint8Array): Uint8Array {
    let all = bytes;
    if (this.rest.length > 0) {
      all = new Uint8Array(this.rest.length + bytes.length);
      all.set(this.rest);
      all.set(bytes, this.rest.length);
    }
    const whole = all.length - unfinishedBytes(all);
    this.rest = all.slice(whole);
    return all.subarray(0, whole);
  }

  /** The bytes kept back. */
  get kept(): Uint8Array {
    return this.rest;
  }

  /** Forgets the unfinished character: the stream starts over. */
  reset(): void {
    this.rest = new Uint8Array(0);
  }
}
