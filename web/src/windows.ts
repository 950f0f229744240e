// What a share of windows adds to the page: the layout of panes, the windows as tabs, this page's own
// view among them, and commands to the host. It sits between the viewer (messages), the stage
// (terminals) and the parts of the page that show and ask.

import { Capability, CommandOp, Exit, Layout, Role } from 'gen/messages';
import { Direction, Outcome } from './connection/commands.js';
import { FOLLOW_HOST, Viewer } from './connection/viewer.js';
import { Stage } from './stage.js';
import { PaneMenu, PaneMenuState } from './ui/pane_menu.js';
import { PaneSwitcher } from './ui/pane_switcher.js';
import { Tabs } from './ui/tabs.js';
import { exitWords, outcomeWords, paneWords, switcherWords } from './ui/words.js';
import { Axis } from './view/borders.js';
import { readLayout, WindowLayout } from './view/window_layout.js';

/** The keyboard is one that comes up over the page. */
const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

const RESIZE_CELLS = 2; // of one press in the menu

export interface WindowsEvents {
  /** A sentence that goes away by itself. */
  note(text: string): void;
  /** What there is to see or do changed. */
  changed(): void;
}

export class Windows {
  readonly tabs = new Tabs({ choose: (id, byPointer) => this.chooseWindow(id, byPointer), follow: (on) => this.follow(on) });
  readonly switcher = new PaneSwitcher({ choose: (id) => this.choose(id), all: () => this.stage.setSolo(false) });
  readonly menu: PaneMenu;
  private layout: WindowLayout | undefined;
  private pinned: number | undefined; // the window this page stays with; undefined: the host's
  private isSettled = false; // which window is this page's own is known
  private exit: { readonly pane: number; readonly exit: Exit } | undefined;
  private saidStrange = false;
  private saidTooMany = 0;

  constructor(
    private readonly viewer: Viewer,
    private readonly stage: Stage,
    private readonly events: WindowsEvents,
  ) {
    this.menu = new PaneMenu(() => this.state(), {
      nextPane: () => this.stage.focusNext(1),
      solo: (on) => this.stage.setSolo(on),
      split: (toTheRight) => void this.bring(toTheRight ? CommandOp.SPLIT_H : CommandOp.SPLIT_V, this.pane),
      zoom: () => void this.command(CommandOp.ZOOM, this.pane),
      activatePane: () => void this.command(CommandOp.SELECT_PANE, this.pane),
      resize: (direction) => void this.resize(direction),
      kill: () => void this.bring(CommandOp.KILL_PANE, this.pane),
      newWindow: () => void this.newWindow(),
      activateWindow: () => void this.command(CommandOp.SELECT_WINDOW, this.viewed),
    });
  }

  /** How the only pane's program ended; undefined while it runs, or where there are other panes. */
  get onlyExit(): Exit | undefined {
    const { layout, exit } = this;
    if (!exit || (layout && (layout.panes.length > 1 || layout.windows.length > 1))) return undefined;
    return exit.exit;
  }

  /** The host shares nothing at the moment. */
  get isEmpty(): boolean {
    return this.layout?.panes.length === 0;
  }

  /** The menu has something to offer. */
  get hasMenu(): boolean {
    return this.mayCommand || (this.layout?.panes.length ?? 0) > 1;
  }

  get mayCommand(): boolean {
    const { role, capabilities, state } = this.viewer;
    return state.kind === 'live' && role === Role.OPERATOR && (capabilities & Capability.COMMANDS) !== 0;
  }

  // --- what comes from the daemon -----------------------------------------------------------

  /** WELCOME: the view is asked for again, the daemon may have forgotten it or not heard the last word. */
  welcomed(): void {
    if ((this.layout?.windows.length ?? 0) > 1) this.viewer.view(this.pinned ?? FOLLOW_HOST);
  }

  /** After a reload the daemon may remember a view of this page's own that the page does not. */
  private settle({ windows }: WindowLayout): void {
    if (this.isSettled) return;
    this.isSettled = true;
    const viewed = windows.find((window) => window.viewed);
    if (viewed && !viewed.active) this.pinned = viewed.id;
    else if (windows.length > 1) this.viewer.view(FOLLOW_HOST);
  }

  /** LAYOUT */
  setLayout(message: Layout): void {
    const layout = readLayout(message);
    const before = this.layout;
    this.layout = layout;
    if (this.pinned !== undefined && !layout.windows.some(({ id }) => id === this.pinned)) this.follow(true);
    this.settle(layout);
    if (this.exit && this.isOver(this.exit.pane, layout, before)) this.exit = undefined;
    this.stage.setLayout(layout);
    this.showTabs();
    this.complain(layout);
    this.events.changed();
  }

