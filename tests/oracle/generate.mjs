// Seeded generators of legal but nasty terminal streams: what a fuzzer would find, reproducible.
// Each stream is made of pieces drawn from weighted groups; every group but text has few values,
// so that rare states meet (a wide character at the margin of a region in insert mode, …).

const ESC = '\x1b';
const SEED = Number(process.env.ORACLE_SEED ?? 0); // other streams of the same kinds

/** A small seeded random generator (mulberry32): next() in [0, 1), below(n), pick(list). */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(next() * n);
  return { next, below, pick: (list) => list[below(list.length)] };
}

const WORDS = ['a', 'ls -la', 'error:', 'The quick brown fox', '漢字', '日本語テキスト', 'e\u0301', '🙂', '한글',
  'naïve', '\u2500\u2502\u253c', '👨\u200d👩\u200d👧', '👍🏽', '1\ufe0f\u20e3', '\u0301', '   ', 'x'.repeat(30),
  '“quoted” — text', '\u00a0', '~'];
const INVALID = ['ff', 'c3', 'e282', 'f09f98', 'eda080', 'c0af', '80'].map((hex) => Buffer.from(hex, 'hex'));
const SGR = ['', '0', '1', '2', '3', '4', '4:3', '4:2', '5', '7', '8', '9', '21', '22', '23', '24', '25', '27', '28',
  '29', '30', '37', '39', '41', '46', '49', '53', '55', '58;5;9', '58:2::1:2:3', '59', '91', '102', '38;5;123',
  '48;5;7', '38;2;10;20;30', '48:2::200:100:50', '1;31', '0;7;4'];
const MODES = ['1', '5', '6', '7', '12', '25', '45', '47', '66', '1000', '1002', '1003', '1004', '1006', '1016', '1047',
  '1048', '1049', '2004', '2026', '9', '9999'];

const number = (r) => (r.below(4) ? String(r.below(12)) : '');

/** Name of a group → a function that makes one piece of it (a string or bytes). */
const GROUPS = {
  text: (r) => r.pick(WORDS) + (r.below(3) ? ' ' : ''),
  ascii: (r) => Array.from({ length: 1 + r.below(60) }, () => String.fromCharCode(33 + r.below(94))).join(''),
  newline: (r) => r.pick(['\r\n', '\r\n', '\n', '\r', '\x0b', `${ESC}E`, `${ESC}D`, `${ESC}M`]),
  control: (r) => r.pick(['\b', '\t', '\x07', '\0', '\x7f', '\x0e', '\x0f', '\x18']),
  sgr: (r) => `${ESC}[${r.pick(SGR)}${r.below(3) ? '' : ';' + r.pick(SGR)}m`,
  move: (r) => `${ESC}[${number(r)}${r.pick([...'ABCDEFGIZ`ade'])}`,
  place: (r) => `${ESC}[${number(r)};${r.below(3) ? number(r) : 200}${r.pick(['H', 'H', 'f'])}`,
  edit: (r) => `${ESC}[${number(r)}${r.pick([...'@LMPXST'])}`,
  erase: (r) => `${ESC}[${r.pick(['', '0', '1', '2'])}${r.pick(['J', 'K', 'K', 'K'])}`,
  repeat: (r) => `${ESC}[${number(r)}b`,
  region: (r) => (r.below(3) ? `${ESC}[${1 + r.below(5)};${2 + r.below(9)}r` : `${ESC}[r`),
  mode: (r) => `${ESC}[?${r.pick(MODES)}${r.pick(['h', 'l'])}`,
  ansiMode: (r) => `${ESC}[${r.pick(['4', '20'])}${r.pick(['h', 'l', 'l'])}`,
  cursor: (r) => r.pick([`${ESC}7`, `${ESC}8`, `${ESC}[s`, `${ESC}[u`, `${ESC}[${r.below(8)} q`]),
  charset: (r) => r.pick([`${ESC}(0`, `${ESC}(B`, `${ESC})0`, `${ESC})B`, `${ESC}(A`, `${ESC}*0`, `${ESC}n`, `${ESC}o`,
    `${ESC}%G`]),
  tab: (r) => r.pick([`${ESC}H`, `${ESC}[g`, `${ESC}[3g`, '\t', '\t']),
  title: (r) => r.pick([`${ESC}[22;0t`, `${ESC}[23;0t`, `${ESC}[22;2t`,
    `${ESC}]${r.pick(['0', '2'])};${r.pick(WORDS)}${r.pick(['\x07', `${ESC}\\`])}`]),
  link: (r) => `${ESC}]8;${r.pick(['', 'id=a'])};${r.pick(['http://a.example/', '', ''])}\x07`,
  color: (r) => `${ESC}]${r.pick(['4;1;#112233', '10;#aabbcc', '104', '104;1', '110', '12;rgb:1/2/3'])}\x07`,
  string: (r) => `${ESC}${r.pick(['P', '_', '^', 'X'])}${r.pick(['q#0~~', '1$tabc', 'xyz'])}${ESC}\\`,
  broken: (r) => r.pick([`${ESC}[3${ESC}[1m`, `${ESC}[3\r1m`, `${ESC}[:1m`, `${ESC}[1?2m`, `${ESC}[31\x18`, `${ESC}&z`]),
  invalid: (r) => r.pick(INVALID),
  reset: (r) => r.pick([`${ESC}[!p`, `${ESC}c`, `${ESC}#8`, `${ESC}[3J`]),
};

