// One pane on the screen: an xterm.js terminal fed by the pane's stream.
//
// KEYFRAMEs are applied in write order: everything before is parsed, the size is set, then a reset
// and the frame's text go in as one write, and the place where somebody was reading comes back by
// absolute line. The size changes nowhere else. The terminal answers no queries.

import { Terminal } from '@xterm/xterm';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { Keyframe } from 'gen/messages';
import { concat, utf8 } from '../crypto/bytes.js';
import { AnswerGuard } from './answer_guard.js';
import { drawCurtain } from './curtain.js';
import { Size } from './fit.js';
import { NewLines } from './new_lines.js';
import { useBestRenderer } from './renderer.js';
import { Place, ScrollMemory } from './scroll_memory.js';
import { repairTerminal, RESET, TERMINAL_OPTIONS, WholeCharacters } from './terminal_repair.js';
import { Look } from './themes.js';
import { WriteQueue } from './write_queue.js';

const SCROLLBACK_LINES = 10_000;
const CURTAIN_BYTES = 32 << 10; // a shorter keyframe is parsed between two pictures
const RESET_BYTES = utf8(RESET);

export interface PaneEvents {
  /** What a person typed, pasted or did with the mouse. */
  typed(data: Uint8Array): void;
  title(title: string): void;
  focused(): void;
  /** So many lines came below what is in view. */
  behind(lines: number): void;
  /** A link under the pointer, or undefined. */
  hovered(url: string | undefined): void;
  /** False: the key is used up. Sees each key before the terminal does. */
  key(event: KeyboardEvent): boolean;
}

export class PaneView {
  readonly terminal: Terminal;
  readonly element = document.createElement('div');
  private readonly queue: WriteQueue;
  private readonly guard: AnswerGuard;
  private readonly memory: ScrollMemory;
  private readonly characters = new WholeCharacters();
  private readonly cells = new Map<string, Size>();
  private readonly newLines = new NewLines();
  private opened = false;
  private pictured = false;

  constructor(
    readonly id: number,
    look: Look,
    size: { readonly cols: number; readonly rows: number },
    private readonly events: PaneEvents,
  ) {
    this.element.className = 'pane';
    this.terminal = createTerminal(look, size, events);
    repairTerminal(this.terminal);
    this.guard = new AnswerGuard(this.terminal.parser);
    this.memory = new ScrollMemory(this.terminal);
    this.queue = new WriteQueue((data, parsed) => this.terminal.write(data, parsed));
    this.listen();
  }

  /** True once a keyframe was parsed. */
  get hasPicture(): boolean {
    return this.pictured;
  }

  /** Opens the terminal; the element must be in the document. */
  open(): void {
    if (this.opened) return;
    this.opened = true;
    this.terminal.open(this.element);
    this.terminal.textarea?.addEventListener('focus', () => this.events.focused());
    useBestRenderer(this.terminal);
  }

  /** Applies a KEYFRAME; done when it is parsed. */
  keyframe(frame: Keyframe, done: () => void): void {
    let place: Place | undefined;
    let reveal = (): void => undefined;
    this.characters.reset();
    this.queue.run(() => {
      place = this.memory.place();
      const resized = this.setSize(frame.cols, frame.rows);
      if (!resized && frame.vt.length > CURTAIN_BYTES) reveal = drawCurtain(this.element);
    });
    this.queue.write(concat(RESET_BYTES, this.characters.take(frame.vt)), () => {
      this.memory.restart(frame.firstLine);
      if (place) this.memory.restore(place);
      this.pictured = true;
      this.count();
      reveal();
      done();
    });
  }

  /** Applies OUTPUT; done when it is parsed. */
  output(data: Uint8Array, done: () => void): void {
    this.queue.write(this.characters.take(data), () => {
      this.memory.follow();
      this.count();
      done();
    });
  }

  /** Resolves when everything so far is parsed. */
  drained(): Promise<void> {
    return this.queue.drained();
  }

  setLook(look: Look): void {
    this.terminal.options.theme = look.terminal;
    this.terminal.options.fontFamily = look.font;
    this.cells.clear();
  }

