// The stage: the viewed window's panes in their real layout, all in one font size, chosen so that the
// whole grid is in view where that is possible.

import { Keyframe, Layout, MessageType, Output, PaneFlag } from 'gen/messages';
import { StreamItem } from './connection/viewer.js';
import { el } from './ui/dom.js';
import { chooseFit, Fit, FitMode } from './view/fit.js';
import { PaneEvents, PaneView } from './view/pane_view.js';
import { Look } from './view/themes.js';

const GRID_PADDING_PX = 4; // as in style.css
const EDGE_PX = GRID_PADDING_PX + 1; // padding and border

export interface StageEvents {
  typed(pane: number, data: Uint8Array): void;
  /** Title of the pane that has the focus. */
  title(title: string): void;
  hovered(url: string | undefined): void;
  key(event: KeyboardEvent): boolean;
  fitted(fit: Fit): void;
}

interface Place {
  x: number;
  y: number;
  cols: number;
  rows: number;
  title: string; // the daemon's name for the pane; the program's own title goes before it
}

export class Stage {
  readonly element = el('main', { class: 'stage', label: 'Terminal' });
  private readonly grid = el('div', { class: 'grid' });
  private readonly panes = new Map<number, PaneView>();
  private readonly titles = new Map<number, string>();
  private places = new Map<number, Place>();
  private gridSize = { cols: 80, rows: 24 };
  private focusedId: number | undefined;
  private frame = 0;
  private readonly observer = new ResizeObserver(() => this.refit());

  constructor(
    private look: Look,
    private fontPx: number,
    private mode: FitMode,
    private readonly events: StageEvents,
  ) {
    this.element.append(this.grid);
    this.observer.observe(this.element);
  }

  /** True when some pane has a screen to show. */
  get hasScreen(): boolean {
    return this.panes.size > 0;
  }

  get focused(): PaneView | undefined {
    return this.focusedId === undefined ? undefined : this.panes.get(this.focusedId);
  }

  /** LAYOUT: which panes there are, and where. */
  setLayout(layout: Layout): void {
    this.gridSize = { cols: layout.cols, rows: layout.rows };
    this.places = new Map(layout.panes.map((pane) => [pane.id, pane]));
    for (const [id, pane] of this.panes) if (!this.places.has(id)) this.remove(id, pane);
    const active = layout.panes.find(({ flags }) => flags & PaneFlag.ACTIVE) ?? layout.panes[0];
    if (this.focusedId === undefined || !this.places.has(this.focusedId)) this.focusedId = active?.id;
    this.sayTitle();
    this.refit();
  }

  /** KEYFRAME, OUTPUT or HISTORY. */
  stream({ type, fields, done }: StreamItem): void {
    if (type === MessageType.KEYFRAME) {
      const frame = fields as unknown as Keyframe;
      const pane = this.panes.get(frame.pane) ?? this.add(frame.pane);
      return pane.keyframe(frame, () => {
        done();
        this.refit();
      });
    }
    const output = fields as unknown as Output;
    const pane = type === MessageType.OUTPUT ? this.panes.get(output.pane) : undefined;
    if (pane) pane.output(output.data, done);
    else done(); // a pane that left with the layout
  }

  /** Resolves when every terminal has parsed what it was given. */
  async drained(): Promise<void> {
    await Promise.all(Array.from(this.panes.values(), (pane) => pane.drained()));
  }

  setLook(look: Look): void {
    this.look = look;
    for (const pane of this.panes.values()) pane.setLook(look);
    this.refit();
  }

  setFit(fontPx: number, mode: FitMode): void {
    this.fontPx = fontPx;
    this.mode = mode;
    this.refit();
  }

  setReader(on: boolean): void {
    for (const { terminal } of this.panes.values()) terminal.options.screenReaderMode = on;
  }

  focus(): void {
    this.focused?.focus();
  }

  /** Chooses the font size anew, once per frame at most. */
  refit(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.fitNow());
  }

  private add(id: number): PaneView {
    const pane = new PaneView(id, this.look, this.paneEvents(id));
    this.panes.set(id, pane);
    this.grid.append(pane.element);
    pane.open();
    this.focusedId ??= id;
    if (id === this.focusedId) pane.focus();
    return pane;
  }

  private remove(id: number, pane: PaneView): void {
    this.panes.delete(id);
    this.titles.delete(id);
    pane.dispose();
  }

  private paneEvents(id: number): PaneEvents {
    return {
      typed: (data) => this.events.typed(id, data),
      title: (title) => {
        this.titles.set(id, title);
        this.sayTitle();
      },
      focused: () => {
        this.focusedId = id;
        this.sayTitle();
      },
      hovered: (url) => this.events.hovered(url),
      key: (event) => this.events.key(event),
    };
  }

  private sayTitle(): void {
    const id = this.focusedId ?? -1;
    this.events.title(this.titles.get(id) || this.places.get(id)?.title || '');
  }

  private fitNow(): void {
    const any = this.panes.values().next().value;
    const { clientWidth, clientHeight } = this.element;
    const room = { width: clientWidth - 2 * EDGE_PX, height: clientHeight - 2 * EDGE_PX };
    if (!any || room.width <= 0 || room.height <= 0) return;
    const fit = chooseFit({
      mode: this.mode,
      room,
      ...this.size(any),
      chosenPx: this.fontPx,
      cell: (px) => any.cellAt(px),
    });
    for (const pane of this.panes.values()) pane.setFontSize(fit.fontPx);
    this.placePanes(any, fit);
    this.events.fitted(fit);
  }

  /** Cells of the whole grid; a lone pane is as large as its terminal really is. */
  private size(any: PaneView): { cols: number; rows: number } {
    if (this.panes.size > 1) return this.gridSize;
    return { cols: any.terminal.cols, rows: any.terminal.rows };
  }

  private placePanes(any: PaneView, fit: Fit): void {
    const cell = any.cellAt(fit.fontPx);
    const { cols, rows } = this.size(any);
    const many = this.panes.size > 1;
    this.element.classList.toggle('overflows', fit.overflows);
    this.grid.style.width = `${cols * cell.width}px`;
    this.grid.style.height = `${rows * cell.height}px`;
    for (const [id, pane] of this.panes) {
      const place = many ? this.places.get(id) : undefined;
      pane.element.style.left = `${GRID_PADDING_PX + (place?.x ?? 0) * cell.width}px`;
      pane.element.style.top = `${GRID_PADDING_PX + (place?.y ?? 0) * cell.height}px`;
    }
  }
}