const WEIGHTS = {
  mixed: { text: 20, ascii: 4, newline: 10, control: 4, sgr: 10, move: 6, place: 5, edit: 5, erase: 5, repeat: 2,
    region: 2, mode: 6, ansiMode: 1, cursor: 4, charset: 2, tab: 2, title: 1, link: 2, color: 1, string: 1, broken: 1,
    invalid: 1, reset: 0.4 },
  wide: { text: 30, newline: 4, sgr: 3, place: 8, edit: 10, erase: 6, repeat: 3, ansiMode: 1, mode: 1, control: 2 },
  scroll: { text: 20, ascii: 8, newline: 30, sgr: 5, place: 2, edit: 6, region: 3, erase: 2, cursor: 2, move: 3 },
  screens: { text: 12, newline: 5, mode: 12, cursor: 8, place: 5, region: 3, sgr: 4, erase: 4, charset: 3, tab: 2,
    reset: 1 },
};

function drawer(r, weights) {
  const entries = Object.entries(weights);
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
  return () => {
    let at = r.next() * total;
    for (const [name, weight] of entries) if ((at -= weight) < 0) return GROUPS[name](r);
    return '';
  };
}

function bytesOf(r, weights, length) {
  const draw = drawer(r, weights);
  const pieces = [];
  for (let have = 0; have < length; have += pieces.at(-1).length) pieces.push(Buffer.from(draw()));
  return Buffer.concat(pieces);
}

/**
 * One generated stream: `kind` names its weights, `sizes` gives each segment's columns and rows,
 * `scrollback` how many lines terminals and daemon keep, if it is to be less than usual.
 */
export function generate(kind, seed, length, sizes, scrollback) {
  const r = random(seed + SEED);
  const segments = sizes.map(([cols, rows]) => ({
    cols, rows, bytes: bytesOf(r, WEIGHTS[kind], Math.floor(length / sizes.length)),
  }));
  return { name: `${kind}-${seed}`, segments, scrollback };
}

/** Strings longer than what a keyframe repeats of an unfinished one. */
function longStrings() {
  const long = 'Zm9v\t'.repeat(1500);
  const pieces = [`${ESC}P0;1q${long}${ESC}\\`, `${ESC}]52;c;${long}\x07`, `${ESC}_G${long}${ESC}\\`,
    `${ESC}^${long}${ESC}\\`, `${ESC}Pq${long}\x18`, `${ESC}]1337;${long}${ESC}[1m`];
  const text = pieces.map((piece, i) => `${ESC}[3${i}mbefore ${piece}after 漢\r\n`).join('');
  return { name: 'long-strings', segments: [{ cols: 20, rows: 4, bytes: Buffer.from(text) }] };
}

/** The streams of the suite: small ones to cut at every byte, large ones to cut at random. */
export function generated() {
  const small = Object.keys(WEIGHTS).flatMap((kind, i) => [
    generate(kind, 10 + i, 1500, [[20, 6]]),
    generate(kind, 20 + i, 1200, [[11, 4], [16, 6], [7, 3]]),
  ]);
  const large = Object.keys(WEIGHTS).flatMap((kind, i) => [
    generate(kind, 30 + i, 20000, [[80, 24]]),
    generate(kind, 40 + i, 20000, [[37, 11], [60, 15], [37, 8], [90, 11]]),
  ]);
  const full = ['mixed', 'scroll', 'screens'].flatMap((kind, i) => [
    generate(kind, 50 + i, 2000, [[20, 5]], 12), generate(kind, 60 + i, 10000, [[40, 10], [30, 8]], 25),
  ]);
  return [...small, ...large, ...full, longStrings()];
}
