// The stage: the viewed window's panes in their real layout, all in one font size, chosen so that the
// whole grid is in view where that is possible. In a narrow place one pane is shown at a time.
//
//   LAYOUT ──► wanted ──the same panes, or each has its keyframe, or a moment passed──► shown
//
// So a window that is split, left or looked at changes the picture once: panes that are new wait out
// of sight until they have something to show, and those that left stay until then.

import { Keyframe, MessageType, Output } from 'gen/messages';
import { StreamItem } from './connection/viewer.js';
import { plainText } from './protocol/plain_text.js';
import { BorderHandles, MoveBorder } from './ui/border_handles.js';
import { el } from './ui/dom.js';
import { PaneFrame } from './ui/pane_frame.js';
import { Exit, paneWords } from './ui/words.js';
import { bordersOf } from './view/borders.js';
import { chooseFit, Fit, FitMode, Size } from './view/fit.js';
import { edgesOf, gridSize, loneBox, paneBox } from './view/grid_geometry.js';
import { PaneEvents, PaneView } from './view/pane_view.js';
import { Look } from './view/themes.js';
import { PanePlace, WindowLayout } from './view/window_layout.js';

const NARROW_PX = 600; // up to here panes are shown one at a time
const WAIT_MS = 400; // for the keyframes of a new layout
const COLS_MAX = 2000; // as in the daemon
const ROWS_MAX = 1000;
const CELLS_MAX = COLS_MAX * ROWS_MAX; // of all terminals together: what a browser can be asked to keep

export interface StageEvents {
  typed(pane: number, data: Uint8Array): void;
  /** Title of the pane that has the focus. */
  title(title: string): void;
  hovered(url: string | undefined): void;
  key(event: KeyboardEvent): boolean;
  fitted(fit: Fit): void;
  /** Panes, their marks, the focus, or how they are shown changed. */
  changed(): void;
  moveBorder: MoveBorder;
  /** A pane is larger than can be shown. */
  oversize(): void;
}

/** A pane, for whoever lists them. */
export interface PaneInfo {
  readonly id: number;
  readonly title: string;
  readonly active: boolean;
  readonly zoomed: boolean;
  readonly exit: Exit | 'unknown' | undefined;
}

export class Stage {
  readonly element = el('main', { class: 'stage', label: 'Terminal' });
  private readonly grid = el('div', { class: 'grid' });
  private readonly handles: BorderHandles;
  private readonly panes = new Map<number, PaneFrame>();
  private leaving: PaneFrame[] = []; // not listed any more, still in the picture
  private readonly titles = new Map<number, string>(); // the programs' own
  private readonly exits = new Map<number, Exit>();
  private wanted: WindowLayout | undefined;
  private shown: WindowLayout | undefined;
  private late: ReturnType<typeof setTimeout> | undefined;
  private isLate = false;
  private focusedId: number | undefined;
  private hostActive: number | undefined;
  private followsActive = true; // this page's focus goes along with the host's active pane
  private followsOnce = false;
  private soloChoice: boolean | undefined;
  private wasNarrow = false;
  private reader = false;
  private mayType = false;
  private mayResize = false;
  private frame = 0;
  private readonly observer = new ResizeObserver(() => this.refit());

  constructor(
    private look: Look,
    private fontPx: number,
    private mode: FitMode,
    private readonly events: StageEvents,
  ) {
    this.element.append(this.grid);
    this.handles = new BorderHandles(this.grid, (...how) => events.moveBorder(...how));
    this.observer.observe(this.element);
  }

  /** True when some pane has a screen to show. */
  get hasScreen(): boolean {
    return [...this.panes.values()].some(({ view }) => view.hasPicture);
  }

  get focused(): PaneView | undefined {
    return this.focusedFrame?.view;
  }

  /** The panes there are, in the host's order. */
  get list(): PaneInfo[] {
    return (this.wanted?.panes ?? []).map((place) => ({
      id: place.id,
      title: this.titleOf(place),
      active: place.active,
      zoomed: place.zoomed,
      exit: this.exits.get(place.id) ?? (place.dead ? 'unknown' : undefined),
    }));
  }

  /** Panes are shown one at a time. */
  get isSolo(): boolean {
    const { shown } = this;
    if (!shown || shown.panes.length < 2) return false;
    return !shown.isArranged || (this.soloChoice ?? this.isNarrow);
  }

  /** All panes could be shown at once. */
  get isArranged(): boolean {
    return this.shown?.isArranged ?? false;
  }

