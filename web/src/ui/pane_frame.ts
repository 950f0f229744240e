// What stands around a pane: the line, its title on the line where there are several panes, and the
// button that says how many lines came while somebody read further up.

import { el } from './dom.js';
import { exitWords, paneWords } from './words.js';
import type { Exit } from './words.js';
import { PaneBox, Rect } from '../view/grid_geometry.js';
import { PaneView } from '../view/pane_view.js';

const TITLE_FONT_MAX_PX = 12;
const TITLE_FONT_MIN_PX = 9;

/** How a pane is marked. */
export interface Marks {
  readonly title: string;
  /** Its number, and how many there are. */
  readonly number: number;
  readonly of: number;
  /** Keys go here. */
  readonly focused: boolean;
  /** The host's active pane. */
  readonly active: boolean;
  readonly zoomed: boolean;
  /** How its program ended; undefined while it runs. `unknown`: it ended, and nothing said how. */
  readonly exit: Exit | 'unknown' | undefined;
}

export class PaneFrame {
  readonly element = el('section', { class: 'frame coming' });
  private readonly title = el('div', { class: 'pane-title', hidden: true });
  private lines = 0;
  private readonly more = el('button', { class: 'more', type: 'button', text: paneWords.newLines(0), hidden: true });

  constructor(readonly view: PaneView) {
    this.element.append(view.element, this.title, this.more);
    this.title.addEventListener('mousedown', (event) => {
      event.preventDefault(); // the focus goes to the terminal
      view.focus();
    });
    this.more.addEventListener('mousedown', (event) => event.preventDefault());
    this.more.addEventListener('click', () => {
      view.scrollToEnd();
      view.focus();
    });
  }

  /** False until it is first put in its place. */
  get isRevealed(): boolean {
    return !this.element.classList.contains('coming');
  }

  reveal(): void {
    this.element.classList.remove('coming');
  }

  setMarks(marks: Marks): void {
    const { title, exit, focused, active } = marks;
    const ended = exit === undefined ? '' : exit === 'unknown' ? paneWords.ended : exitWords(exit);
    this.element.classList.toggle('focused', focused && marks.of > 1);
    this.element.classList.toggle('ended', exit !== undefined);
    this.title.replaceChildren(el('bdi', { class: 'name', text: title || paneWords.unnamed(marks.number) }));
    if (marks.zoomed) this.title.append(el('span', { class: 'mark', text: paneWords.zoomed }));
    if (active && !focused) this.title.append(el('span', { class: 'mark', text: paneWords.hostHere }));
    if (ended) this.title.append(el('span', { class: 'end', text: ended }));
    const label = paneWords.label(marks.number, marks.of, title, ended);
    this.element.setAttribute('aria-label', label);
    this.title.title = label;
    this.view.setLabel(label);
  }

  /** Lines that came below what is in view. */
  setMore(lines: number): void {
    if (lines === this.lines) return;
    this.lines = lines;
    this.more.hidden = lines === 0;
    this.more.textContent = paneWords.newLines(lines);
  }

  /** Puts it in its place; cellHeight: of one line of text. */
  place({ frame, cells }: PaneBox, hasTitle: boolean, cellHeight: number): void {
    setRect(this.element, frame);
    setRect(this.view.element, cells);
    this.title.hidden = !hasTitle;
    this.element.classList.toggle('titled', hasTitle);
    const px = Math.max(TITLE_FONT_MIN_PX, Math.min(TITLE_FONT_MAX_PX, cellHeight - 3));
    this.title.style.fontSize = `${px}px`;
  }

  dispose(): void {
    this.view.dispose();
    this.element.remove();
  }
}

function setRect({ style }: HTMLElement, { left, top, width, height }: Rect): void {
  style.left = `${left}px`;
  style.top = `${top}px`;
  style.width = `${width}px`;
  style.height = `${height}px`;
}
