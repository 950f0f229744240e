// Keys that a touch screen lacks, as bytes, and the sticky modifiers that act on the next key.

export type BarKey = 'Escape' | 'Tab' | 'Up' | 'Down' | 'Right' | 'Left' | 'Home' | 'End' | 'PageUp' | 'PageDown';

export interface Modifiers {
  ctrl: boolean;
  alt: boolean;
}

const LETTERS: Partial<Record<BarKey, string>> = {
  Up: 'A',
  Down: 'B',
  Right: 'C',
  Left: 'D',
  Home: 'H',
  End: 'F',
};

/** What a key of the bar sends (xterm's sequences); applicationCursor: DECCKM is set. */
export function keyBytes(key: BarKey, { ctrl, alt }: Modifiers, applicationCursor: boolean): string {
  const modifier = 1 + (alt ? 2 : 0) + (ctrl ? 4 : 0);
  const letter = LETTERS[key];
  if (letter) {
    if (modifier > 1) return `\x1b[1;${modifier}${letter}`;
    return `\x1b${applicationCursor ? 'O' : '['}${letter}`;
  }
  if (key === 'PageUp' || key === 'PageDown') {
    const number = key === 'PageUp' ? 5 : 6;
    return modifier > 1 ? `\x1b[${number};${modifier}~` : `\x1b[${number}~`;
  }
  return (alt ? '\x1b' : '') + (key === 'Tab' ? '\t' : '\x1b');
}

/** What text becomes under sticky modifiers: Ctrl makes a control character of its first one. */
export function applySticky(text: string, { ctrl, alt }: Modifiers): string {
  let out = text;
  if (ctrl) out = controlOf(text.charAt(0)) + text.slice(1);
  return alt ? `\x1b${out}` : out;
}

function controlOf(char: string): string {
  const code = char.toUpperCase().charCodeAt(0);
  if (code >= 0x40 && code <= 0x5f) return String.fromCharCode(code & 0x1f);
  if (char === ' ' || char === '2') return '\0';
  if (char === '?') return '\x7f';
  return char;
}