  // --- what comes from the daemon -----------------------------------------------------------

  /** LAYOUT: which panes there are, and where. Without any the last picture stays. */
  setLayout(layout: WindowLayout): void {
    if (layout.panes.length === 0) return;
    const listed = new Set(layout.panes.map(({ id }) => id));
    const dead = new Set(this.wanted?.panes.filter((pane) => pane.dead).map(({ id }) => id));
    for (const [id, pane] of this.panes) if (!listed.has(id)) this.leave(id, pane);
    layout.panes.forEach((place, i) => {
      if (dead.has(place.id) && !place.dead) this.exits.delete(place.id); // a new program runs there
      if (!this.panes.has(place.id)) this.add(place, layout.panes.slice(i + 1));
    });
    this.wanted = layout;
    this.chooseFocus(layout);
    this.keepKeys();
    this.late ??= setTimeout(() => {
      this.isLate = true;
      this.refit();
    }, WAIT_MS);
    this.refit();
  }

  /** EXIT: how a pane's program ended. */
  setExit(pane: number, exit: Exit): void {
    if (!this.panes.has(pane)) return;
    this.exits.set(pane, exit);
    this.mark();
  }

  /** KEYFRAME, OUTPUT or HISTORY. */
  stream({ type, fields, done }: StreamItem): void {
    const { pane: id } = fields as unknown as Output;
    const view = this.panes.get(id)?.view;
    if (!view || type === MessageType.HISTORY) return done(); // a pane that is not in the layout
    if (type === MessageType.OUTPUT) return view.output((fields as unknown as Output).data, done);
    view.keyframe(this.boundFrame(fields as unknown as Keyframe, view), () => {
      done();
      this.refit();
    });
  }

  /** Resolves when every terminal has parsed what it was given. */
  async drained(): Promise<void> {
    await Promise.all(Array.from(this.panes.values(), ({ view }) => view.drained()));
  }

  // --- what the person wants ----------------------------------------------------------------

  setLook(look: Look): void {
    this.look = look;
    for (const { view } of this.panes.values()) view.setLook(look);
    this.refit();
  }

  setFit(fontPx: number, mode: FitMode): void {
    this.fontPx = fontPx;
    this.mode = mode;
    this.refit();
  }

  setReader(on: boolean): void {
    this.reader = on;
    for (const { view } of this.panes.values()) view.terminal.options.screenReaderMode = on;
  }

  /** Who types stays with a pane; who only watches goes along with the host until choosing one. */
  setRights(mayType: boolean, mayResize: boolean): void {
    this.mayType = mayType;
    if (mayType) this.followsActive = false;
    if (mayResize === this.mayResize) return;
    this.mayResize = mayResize;
    this.refit();
  }

  /** The next change of the host's active pane takes the focus along: this page caused it. */
  followOnce(on: boolean): void {
    this.followsOnce = on;
  }

  /** One pane at a time, or all at once; undefined: by the room there is. */
  setSolo(choice: boolean | undefined): void {
    this.soloChoice = choice;
    this.refit();
  }

  /** This pane is the one that things are done to; keys may still go elsewhere. */
  choose(id: number): void {
    if (id !== this.focusedId) this.chosen(id);
  }

  /** Keys go to this pane now; without one, to the one that has the focus already. */
  focus(id = this.focusedId): void {
    if (id !== undefined) this.choose(id);
    if (this.isSolo) this.fitNow(); // a pane out of sight takes no focus
    this.focused?.focus();
  }

  /** The next pane, in the host's order. */
  focusNext(by: number): void {
    const ids = this.wanted?.panes.map(({ id }) => id) ?? [];
    const at = ids.indexOf(this.focusedId ?? -1);
    if (ids.length > 1) this.focus(ids[(at + by + ids.length) % ids.length]);
  }

