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
  private opened = false;

  constructor(
    readonly id: number,
    look: Look,
    private readonly events: PaneEvents,
  ) {
    this.element.className = 'pane';
    this.terminal = createTerminal(look, events);
    repairTerminal(this.terminal);
    this.guard = new AnswerGuard(this.terminal.parser);
    this.memory = new ScrollMemory(this.terminal);
    this.queue = new WriteQueue((data, parsed) => this.terminal.write(data, parsed));
    this.listen();
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
      reveal();
      done();
    });
  }

  /** Applies OUTPUT; done when it is parsed. */
  output(data: Uint8Array, done: () => void): void {
    this.queue.write(this.characters.take(data), () => {
      this.memory.follow();
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
    if (this.terminal.options.fontSize !== px) this.terminal.options.fontSize = px;
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
    this.terminal.onTitleChange((title) => this.events.title(title));
    this.terminal.attachCustomKeyEventHandler((event) => this.events.key(event));
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

function createTerminal(look: Look, events: PaneEvents): Terminal {
  const terminal = new Terminal({
    ...TERMINAL_OPTIONS,
    allowProposedApi: true,
    cols: 80,
    rows: 24,
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
