// Keys for touch screens, and for those that a browser keeps for itself (Ctrl-W, Ctrl-T): Ctrl and
// Alt stick until the next key, from the bar or from the keyboard.

import { BarKey, Modifiers } from '../view/keys.js';
import { button, el } from './dom.js';

const KEYS: readonly (readonly [string, BarKey, string])[] = [
  ['Esc', 'Escape', 'Escape'],
  ['Tab', 'Tab', 'Tab'],
  ['←', 'Left', 'Left arrow'],
  ['↓', 'Down', 'Down arrow'],
  ['↑', 'Up', 'Up arrow'],
  ['→', 'Right', 'Right arrow'],
  ['Home', 'Home', 'Home'],
  ['End', 'End', 'End'],
  ['PgUp', 'PageUp', 'Page up'],
  ['PgDn', 'PageDown', 'Page down'],
];

export class KeyBar {
  readonly element = el('nav', { class: 'keys', label: 'Keys', hidden: true });
  private readonly held: Modifiers = { ctrl: false, alt: false };
  private readonly buttons: Record<keyof Modifiers, HTMLButtonElement>;

  /** pressed: a key of the bar; the focus stays where it is. */
  constructor(pressed: (key: BarKey) => void) {
    this.buttons = { ctrl: this.modifier('ctrl', 'Ctrl'), alt: this.modifier('alt', 'Alt') };
    const [esc, tab, ...others] = KEYS.map(([text, key, label]) =>
      button(text, () => pressed(key), { label }),
    );
    this.element.append(esc!, tab!, this.buttons.ctrl, this.buttons.alt, ...others);
    // A press must not take the focus from the terminal: the soft keyboard would close.
    this.element.addEventListener('pointerdown', (event) => event.preventDefault());
    this.element.addEventListener('mousedown', (event) => event.preventDefault());
  }

  /** The modifiers held; they are let go. */
  takeModifiers(): Modifiers {
    const taken = { ...this.held };
    if (taken.ctrl) this.hold('ctrl', false);
    if (taken.alt) this.hold('alt', false);
    return taken;
  }

  private modifier(name: keyof Modifiers, text: string): HTMLButtonElement {
    const element = button(text, () => this.hold(name, !this.held[name]), { label: `${text}, sticky` });
    element.setAttribute('aria-pressed', 'false');
    return element;
  }

  private hold(name: keyof Modifiers, on: boolean): void {
    this.held[name] = on;
    this.buttons[name].setAttribute('aria-pressed', String(on));
  }
}