  /** Chooses the font size anew, once per frame at most. */
  refit(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.fitNow());
  }

  // --- panes ------------------------------------------------------------------------------------

  private get focusedFrame(): PaneFrame | undefined {
    return this.focusedId === undefined ? undefined : this.panes.get(this.focusedId);
  }

  /** Keys go to one of the terminals. */
  private get isTyping(): boolean {
    return document.activeElement?.closest('.pane') !== null && this.grid.contains(document.activeElement);
  }

  private get isNarrow(): boolean {
    return this.element.clientWidth <= NARROW_PX;
  }

  /** Adds a pane before the first of `later` that is there, so that they are read in the host's order. */
  private add(place: PanePlace, later: readonly PanePlace[]): void {
    const { id } = place;
    const next = later.find((one) => this.panes.has(one.id));
    const size = this.isAffordable(place, undefined) ? place : { cols: 80, rows: 24 };
    const view = new PaneView(id, this.look, size, this.paneEvents(id));
    const pane = new PaneFrame(view);
    this.panes.set(id, pane);
    this.grid.insertBefore(pane.element, (next && this.panes.get(next.id)?.element) ?? null);
    pane.element.addEventListener('dblclick', () => this.enlarge(id));
    view.open();
    if (this.reader) view.terminal.options.screenReaderMode = true;
  }

  private leave(id: number, pane: PaneFrame): void {
    this.panes.delete(id);
    this.titles.delete(id);
    this.exits.delete(id);
    if (!pane.isRevealed) return pane.dispose();
    this.leaving.push(pane);
  }

  private chooseFocus({ panes }: WindowLayout): void {
    const active = (panes.find((pane) => pane.active) ?? panes[0])?.id;
    const moved = active !== this.hostActive;
    const isHere = this.focusedId !== undefined && this.panes.has(this.focusedId);
    this.hostActive = active;
    if (!isHere || (moved && (this.followsActive || this.followsOnce))) this.setFocused(active);
    if (moved) this.followsOnce = false;
  }

  private setFocused(id: number | undefined): void {
    const { isTyping } = this;
    this.focusedId = id;
    this.mark();
    if (this.isSolo) return this.refit(); // it is out of sight yet
    this.scrollToFocused();
    if (isTyping) this.focused?.focus();
  }

  private paneEvents(id: number): PaneEvents {
    return {
      typed: (data) => this.events.typed(id, data),
      title: (title) => {
        this.titles.set(id, plainText(title));
        this.mark();
      },
      focused: () => this.chosen(id),
      behind: (lines) => this.panes.get(id)?.setMore(lines),
      hovered: (url) => this.events.hovered(url),
      key: (event) => this.events.key(event),
    };
  }

  /** Somebody went to a pane by hand. */
  private chosen(id: number): void {
    if (id === this.focusedId) return;
    if (!this.mayType) this.followsActive = id === this.hostActive;
    this.setFocused(id);
  }

  /** Two taps on a pane in a narrow place: only that one. */
  private enlarge(id: number): void {
    if (!this.isNarrow || this.isSolo || (this.shown?.panes.length ?? 0) < 2) return;
    this.setFocused(id);
    this.setSolo(undefined);
  }

  private titleOf(place: PanePlace): string {
    return this.titles.get(place.id) || place.title;
  }

  /** Brings titles and marks up to date. */
  private mark(): void {
    const { list } = this;
    list.forEach((info, i) => {
      const focused = info.id === this.focusedId;
      this.panes.get(info.id)?.setMarks({ ...info, number: i + 1, of: list.length, focused });
    });
    const { title = '', zoomed = false } = list.find(({ id }) => id === this.focusedId) ?? {};
    this.events.title(zoomed ? paneWords.zoomedTitle(title) : title);
    this.events.changed();
  }

  // --- bounds -----------------------------------------------------------------------------------

  private boundFrame(frame: Keyframe, view: PaneView): Keyframe {
    if (this.isAffordable(frame, view)) return frame;
    this.events.oversize();
    return { ...frame, cols: Math.min(frame.cols, 80), rows: Math.min(frame.rows, 24) };
  }

  private isAffordable({ cols, rows }: { cols: number; rows: number }, view: PaneView | undefined): boolean {
    let cells = cols * rows;
    for (const pane of this.panes.values()) {
      const { terminal } = pane.view;
      if (pane.view !== view) cells += terminal.cols * terminal.rows;
    }
    return cols > 0 && rows > 0 && cols <= COLS_MAX && rows <= ROWS_MAX && cells <= CELLS_MAX;
  }

  // --- the picture ------------------------------------------------------------------------------

  private fitNow(): void {
    if (this.isDue()) this.exchange();
    const { shown } = this;
    const measured = this.measured();
    if (!shown || !measured) return;
    this.leaveSoloOnWidth();
    const titled = shown.panes.length > 1 && !this.isSolo;
    const edges = edgesOf(titled);
    const { clientWidth, clientHeight } = this.element;
    const room = { width: clientWidth - edges.left - edges.right, height: clientHeight - edges.top - edges.bottom };
    if (room.width <= 0 || room.height <= 0) return;
    this.hideOthers();
    const fit = chooseFit({
      mode: this.mode,
      room,
      ...this.cells(measured),
      chosenPx: this.fontPx,
      cell: (px) => measured.cellAt(px),
    });
    for (const { view } of this.panes.values()) view.setFontSize(fit.fontPx);
    this.placePanes(shown, measured.cellAt(fit.fontPx), titled);
    const overflowed = this.element.classList.contains('overflows');
    this.element.classList.toggle('overflows', fit.overflows);
    if (fit.overflows && !overflowed) this.scrollToFocused();
    this.events.fitted(fit);
  }

  /** The wanted layout can be shown. */
  private isDue(): boolean {
    const { wanted } = this;
    if (!wanted || wanted === this.shown) return false;
    if (this.isLate || this.isSameSet(wanted)) return true;
    return wanted.panes.every((place) => this.isThere(place, wanted.panes.length));
  }

  /** Borders moved, no more: they go along at once, the terminals follow with their keyframes. */
  private isSameSet({ panes }: WindowLayout): boolean {
    const { shown } = this;
    return shown?.panes.length === panes.length && panes.every(({ id }) => this.panes.get(id)?.isRevealed);
  }

  private isThere(place: PanePlace, of: number): boolean {
    const view = this.panes.get(place.id)?.view;
    if (!view?.hasPicture) return false;
    return of === 1 || (view.terminal.cols === place.cols && view.terminal.rows === place.rows);
  }

  private exchange(): void {
    clearTimeout(this.late);
    this.late = undefined;
    this.isLate = false;
    this.shown = this.wanted;
    for (const pane of this.leaving.splice(0)) pane.dispose();
    for (const pane of this.panes.values()) pane.reveal();
    this.mark();
    this.hideOthers();
    this.keepKeys();
  }

  /** Keys that went to another pane, or nowhere, go to the one that has the focus. */
  private keepKeys(): void {
    const active = document.activeElement;
    const isLost = !active || active === document.body || this.leaving.some(({ element }) => element.contains(active));
    if (isLost || this.isTyping) this.focused?.focus();
  }

  /** Where not all panes are in view at once, the focused one is. */
  private scrollToFocused(): void {
    if (!this.element.classList.contains('overflows')) return;
    this.focusedFrame?.element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** Crossing the width where one pane at a time begins forgets what was chosen on the other side. */
  private leaveSoloOnWidth(): void {
    if (this.isNarrow === this.wasNarrow) return;
    this.wasNarrow = this.isNarrow;
    this.soloChoice = undefined;
    this.events.changed();
  }

  private hideOthers(): void {
    const { isSolo: solo, isTyping } = this;
    for (const [id, { element }] of this.panes) element.hidden = solo && id !== this.focusedId;
    if (solo && isTyping) this.focused?.focus();
  }

  /** The pane whose cells are measured: the widest in view, as it is rounded least. */
  private measured(): PaneView | undefined {
    if (this.isSolo) return this.focused;
    let widest: PaneView | undefined;
    for (const { id } of this.shown?.panes ?? []) {
      const view = this.panes.get(id)?.view;
      if (view && (!widest || view.terminal.cols > widest.terminal.cols)) widest = view;
    }
    return widest;
  }

  /** Cells in view; a lone pane is as large as its terminal really is. */
  private cells({ terminal }: PaneView): { cols: number; rows: number } {
    const { shown } = this;
    if (!shown || shown.panes.length < 2 || this.isSolo) return { cols: terminal.cols, rows: terminal.rows };
    return { cols: shown.cols, rows: shown.rows };
  }

  private placePanes(shown: WindowLayout, cell: Size, titled: boolean): void {
    let size: Size = { width: 0, height: 0 };
    for (const place of shown.panes) {
      const pane = this.panes.get(place.id);
      if (!pane) continue;
      const { cols, rows } = pane.view.terminal;
      const box = titled ? paneBox(place, shown, cell) : loneBox(cols, rows, cell);
      pane.place(box, titled, cell.height);
      const crops = titled && (cols > place.cols || rows > place.rows);
      pane.view.element.classList.toggle('cropped', crops);
      if (place.id === this.focusedId) size = box.frame;
    }
    if (titled) size = gridSize(shown.cols, shown.rows, cell, edgesOf(true));
    this.grid.style.width = `${size.width}px`;
    this.grid.style.height = `${size.height}px`;
    this.handles.place(titled && this.mayResize ? bordersOf(shown.panes) : [], cell);
  }
}
