// The find bar: searches the focused pane's screen and scrollback.

import type { Terminal } from '@xterm/xterm';
import { findAll, Hit, HITS_MAX } from '../view/find.js';
import { button, el } from './dom.js';

export class FindBar {
  readonly element: HTMLElement;
  private readonly input = el('input', { type: 'search', label: 'Find in the terminal' });
  private readonly count = el('span', { class: 'count', live: 'polite' });
  private hits: Hit[] = [];
  private at = -1;

  /** closed: where the focus goes back to. */
  constructor(
    private readonly terminal: () => Terminal | undefined,
    private readonly closed: () => void,
  ) {
    this.input.placeholder = 'Find';
    this.input.addEventListener('input', () => this.search());
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.element = el('div', { class: 'find', role: 'search', hidden: true },
      this.input,
      this.count,
      button('↑', () => this.step(-1), { label: 'Previous hit', title: 'Previous (Shift-Enter)' }),
      button('↓', () => this.step(1), { label: 'Next hit', title: 'Next (Enter)' }),
      button('✕', () => this.close(), { label: 'Close find', title: 'Close (Esc)' }),
    );
  }

  open(): void {
    this.element.hidden = false;
    this.input.select();
    this.input.focus();
    if (this.input.value) this.search();
  }

  close(): void {
    this.element.hidden = true;
    this.terminal()?.clearSelection();
    this.closed();
  }

  private key(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.close();
    else if (event.key === 'Enter') this.step(event.shiftKey ? -1 : 1);
  }

  private search(): void {
    const terminal = this.terminal();
    if (!terminal) return;
    this.hits = findAll(terminal.buffer.active, terminal.cols, this.input.value);
    this.at = this.hits.length; // the newest is nearest
    this.step(-1);
  }

  private step(by: number): void {
    const { hits } = this;
    const terminal = this.terminal();
    if (hits.length === 0 || !terminal) {
      this.count.textContent = this.input.value ? 'nothing' : '';
      terminal?.clearSelection();
      return;
    }
    this.at = (this.at + by + hits.length) % hits.length;
    const { row, col, length } = hits[this.at]!;
    terminal.select(col, row, length);
    terminal.scrollToLine(Math.max(0, row - Math.floor(terminal.rows / 2)));
    const more = hits.length === HITS_MAX ? '+' : '';
    this.count.textContent = `${this.at + 1} of ${hits.length}${more}`;
  }
}
