// Names and titles from outside as one line of plain text: without control characters, without what
// turns the direction of the text around it, and not longer than a name needs to be.

const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
// Format characters, but for the two that words and emoji are made with (U+200C, U+200D).
const UNSEEN = /(?![\u200c\u200d])[\p{Cf}\p{Cs}\p{Co}]/gu;
const UNITS_PER_CHARACTER = 8; // of UTF-16: as many as are looked at for each one kept

export const NAME_MAX_CHARS = 80;

/** The text, cleaned, at most `max` characters and an ellipsis. */
export function plainText(text: string, max = NAME_MAX_CHARS): string {
  const looked = text.slice(0, max * UNITS_PER_CHARACTER);
  const clean = looked.replace(BREAKS, ' ').replace(UNSEEN, '').trim();
  const characters = Array.from(clean);
  if (characters.length <= max && looked.length === text.length) return clean;
  return `${characters.slice(0, max).join('')}…`;
}
