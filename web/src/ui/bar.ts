// The slim bar: state in words, title, whether one may type, who else watches, and the menus' buttons.
// Where there is little room it says the same in fewer letters.

import type { Person } from '../connection/people.js';
import { button, el } from './dom.js';
import { icon } from './icons.js';
import { commandWords, roleWords, viewerWords, Words } from './words.js';

export interface BarActions {
  retry(): void;
  menu(): void;
  paneMenu(): void;
}

export class Bar {
  readonly element: HTMLElement;
  private readonly state = el('span', { class: 'words' });
  private readonly retry: HTMLButtonElement;
  private readonly title = el('h1', { class: 'title' });
  private readonly role = el('span', { class: 'badge role', hidden: true });
  private readonly viewers = el('span', { class: 'badge viewers', hidden: true });
  private readonly paneMenu: HTMLButtonElement;
  private readonly scale = el('span', { class: 'badge scale', hidden: true });

  constructor(actions: BarActions) {
    this.retry = button('Try now', actions.retry, { class: 'retry', hidden: true });
    const status = el('div', { class: 'state', role: 'status', live: 'polite' }, el('i', { class: 'dot' }), this.state);
    const menu = button('☰', actions.menu, { class: 'menu-button', label: 'Menu', title: 'Menu (Ctrl-Shift-Space)' });
    menu.setAttribute('aria-haspopup', 'dialog');
    this.paneMenu = button('', actions.paneMenu, { class: 'pane-menu-button', label: commandWords.title, title: commandWords.title, hidden: true });
    this.paneMenu.setAttribute('aria-haspopup', 'dialog');
    this.paneMenu.append(icon('panes'));
    const right = el('div', { class: 'right' }, this.scale, this.role, this.viewers, this.paneMenu, menu);
    this.element = el('header', { class: 'bar' }, el('div', { class: 'left' }, status, this.retry), this.title, right);
  }

  setState(words: Words, retryable: boolean): void {
    this.element.dataset['tone'] = words.tone;
    this.state.textContent = words.short;
    this.retry.hidden = !retryable || !words.retry;
    this.retry.textContent = words.retry ?? 'Try now';
  }

  setTitle(title: string): void {
    this.title.textContent = title;
    this.title.title = title;
  }

  /** undefined: not known yet. */
  setMayType(mayType: boolean | undefined): void {
    this.role.hidden = mayType === undefined;
    const name = mayType ? 'operator' : 'spectator';
    const { text, compact, title } = roleWords[name];
    this.role.replaceChildren(el('span', { class: 'wide', text }), el('span', { class: 'compact', text: compact }));
    this.role.dataset['role'] = name;
    this.role.title = title;
  }

  /** 0: nothing to count. */
  setViewers(count: number, people: readonly Person[] = []): void {
    this.viewers.hidden = count === 0;
    const { text, title } = viewerWords(count, people);
    const compact = el('span', { class: 'compact' }, icon('eye'), el('span', { text: String(count) }));
    this.viewers.replaceChildren(el('span', { class: 'wide', text }), compact);
    this.viewers.title = title;
  }

  /** compact: for a narrow bar; may be empty. */
  setScale(text: string, compact: string, long: string): void {
    this.scale.hidden = text === '';
    this.scale.classList.toggle('wide', compact === '');
    this.scale.replaceChildren(el('span', { class: 'wide', text }), el('span', { class: 'compact', text: compact }));
    this.scale.title = long;
  }

  /** The dialog of panes and windows has something to offer. */
  setPaneMenu(on: boolean): void {
    this.paneMenu.hidden = !on;
  }
}
