// The dialog of panes and windows: what changes this page's view only, and, for operators with that
// right, what changes the window on the host, for everyone.

import { Direction } from '../connection/commands.js';
import { button, el } from './dom.js';
import { commandWords as words } from './words.js';

/** What there is to do now. */
export interface PaneMenuState {
  readonly paneTitle: string;
  readonly panes: number;
  readonly solo: boolean;
  readonly zoomed: boolean;
  /** May change things for everyone. */
  readonly mayCommand: boolean;
  /** There are windows to speak of. */
  readonly hasWindows: boolean;
  readonly isActivePane: boolean;
  readonly isActiveWindow: boolean;
}

export interface PaneMenuActions {
  nextPane(): void;
  solo(on: boolean): void;
  split(toTheRight: boolean): void;
  zoom(): void;
  activatePane(): void;
  resize(direction: number): void;
  kill(): void;
  newWindow(): void;
  activateWindow(): void;
}

const ARROWS = ['←', '→', '↑', '↓'];
const DIRECTIONS = [Direction.LEFT, Direction.RIGHT, Direction.UP, Direction.DOWN];

export class PaneMenu {
  readonly element = el('dialog', { class: 'menu popup', label: words.title });

  constructor(
    private readonly state: () => PaneMenuState,
    private readonly actions: PaneMenuActions,
  ) {
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  open(): void {
    this.element.replaceChildren(this.content());
    this.element.showModal();
  }

  private content(): HTMLElement {
    const state = this.state();
    const close = button('✕', () => this.element.close(), { label: words.close, class: 'close' });
    const body = el('div', { class: 'menu-body' },
      el('div', { class: 'menu-head' }, el('h2', { text: words.title }), close),
    );
    if (state.panes > 1) body.append(this.mine(state));
    if (state.mayCommand) body.append(this.everyone(state));
    return body;
  }

  private mine({ solo }: PaneMenuState): HTMLElement {
    return el('div', {},
      el('h3', { text: words.mine }),
      el('div', { class: 'items' },
        this.item(words.nextPane, this.actions.nextPane, 'Ctrl-F6'),
        this.item(solo ? words.soloOff : words.soloOn, () => this.actions.solo(!solo)),
      ),
    );
  }

  private everyone(state: PaneMenuState): HTMLElement {
    const { actions } = this;
    const items = el('div', { class: 'items' },
      this.item(words.splitRight, () => actions.split(true)),
      this.item(words.splitBelow, () => actions.split(false)),
    );
    if (state.panes > 1 || state.zoomed) items.append(this.item(state.zoomed ? words.unzoom : words.zoom, actions.zoom));
    if (!state.isActivePane) items.append(this.item(words.activate, actions.activatePane));
    if (state.hasWindows) {
      items.append(this.item(words.newWindow, actions.newWindow));
      if (!state.isActiveWindow) items.append(this.item(words.activateWindow, actions.activateWindow));
    }
    const all = el('div', {}, el('h3', { text: words.everyone }), el('p', { class: 'hint', text: words.everyoneHint }), items);
    if (state.panes > 1) all.append(this.resizing());
    all.append(el('div', { class: 'items' }, this.closing(state.paneTitle)));
    return all;
  }

  /** Closing a pane ends a program: asked twice. */
  private closing(title: string): HTMLElement {
    const place = el('div');
    const ask = (): void => {
      const no = button(words.killNo, () => this.element.close());
      const yes = this.item(words.killYes, this.actions.kill);
      yes.className = 'danger';
      place.replaceChildren(el('p', { class: 'sure', text: words.killSure(title) }), el('div', { class: 'choice' }, yes, no));
      no.focus();
    };
    place.append(button(words.kill, ask, { class: 'item' }));
    return place;
  }

  private resizing(): HTMLElement {
    const keys = ARROWS.map((text, i) =>
      button(text, () => this.actions.resize(DIRECTIONS[i]!), { label: words.resizeKeys[i]! }),
    );
    return el('div', { class: 'row', role: 'group', label: words.resize },
      el('span', { text: words.resize }),
      el('div', { class: 'stepper' }, ...keys),
    );
  }

  private item(text: string, run: () => void, hint = ''): HTMLButtonElement {
    const done = (): void => {
      this.element.close();
      run();
    };
    const made = button('', done, { class: 'item' });
    made.append(el('span', { text }));
    if (hint) made.append(el('kbd', { text: hint }));
    return made;
  }
}