  /** EXIT */
  setExit(exit: Exit): void {
    this.exit = { pane: exit.pane, exit };
    this.stage.setExit(exit.pane, exit);
    this.events.changed();
  }

  /** The stage's panes or focus changed. */
  stageChanged(): void {
    const { list, isSolo, isArranged } = this.stage;
    const ended = ({ exit }: (typeof list)[number]): string =>
      exit === undefined ? '' : exit === 'unknown' ? paneWords.ended : exitWords(exit);
    const choices = list.map((pane, i) => ({
      id: pane.id,
      text: switcherWords.choice(i + 1, list.length, pane.title, ended(pane)),
    }));
    this.switcher.show(isSolo ? choices : [], this.pane, isArranged);
  }

  /** What was typed at a pane whose program ended goes nowhere; true: so it is. */
  isEnded(pane: number): boolean {
    return this.stage.list.some(({ id, exit }) => id === pane && exit !== undefined);
  }

  // --- what the person wants ----------------------------------------------------------------

  /** Moves the border after a pane; false: refused. */
  async moveBorder(pane: number, axis: Axis, cells: number): Promise<boolean> {
    const [back, forth] = axis === 'x' ? [Direction.LEFT, Direction.RIGHT] : [Direction.UP, Direction.DOWN];
    const direction = cells < 0 ? back : forth;
    return this.report(await this.viewer.commands.resize(pane, direction, Math.abs(cells)));
  }

  /** Another pane in view. On a touch screen the keyboard stays down until the pane is touched. */
  private choose(pane: number): void {
    if (isTouch()) this.stage.choose(pane);
    else this.stage.focus(pane);
  }

  private chooseWindow(window: number, byPointer: boolean): void {
    this.view(window);
    if (byPointer && !isTouch()) this.stage.focus();
  }

  private view(window: number): void {
    this.pinned = window;
    this.viewer.view(window);
    this.showTabs();
  }

  private follow(on: boolean): void {
    if (!on) return this.view(this.viewed);
    this.pinned = undefined;
    this.viewer.view(FOLLOW_HOST);
    this.showTabs();
  }

  /** A command after which the focus goes where the host's goes. */
  private async bring(op: number, target: number): Promise<void> {
    this.stage.followOnce(true);
    if (!(await this.command(op, target))) this.stage.followOnce(false);
  }

  private async newWindow(): Promise<void> {
    if ((await this.command(CommandOp.NEW_WINDOW, 0)) && this.pinned !== undefined) this.follow(true);
  }

  private async resize(direction: number): Promise<void> {
    this.report(await this.viewer.commands.resize(this.pane, direction, RESIZE_CELLS));
  }

  private async command(op: number, target: number): Promise<boolean> {
    return this.report(await this.viewer.commands.run(op, target));
  }

  private report(outcome: Outcome): boolean {
    const words = outcomeWords(outcome);
    if (words) this.events.note(words);
    return outcome.kind === 'done';
  }

  // --- small things -------------------------------------------------------------------------

  private get pane(): number {
    return this.stage.focused?.id ?? 0;
  }

  private get viewed(): number {
    return this.layout?.windows.find(({ viewed }) => viewed)?.id ?? 0;
  }

  private state(): PaneMenuState {
    const { list } = this.stage;
    const focused = list.find(({ id }) => id === this.pane);
    const window = this.layout?.windows.find(({ viewed }) => viewed);
    return {
      paneTitle: focused?.title ?? '',
      panes: list.length,
      solo: this.stage.isSolo,
      zoomed: focused?.zoomed ?? false,
      mayCommand: this.mayCommand,
      hasWindows: window !== undefined,
      isActivePane: focused?.active ?? true,
      isActiveWindow: window?.active ?? true,
    };
  }

  private showTabs(): void {
    const { layout } = this;
    if (layout) this.tabs.show(layout.windows, layout.windowsLeftOut, this.pinned === undefined);
  }

  /** A pane is not what it was when its program ended: it left, or runs another one. */
  private isOver(pane: number, now: WindowLayout, before: WindowLayout | undefined): boolean {
    const place = now.panes.find(({ id }) => id === pane);
    const was = before?.panes.find(({ id }) => id === pane);
    if (now.panes.length === 0) return false; // the last one ended, and the share with it
    return !place || (was?.dead === true && !place.dead);
  }

  private complain({ isArranged, panesLeftOut }: WindowLayout): void {
    if (!isArranged && !this.saidStrange) this.events.note(paneWords.strange);
    this.saidStrange = !isArranged;
    if (panesLeftOut > 0 && panesLeftOut !== this.saidTooMany) this.events.note(paneWords.tooMany(panesLeftOut));
    this.saidTooMany = panesLeftOut;
  }
}
