// The menu: a dialog at the side with everything that is not worth a place in the bar.

import { FONT_MAX_PX, FONT_MIN_PX } from '../view/fit.js';
import { button, check, el, select } from './dom.js';
import { Prefs } from './prefs.js';
import { peopleTitle } from './words.js';

export interface MenuActions {
  /** A preference changed in place. */
  changed(): void;
  copy(): void;
  find(): void;
  save(): void;
  fullScreen(): void;
  keys(on: boolean): void;
  trust(): Promise<HTMLElement>;
  /** Who else is there, a line each. */
  people(): string[];
}

export class Menu {
  readonly element = el('dialog', { class: 'menu', label: 'Menu' });

  constructor(
    private readonly prefs: Prefs,
    private readonly actions: MenuActions,
    private readonly keysShown: () => boolean,
  ) {
    // A click beside the dialog closes it.
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  open(): void {
    this.element.replaceChildren(this.content());
    this.element.showModal();
  }

  private content(): HTMLElement {
    const close = button('✕', () => this.element.close(), { label: 'Close menu', class: 'close' });
    return el('div', { class: 'menu-body' },
      el('div', { class: 'menu-head' }, el('h2', { text: 'Menu' }), close),
      this.commands(),
      this.people(),
      el('h3', { text: 'View' }),
      this.fontRow(),
      this.fitRow(),
      this.themeRow(),
      check('On-screen keys', this.keysShown(), (on) => this.actions.keys(on)),
      check('Screen reader support', this.prefs.reader, (on) => this.change({ reader: on })),
      el('h3', { text: 'Trust' }),
      this.trustPlace(),
      this.about(),
    );
  }

  private commands(): HTMLElement {
    const item = (text: string, hint: string, run: () => void): HTMLButtonElement => {
      const done = (): void => {
        this.element.close();
        run();
      };
      const made = button('', done, { class: 'item' });
      made.append(el('span', { text }), el('kbd', { text: hint }));
      return made;
    };
    return el('div', { class: 'items' },
      item('Copy selection', 'Ctrl-Shift-C', this.actions.copy),
      item('Find', 'Ctrl-Shift-F', this.actions.find),
      item('Save everything as text', '', this.actions.save),
      item('Full screen', 'F11', this.actions.fullScreen),
    );
  }

  private people(): HTMLElement {
    const lines = this.actions.people();
    if (lines.length === 0) return el('div');
    return el('div', {}, el('h3', { text: peopleTitle }), el('ul', { class: 'people' }, ...lines.map((text) => el('li', { text }))));
  }

  private fontRow(): HTMLElement {
    const value = el('output', { text: `${this.prefs.fontPx} px` });
    const step = (by: number) => (): void => {
      const fontPx = Math.max(FONT_MIN_PX, Math.min(FONT_MAX_PX, this.prefs.fontPx + by));
      value.textContent = `${fontPx} px`;
      this.change({ fontPx });
    };
    return el('div', { class: 'row' },
      el('span', { text: 'Font size' }),
      el('div', { class: 'stepper' },
        button('−', step(-1), { label: 'Smaller font' }),
        value,
        button('+', step(1), { label: 'Larger font' }),
      ),
    );
  }

  private fitRow(): HTMLElement {
    const choices = [
      ['fit', 'Shrink to fit'],
      ['fill', 'Fill the window'],
      ['natural', 'Font size as set'],
    ] as const;
    return select('Size', choices, this.prefs.fit, (fit) => this.change({ fit }));
  }

  private themeRow(): HTMLElement {
    const choices = [
      ['owner', 'As the owner sees it'],
      ['system', 'Like this system'],
      ['light', 'Light'],
      ['dark', 'Dark'],
      ['contrast', 'High contrast'],
    ] as const;
    return select('Colours', choices, this.prefs.theme, (theme) => this.change({ theme }));
  }

  private trustPlace(): HTMLElement {
    const place = el('div');
    void this.actions.trust().then((content) => place.append(content));
    return place;
  }

  private about(): HTMLElement {
    const link = el('a', { text: 'Licences of what this page contains', href: 'licenses.txt' });
    link.target = '_blank';
    link.rel = 'noopener';
    return el('p', { class: 'about' }, link);
  }

  private change(some: Partial<Prefs>): void {
    Object.assign(this.prefs, some);
    this.actions.changed();
  }
}
