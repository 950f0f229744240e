// What stands in front of the terminal while there is none to see: problems, waiting, the PIN, the
// end. And the banner below a last screen that stays in view.

import { button, el } from './dom.js';

export class Card {
  readonly element = el('section', { class: 'card-place', hidden: true });

  /** A title, sentences, and what can be done. */
  show(title: string, lines: readonly string[], ...actions: HTMLElement[]): void {
    const card = el('div', { class: 'card', role: 'status' }, el('h2', { text: title }));
    for (const line of lines) card.append(el('p', { text: line }));
    if (actions.length > 0) card.append(el('div', { class: 'actions' }, ...actions));
    this.element.replaceChildren(card);
    this.element.hidden = false;
  }

  /** Asks for the PIN. */
  askPin(note: string, submit: (pin: string) => void): void {
    const input = el('input', { type: 'password', label: 'PIN' });
    input.autocomplete = 'off';
    input.maxLength = 64;
    const go = el('button', { text: 'Open', type: 'submit', class: 'primary' });
    const form = el('form', { class: 'pin' }, input, go);
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (input.value === '') return;
      go.disabled = true;
      submit(input.value);
    });
    this.show('This link has a PIN', ['The owner told it to you, or will.'], form);
    if (note) form.after(el('p', { class: 'hint', text: note, live: 'polite' }));
    input.focus();
  }

  hide(): void {
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

export class Banner {
  readonly element = el('div', { class: 'banner', hidden: true, role: 'status', live: 'polite' });

  show(text: string, action?: { label: string; run: () => void }): void {
    this.element.replaceChildren(el('span', { text }));
    if (action) this.element.append(button(action.label, action.run));
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
  }
}

/** A short note that goes away by itself. */
export class Toast {
  readonly element = el('div', { class: 'toast', role: 'status', live: 'polite', hidden: true });
  private timer: ReturnType<typeof setTimeout> | undefined;

  show(text: string, ms = 4000): void {
    this.element.textContent = text;
    this.element.hidden = false;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.element.hidden = true), ms);
  }
}
