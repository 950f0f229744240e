// The borders between panes as things to drag, or to move by the arrow keys (the pattern of a window
// splitter: role separator, with a value). Only those who may resize get them.

import { el } from './dom.js';
import { paneWords } from './words.js';
import { systemClock } from '../protocol/timing.js';
import { BorderMove } from '../view/border_move.js';
import { Axis, Border } from '../view/borders.js';
import { Size } from '../view/fit.js';
import { lineAt } from '../view/grid_geometry.js';

const THICK_PX = 9; // of what can be grabbed by a pointer
const THICK_TOUCH_PX = 23;
const KEYS: Record<string, readonly [Axis, number]> = {
  ArrowLeft: ['x', -1],
  ArrowRight: ['x', 1],
  ArrowUp: ['y', -1],
  ArrowDown: ['y', 1],
};
const FAR = 5; // cells with Shift

/** Asks the daemon to move a border; false: refused. */
export type MoveBorder = (pane: number, axis: Axis, cells: number) => Promise<boolean>;

class Handle {
  readonly element: HTMLElement;
  private readonly move: BorderMove;
  private cell: Size = { width: 1, height: 1 };
  private held: { readonly pointer: number; readonly at: number } | undefined; // while dragged

  constructor(
    private border: Border,
    moveBorder: MoveBorder,
  ) {
    const { axis, pane } = border;
    this.move = new BorderMove(border.at, (cells) => moveBorder(pane, axis, cells), systemClock);
    this.element = el('div', { class: `handle ${axis}`, role: 'separator', label: paneWords.border });
    this.element.tabIndex = 0;
    this.element.title = paneWords.borderHint;
    this.element.setAttribute('aria-orientation', axis === 'x' ? 'vertical' : 'horizontal');
    this.listen();
  }

  place(border: Border, cell: Size): void {
    const thick = matchMedia('(pointer: coarse)').matches ? THICK_TOUCH_PX : THICK_PX;
    this.border = border;
    this.cell = cell;
    this.move.stands(border.at);
    const { axis, at, from, to } = border;
    const middle = lineAt(axis, at, cell) - thick / 2;
    const other = axis === 'x' ? 'y' : 'x';
    const start = lineAt(other, from - 0.5, cell);
    const length = lineAt(other, to - 0.5, cell) - start;
    const { style } = this.element;
    style.left = `${axis === 'x' ? middle : start}px`;
    style.top = `${axis === 'x' ? start : middle}px`;
    style.width = `${axis === 'x' ? thick : length}px`;
    style.height = `${axis === 'x' ? length : thick}px`;
    this.element.setAttribute('aria-valuenow', String(at));
  }

  private listen(): void {
    const { element } = this;
    element.addEventListener('pointerdown', (event) => this.grab(event));
    element.addEventListener('pointermove', (event) => this.drag(event));
    for (const name of ['pointerup', 'pointercancel'] as const) element.addEventListener(name, () => this.drop());
    element.addEventListener('keydown', (event) => this.key(event));
  }

  private grab(event: PointerEvent): void {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.element.classList.add('held');
    const { axis, at } = this.border;
    this.held = { pointer: axis === 'x' ? event.clientX : event.clientY, at };
  }

  private drag(event: PointerEvent): void {
    if (!this.held) return;
    const isX = this.border.axis === 'x';
    const px = (isX ? event.clientX : event.clientY) - this.held.pointer;
    const cells = Math.round(px / (isX ? this.cell.width : this.cell.height));
    this.move.want(Math.max(1, this.held.at + cells));
  }

  private drop(): void {
    this.held = undefined;
    this.element.classList.remove('held');
  }

  private key(event: KeyboardEvent): void {
    const [axis, step] = KEYS[event.key] ?? [];
    if (!step || axis !== this.border.axis || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.move.want(Math.max(1, this.border.at + step * (event.shiftKey ? FAR : 1)));
  }
}

export class BorderHandles {
  private readonly handles = new Map<string, Handle>();

  constructor(
    private readonly grid: HTMLElement,
    private readonly moveBorder: MoveBorder,
  ) {}

  /** Shows handles on these borders, and no others. */
  place(borders: readonly Border[], cell: Size): void {
    const named = new Map(borders.map((border) => [`${border.axis} ${border.pane}`, border]));
    for (const [name, { element }] of this.handles) {
      if (named.has(name)) continue;
      element.remove();
      this.handles.delete(name);
    }
    for (const [name, border] of named) this.handleOf(name, border).place(border, cell);
  }

  private handleOf(name: string, border: Border): Handle {
    const known = this.handles.get(name);
    if (known) return known;
    const handle = new Handle(border, this.moveBorder);
    this.handles.set(name, handle);
    this.grid.append(handle.element);
    return handle;
  }
}
