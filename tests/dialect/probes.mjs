// What is written to both terminals after they compared equal, to uncover state the comparison
// cannot see: it repeats, combines, wraps, restores cursors, tabs, shifts, scrolls and switches.

export const PROBES = [
  '\x1b[3bA', '\u0301B', 'C\x1b8D', '\r\tE\tF', '\x0eqG\x0fq', '\x1b[?1049hH\x1b8I\x1b[?1049lJ',
  '\x1b[4;1HK\n\n\nL', '\x1bMM\x1bMN', '\x1b[2J\x1b[1;1HO\x1b[K', '\x1b[!pP\x1b8Q',
].map((text) => Buffer.from(text));
