// Small helpers for building the page: elements by name, texts only ever as text.

export type Child = Node | string;

interface Attributes {
  class?: string;
  text?: string;
  title?: string;
  label?: string; // aria-label
  role?: string;
  live?: 'polite' | 'assertive';
  type?: string;
  hidden?: boolean;
  href?: string;
}

/** Makes an element. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (attributes.class) element.className = attributes.class;
  if (attributes.text !== undefined) element.textContent = attributes.text;
  if (attributes.title) element.title = attributes.title;
  if (attributes.hidden) element.hidden = true;
  const named: [string, string | undefined][] = [
    ['aria-label', attributes.label],
    ['role', attributes.role],
    ['aria-live', attributes.live],
    ['type', attributes.type],
    ['href', attributes.href],
  ];
  for (const [key, value] of named) if (value !== undefined) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** A button; label is what a screen reader says where the text is only a sign. */
export function button(text: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el('button', { type: 'button', ...attributes, text });
  element.addEventListener('click', action);
  return element;
}

/** Listens; gives the function that stops. */
export function listen<K extends keyof WindowEventMap>(
  target: Window,
  name: K,
  action: (event: WindowEventMap[K]) => void,
): () => void {
  target.addEventListener(name, action);
  return () => target.removeEventListener(name, action);
}

/** A labelled choice. */
export function select<T extends string>(
  label: string,
  choices: readonly (readonly [T, string])[],
  chosen: T,
  changed: (value: T) => void,
): HTMLLabelElement {
  const list = el('select');
  for (const [value, text] of choices) {
    const option = el('option', { text });
    option.value = value;
    option.selected = value === chosen;
    list.append(option);
  }
  list.addEventListener('change', () => changed(list.value as T));
  return el('label', { class: 'row' }, el('span', { text: label }), list);
}

/** A labelled check box. */
export function check(label: string, on: boolean, changed: (on: boolean) => void): HTMLLabelElement {
  const box = el('input', { type: 'checkbox' });
  box.checked = on;
  box.addEventListener('change', () => changed(box.checked));
  return el('label', { class: 'row' }, el('span', { text: label }), box);
}