  setFontSize(px: number): void {
    if (this.terminal.options.fontSize === px) return;
    this.terminal.options.fontSize = px;
    syncScrollbar(this.terminal);
  }

  /** Size of a cell at a font size, in CSS pixels; sets that size on the way. */
  cellAt(px: number): Size {
    const key = `${px} ${window.devicePixelRatio}`;
    const known = this.cells.get(key);
    if (known) return known;
    this.setFontSize(px);
    const { width, height } = this.screen();
    const { cols, rows } = this.terminal;
    const size = { width: width / cols, height: height / rows };
    if (width > 0) this.cells.set(key, size);
    return size;
  }

  /** Size of the whole grid now. */
  screen(): Size {
    const screen = this.element.querySelector<HTMLElement>('.xterm-screen');
    return { width: screen?.clientWidth ?? 0, height: screen?.clientHeight ?? 0 };
  }

  focus(): void {
    this.terminal.focus();
  }

  /** What a screen reader says of the terminal. */
  setLabel(label: string): void {
    this.terminal.textarea?.setAttribute('aria-label', label);
  }

  scrollToEnd(): void {
    this.terminal.scrollToBottom();
    this.count();
  }

  dispose(): void {
    this.guard.dispose();
    this.terminal.dispose();
    this.element.remove();
  }

  private listen(): void {
    this.terminal.onData((text) => {
      if (this.guard.isOpen) this.events.typed(utf8(text));
    });
    this.terminal.onBinary((text) => {
      if (this.guard.isOpen) this.events.typed(Uint8Array.from(text, (c) => c.charCodeAt(0)));
    });
    this.terminal.onRender(() => this.count());
    this.terminal.onTitleChange((title) => this.events.title(title));
    this.terminal.attachCustomKeyEventHandler((event) => this.events.key(event));
  }

  private count(): void {
    const { baseY, viewportY, type } = this.terminal.buffer.active;
    const first = type === 'alternate' ? undefined : this.memory.first();
    const end = first === undefined ? undefined : first + baseY;
    this.events.behind(this.newLines.update(end, viewportY >= baseY));
  }

  // Reset first: what is on the screen is about to go, and must not be wrapped anew.
  private setSize(cols: number, rows: number): boolean {
    if (cols === this.terminal.cols && rows === this.terminal.rows) return false;
    this.terminal.reset();
    this.terminal.resize(Math.max(1, cols), Math.max(1, rows));
    this.cells.clear();
    return true;
  }
}

function createTerminal(look: Look, size: { cols: number; rows: number }, events: PaneEvents): Terminal {
  const terminal = new Terminal({
    ...TERMINAL_OPTIONS,
    allowProposedApi: true,
    cols: Math.max(1, size.cols),
    rows: Math.max(1, size.rows),
    scrollback: SCROLLBACK_LINES,
    fontFamily: look.font,
    fontSize: 15,
    theme: look.terminal,
    cursorBlink: false,
    macOptionClickForcesSelection: true,
    rightClickSelectsWord: false,
    screenReaderMode: false,
    linkHandler: {
      activate: (_event, url) => openLink(url),
      hover: (_event, url) => events.hovered(url),
      leave: () => events.hovered(undefined),
    },
  });
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  const links = new WebLinksAddon((_event, url) => openLink(url), {
    hover: (_event, url) => events.hovered(url),
    leave: () => events.hovered(undefined),
  });
  terminal.loadAddon(links);
  return terminal;
}

// xterm.js 6.0 keeps the scrollbar's place in pixels of the former font until the next line of output:
// it stands beside the pane, and the first turn of the wheel jumps.
function syncScrollbar(terminal: Terminal): void {
  const core = (terminal as unknown as { _core: { _viewport?: Scrollbar } })._core;
  if (!core._viewport) return;
  core._viewport._latestYDisp = undefined;
  core._viewport._sync();
}

interface Scrollbar {
  _latestYDisp: number | undefined;
  _sync(): void;
}

// Programs choose these addresses: only the web's, and nothing of this page goes along.
function openLink(text: string): void {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return;
  window.open(url.href, '_blank', 'noopener,noreferrer');
}
