// Deep comparison of two xterm.js terminals: everything that can be seen, or can change what later
// bytes do. It reads xterm.js's own structures, because the public API and the serialize addon
// leave out half of it (scroll region, saved cursors, links, charsets, mouse encoding, …).
//
// Two comparisons must be cheap enough for tens of thousands of cuts: equal() walks both terminals
// once and stops at the first difference; diff() is only called to explain an inequality.
//
// Not compared, because nothing can observe it: the cursor of the buffer that is not active
// (xterm.js copies it at every switch), the number a hyperlink happens to have, the icon name, the
// contents of an unfinished escape sequence (what it does once finished is compared).

const CELL_WORDS = 3;
const IS_COMBINED = 1 << 21;
const HAS_EXTENDED = 0x10000000;
const WIDTH_SHIFT = 22;
const CODEPOINT_MASK = 0x1fffff;
const EMPTY_CELL = 'null w1 -/-';

const FG_FLAGS = [
  [0x4000000, 'inverse'], [0x8000000, 'bold'], [0x10000000, 'underline'], [0x20000000, 'blink'],
  [0x40000000, 'invisible'], [0x80000000, 'strike'],
];
const BG_FLAGS = [
  [0x4000000, 'italic'], [0x8000000, 'dim'], [0x10000000, 'extended'], [0x20000000, 'protected'],
  [0x40000000, 'overline'],
];

// --- cells ------------------------------------------------------------------------------------

/** What a cell or the pen has beyond fg and bg: underline style and colour, and the link. */
function extendedText(core, extended) {
  if (!extended) return '';
  const link = extended.urlId ? core._oscLinkService.getLinkData(extended.urlId) : undefined;
  const uri = link ? `${link.id ?? ''};${link.uri}` : extended.urlId ? 'dead link' : '';
  return `ul${(extended._ext >>> 26) & 7} ulcolor${(extended._ext & 0x3ffffff).toString(16)} ${uri}`;
}

function linesEqual(coreA, lineA, coreB, lineB) {
  if (!!lineA.isWrapped !== !!lineB.isWrapped || lineA.length !== lineB.length) return false;
  const a = lineA._data;
  const b = lineB._data;
  const words = lineA.length * CELL_WORDS;
  for (let i = 0; i < words; i += CELL_WORDS) {
    if (a[i] !== b[i] || a[i + 1] !== b[i + 1] || a[i + 2] !== b[i + 2]) return false;
    if (a[i] & IS_COMBINED) {
      if (lineA._combined[i / CELL_WORDS] !== lineB._combined[i / CELL_WORDS]) return false;
    }
    if (a[i + 2] & HAS_EXTENDED) {
      const x = i / CELL_WORDS;
      const extA = extendedText(coreA, lineA._extendedAttrs[x]);
      if (extA !== extendedText(coreB, lineB._extendedAttrs[x])) return false;
    }
  }
  return true;
}

function flagText(word, flags) {
  return flags.filter(([bit]) => word & bit).map(([, name]) => name);
}

function colorText(word) {
  const mode = (word >>> 24) & 3;
  return mode === 0 ? '-' : `${['', 'c', 'p', '#'][mode]}${(word & 0xffffff).toString(16)}`;
}

function attrText(fg, bg) {
  const flags = [...flagText(fg, FG_FLAGS), ...flagText(bg, BG_FLAGS)].join('+');
  return `${colorText(fg)}/${colorText(bg)}${flags ? ' ' + flags : ''}`;
}

function cellText(core, line, x) {
  const [content, fg, bg] = line._data.subarray(x * CELL_WORDS, x * CELL_WORDS + CELL_WORDS);
  const code = content & CODEPOINT_MASK;
  const text = content & IS_COMBINED ? line._combined[x] : code ? String.fromCodePoint(code) : null;
  const ext = bg & HAS_EXTENDED ? ' ' + extendedText(core, line._extendedAttrs[x]) : '';
  return `${JSON.stringify(text)} w${content >>> WIDTH_SHIFT & 3} ${attrText(fg, bg)}${ext}`;
}

/** One line as readable text, cell by cell; trailing empty cells are left out. */
export function lineText(viewer, line) {
  const cells = Array.from({ length: line.length }, (_, x) => cellText(viewer.core, line, x));
  while (cells.length && cells.at(-1) === EMPTY_CELL) cells.pop();
  return cells.join(' | ');
}

/** Whether a line of the normal buffer, counted from the oldest, continues the one above it. */
export function wrapped(viewer, index) {
  return !!viewer.core.buffers.normal.lines.get(index)?.isWrapped;
}

// --- everything but cells ---------------------------------------------------------------------

function savedCursor(buffer) {
  const saved = buffer.savedCurAttrData;
  return {
    x: buffer.savedX, y: Math.max(buffer.savedY - buffer.ybase, 0),
    pen: attrText(saved.fg, saved.bg), charset: buffer.savedCharset,
  };
}

