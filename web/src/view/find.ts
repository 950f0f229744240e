// Finds text in a terminal's buffer, line by line of the screen, wrapped lines joined.

/** The part of xterm's buffer that is read. */
export interface Lines {
  readonly length: number;
  getLine(y: number): { readonly isWrapped: boolean; translateToString(trimRight?: boolean): string } | undefined;
}

/** A hit: its first row, column, and length in characters. */
export interface Hit {
  readonly row: number;
  readonly col: number;
  readonly length: number;
}

export const HITS_MAX = 1000;

/** All hits from top to bottom, at most HITS_MAX, without regard to case. */
export function findAll(lines: Lines, cols: number, wanted: string): Hit[] {
  const hits: Hit[] = [];
  const needle = wanted.toLowerCase();
  if (needle === '') return hits;
  for (let row = 0; row < lines.length && hits.length < HITS_MAX; ) {
    const { text, rows } = joined(lines, row);
    const haystack = text.toLowerCase();
    for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + needle.length)) {
      hits.push({ row: row + Math.floor(at / cols), col: at % cols, length: needle.length });
    }
    row += rows;
  }
  return hits.slice(0, HITS_MAX);
}

/** A line and the lines it goes on in. */
function joined(lines: Lines, row: number): { text: string; rows: number } {
  let text = '';
  let rows = 0;
  do {
    const goesOn = lines.getLine(row + rows + 1)?.isWrapped === true;
    text += lines.getLine(row + rows)?.translateToString(!goesOn) ?? '';
    rows++;
  } while (lines.getLine(row + rows)?.isWrapped);
  return { text, rows };
}
