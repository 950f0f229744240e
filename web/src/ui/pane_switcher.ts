// Where panes are shown one at a time: which one it is, and the way to the others.

import { button, el } from './dom.js';
import { switcherWords } from './words.js';

export interface SwitcherActions {
  choose(pane: number): void;
  all(): void;
}

export interface SwitcherChoice {
  readonly id: number;
  readonly text: string;
}

export class PaneSwitcher {
  readonly element: HTMLElement;
  private readonly list = el('select', { label: switcherWords.choose });
  private readonly all: HTMLButtonElement;
  private ids: number[] = [];
  private shown = '';

  constructor(private readonly actions: SwitcherActions) {
    this.list.addEventListener('change', () => actions.choose(Number(this.list.value)));
    this.all = button(switcherWords.all, actions.all, { class: 'all', title: switcherWords.allHint });
    this.element = el('nav', { class: 'switcher', label: switcherWords.label, hidden: true },
      button('‹', () => this.step(-1), { label: switcherWords.previous }),
      this.list,
      button('›', () => this.step(1), { label: switcherWords.next }),
      this.all,
    );
  }

  /** Shows the choices; fewer than two hide it. hasAll: the way to all panes at once is open. */
  show(choices: readonly SwitcherChoice[], chosen: number | undefined, hasAll: boolean): void {
    this.element.hidden = choices.length < 2;
    this.all.hidden = !hasAll;
    const now = JSON.stringify(choices);
    if (now !== this.shown) this.fill(choices);
    this.shown = now;
    this.list.value = String(chosen ?? '');
  }

  private fill(choices: readonly SwitcherChoice[]): void {
    this.ids = choices.map(({ id }) => id);
    this.list.replaceChildren(
      ...choices.map(({ id, text }) => {
        const option = el('option', { text });
        option.value = String(id);
        return option;
      }),
    );
  }

  private step(by: number): void {
    const at = this.ids.indexOf(Number(this.list.value));
    const next = this.ids[(at + by + this.ids.length) % this.ids.length];
    if (next !== undefined) this.actions.choose(next);
  }
}
