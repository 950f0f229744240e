// Plots as SVG, made of text: no library, no script inside. Colours follow the reader's light or dark
// setting, also where the file is shown as an image.

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .small { font-size: 11px; fill: #57606a; }
  .title { font-weight: 600; font-size: 14px; }
  .ours { fill: #0969da; } .theirs { fill: #9a6700; }
  .ours-line { stroke: #0969da; } .theirs-line { stroke: #9a6700; }
  .ours-line, .theirs-line { fill: none; stroke-width: 2; }
  .axis { stroke: #d0d7de; } .mark { stroke: #cf222e; stroke-dasharray: 4 3; }
  .spread { stroke: #24292f; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; }
    .ours { fill: #4493f8; } .theirs { fill: #d29922; }
    .ours-line { stroke: #4493f8; } .theirs-line { stroke: #d29922; }
    .axis { stroke: #3d444d; } .mark { stroke: #f85149; } .spread { stroke: #e6edf3; }
  }`;

export function escapeText(text) {
  return String(text).replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);
}

function text(x, y, content, { anchor = 'start', kind = '' } = {}) {
  const look = kind ? ` class="${kind}"` : '';
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}"${look}>${escapeText(content)}</text>`;
}

function line(x1, y1, x2, y2, kind) {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="${kind}"/>`;
}

function round(v) {
  return Math.round(v * 10) / 10;
}

function document(width, height, title, parts) {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">`;
  return `${head}\n<title>${escapeText(title)}</title>\n<style>${STYLE}\n</style>\n${parts.join('\n')}\n</svg>\n`;
}

/** Bars of ratios: rows { label, value, low, high, note }, marks { at, label }. */
export function plotRatios(title, rows, marks) {
  const [left, width, rowHeight, top] = [250, 330, 26, 52];
  const most = Math.max(1.05, ...rows.map((row) => row.high), ...marks.map((mark) => mark.at * 1.05));
  const x = (v) => left + (v / most) * width;
  const bottom = top + rows.length * rowHeight;
  const parts = [text(12, 22, title, { kind: 'title' })];
  rows.forEach((row, i) => {
    const y = top + i * rowHeight;
    parts.push(
      text(left - 8, y + 17, row.label, { anchor: 'end' }),
      `<rect x="${left}" y="${y + 4}" width="${round(x(row.value) - left)}" height="16" class="ours"/>`,
      line(x(row.low), y + 12, x(row.high), y + 12, 'spread'),
      text(left + width + 12, y + 17, row.note, { kind: 'small' }),
    );
  });
  for (const mark of marks) {
    parts.push(
      line(x(mark.at), top - 4, x(mark.at), bottom, mark.kind ?? 'mark'),
      text(x(mark.at), top - 9, mark.label, { anchor: 'middle', kind: 'small' }),
    );
  }
  parts.push(line(left, top - 4, left, bottom, 'axis'));
  return document(800, bottom + 16, title, parts);
}

/** A step of 1, 2 or 5 times a power of ten that makes about five of `most`. */
function stepOf(most) {
  const power = 10 ** Math.floor(Math.log10(most / 5));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => most / step <= 6);
}

/** Lines over a common axis: series { label, kind, points: [[x, y]…] }. */
export function plotLines(title, { x: xName, y: yName }, series) {
  const [left, top, width, height] = [60, 50, 600, 240];
  const points = series.flatMap((one) => one.points);
  const [mostX, mostY] = [0, 1].map((i) => Math.max(...points.map((point) => point[i])));
  const at = ([x, y]) => [left + (x / mostX) * width, top + height - (y / mostY) * height];
  const parts = [text(12, 22, title, { kind: 'title' }), text(12, 40, yName, { kind: 'small' })];
  for (let v = 0; v <= mostY; v += stepOf(mostY)) {
    const [, y] = at([0, v]);
    parts.push(line(left, y, left + width, y, 'axis'), text(left - 6, y + 4, round(v), { anchor: 'end', kind: 'small' }));
  }
  for (let v = 0; v <= mostX; v += stepOf(mostX)) {
    parts.push(text(at([v, 0])[0], top + height + 16, v, { anchor: 'middle', kind: 'small' }));
  }
  parts.push(text(left + width, top + height + 32, xName, { anchor: 'end', kind: 'small' }));
  for (const one of series) {
    const path = one.points.map((point) => at(point).map(round).join(',')).join(' ');
    const [, y] = at(one.points.at(-1));
    parts.push(`<polyline points="${path}" class="${one.kind}-line"/>`, text(left + width + 8, y + 4, one.label));
  }
  return document(760, top + height + 44, title, parts);
}
