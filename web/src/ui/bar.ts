// The slim bar: state in words, title, whether one may type, who else watches, and the menu's button.

import { button, el } from './dom.js';
import { Words } from './words.js';

export interface BarActions {
  retry(): void;
  menu(): void;
}

export class Bar {
  readonly element: HTMLElement;
  private readonly state = el('span', { class: 'words' });
  private readonly retry: HTMLButtonElement;
  private readonly title = el('h1', { class: 'title' });
  private readonly tabs = el('nav', { class: 'tabs', label: 'Windows', hidden: true });
  private readonly role = el('span', { class: 'badge role', hidden: true });
  private readonly viewers = el('span', { class: 'badge viewers', hidden: true });
  private readonly scale = el('span', { class: 'badge scale', hidden: true });

  constructor(actions: BarActions) {
    this.retry = button('Try now', actions.retry, { class: 'retry', hidden: true });
    const status = el('div', { class: 'state', role: 'status', live: 'polite' }, el('i', { class: 'dot' }), this.state);
    const menu = button('☰', actions.menu, { class: 'menu-button', label: 'Menu', title: 'Menu (Ctrl-Shift-Space)' });
    menu.setAttribute('aria-haspopup', 'dialog');
    const right = el('div', { class: 'right' }, this.scale, this.role, this.viewers, menu);
    this.element = el('header', { class: 'bar' }, el('div', { class: 'left' }, status, this.retry), this.title, this.tabs, right);
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
    this.role.textContent = mayType ? 'You may type' : 'Read-only';
    this.role.dataset['role'] = mayType ? 'operator' : 'spectator';
    this.role.title = mayType
      ? 'What you type goes to the program, as if the owner typed it.'
      : 'This link lets you watch. Typing needs another link from the owner.';
  }

  setViewers(count: number): void {
    this.viewers.hidden = count === 0;
    this.viewers.textContent = count === 1 ? '1 viewer' : `${count} viewers`;
    this.viewers.title = count === 1 ? 'You are the only one watching' : 'People watching, you included';
  }

  setScale(text: string, long: string): void {
    this.scale.hidden = text === '';
    this.scale.textContent = text;
    this.scale.title = long;
  }

  /** Windows as tabs; one window needs none. */
  setWindows(windows: readonly { id: number; name: string; viewed: boolean }[], choose: (id: number) => void): void {
    this.tabs.hidden = windows.length < 2;
    this.tabs.replaceChildren(
      ...windows.map(({ id, name, viewed }) => {
        const tab = button(name || `window ${id}`, () => choose(id), { class: 'tab' });
        if (viewed) tab.setAttribute('aria-current', 'true');
        return tab;
      }),
    );
  }
}