/** The state outside the cells as one flat object of comparable values. */
function registers(viewer) {
  const { core, input } = viewer;
  const { normal, alt, active } = core.buffers;
  const pen = input._curAttrData;
  const set = core._charsetService;
  const out = {
    cols: core.cols, rows: core.rows,
    buffer: active === alt ? 'alternate' : 'normal',
    cursor: `${active.x},${active.y}`,
    pen: attrText(pen.fg, pen.bg), penExtended: extendedText(core, pen.extended),
    charset: set.charset, glevel: set.glevel,
    g0: set._charsets[0], g1: set._charsets[1], g2: set._charsets[2], g3: set._charsets[3],
    insert: core.coreService.modes.insertMode, hidden: core.coreService.isCursorHidden,
    mouse: core.coreMouseService._activeProtocol, mouseEncoding: core.coreMouseService._activeEncoding,
    newline: core.optionsService.rawOptions.convertEol,
    blinkOption: core.optionsService.rawOptions.cursorBlink,
    title: input._windowTitle, titles: JSON.stringify(input._windowTitleStack),
    palette: JSON.stringify([...viewer.palette].sort((a, b) => a[0] - b[0])),
    parser: input._parser.currentState, last: input._parser.precedingJoinState,
    utf8: viewer.characters.kept.join(','),
  };
  for (const [name, value] of Object.entries(core.coreService.decPrivateModes)) out[name] = value;
  for (const [name, buffer] of [['normal', normal], ['alt', alt]]) {
    const saved = savedCursor(buffer);
    out[`${name}.saved`] = `${saved.x},${saved.y} ${saved.pen}`;
    out[`${name}.savedCharset`] = saved.charset;
    if (name === 'alt' && active !== alt) continue;
    out[`${name}.region`] = `${buffer.scrollTop},${buffer.scrollBottom}`;
    out[`${name}.tabs`] = Object.keys(buffer.tabs).filter((x) => buffer.tabs[x]).join(',');
  }
  return out;
}

function firstRegisterDifference(a, b) {
  const ra = registers(a);
  const rb = registers(b);
  for (const name of Object.keys(ra)) if (ra[name] !== rb[name]) return [name, ra[name], rb[name]];
  return null;
}

// --- whole terminals --------------------------------------------------------------------------

/** The pairs of lines to compare: both screens, and the scrollback both (or with `history`, all). */
function* linePairs(a, b, history) {
  for (const name of ['normal', 'alt']) {
    const ba = a.core.buffers[name];
    const bb = b.core.buffers[name];
    if (name === 'alt' && a.core.buffers.active !== ba) continue;
    const above = history ? ba.ybase : Math.min(ba.ybase, bb.ybase);
    for (let y = -above; y < a.core.rows; y++) {
      yield [name, y, ba.lines.get(ba.ybase + y), bb.lines.get(bb.ybase + y)];
    }
  }
}

function scrollbackDiffers(a, b, history) {
  return history && a.core.buffers.normal.ybase !== b.core.buffers.normal.ybase;
}

/**
 * True when both terminals are in the same state. With `history` their scrollbacks must be of the
 * same length; without, only the lines both have are compared.
 */
export function equal(a, b, history) {
  if (firstRegisterDifference(a, b) || scrollbackDiffers(a, b, history)) return false;
  for (const [, , la, lb] of linePairs(a, b, history)) {
    if (!la !== !lb || (la && !linesEqual(a.core, la, b.core, lb))) return false;
  }
  return true;
}

function lineDifferences(a, b, name, y, la, lb) {
  if (!la || !lb) return [`${name} line ${y}: ${la ? 'missing in joiner' : 'missing in reference'}`];
  const out = [];
  if (!!la.isWrapped !== !!lb.isWrapped) {
    out.push(`${name} line ${y}: wrapped ${!!la.isWrapped} / ${!!lb.isWrapped}`);
  }
  for (let x = 0; x < Math.min(la.length, lb.length); x++) {
    const ca = cellText(a.core, la, x);
    const cb = cellText(b.core, lb, x);
    if (ca !== cb) out.push(`${name} line ${y} col ${x}: ${ca} / ${cb}`);
  }
  return out;
}

function show(value) {
  return value && typeof value === 'object' ? `table of ${Object.keys(value).length}` : String(value);
}

/** The first `limit` differences as readable lines, reference first, joiner second. */
export function diff(a, b, history, limit = 8) {
  const out = [];
  const ra = registers(a);
  const rb = registers(b);
  for (const name of Object.keys(ra)) {
    if (ra[name] !== rb[name]) out.push(`${name}: ${show(ra[name])} / ${show(rb[name])}`);
  }
  if (scrollbackDiffers(a, b, history)) {
    out.push(`scrollback lines: ${a.core.buffers.normal.ybase} / ${b.core.buffers.normal.ybase}`);
  }
  for (const [name, y, la, lb] of linePairs(a, b, history)) {
    if (out.length >= limit) break;
    if (!la && !lb) continue;
    out.push(...lineDifferences(a, b, name, y, la, lb));
  }
  return out.slice(0, limit);
}
