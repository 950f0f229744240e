// docs/benchmarks.md from bench/results: its prose stands in the document; what was measured stands
// between `<!-- begin NAME -->` and `<!-- end NAME -->` and is written anew. Plots go to docs/images.
// A part whose results are missing stays as it is.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { plotLines, plotRatios } from './plot.mjs';
import { compare, quantile, summarize } from './stats.mjs';

const OURS = 'vitrine';
const THEIRS = 'tmux';
const POINTS = 30; // of a plot

// --- numbers as text ----------------------------------------------------------------------------

function digits(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const UNITS = {
  ns: (v) => `${digits(v / 1e6)} ms`,
  bytes: (v) => (v >= 2 ** 20 ? `${digits(v / 2 ** 20)} MiB` : `${digits(v / 1024)} KiB`),
  ppm: (v) => `${(v / 1e4).toFixed(3)} %`,
  panes: (v) => String(v),
};

/** What a ratio says: nothing where the medians of the rounds overlap. */
function verdict(c) {
  return c.differs ? c.p50.toFixed(2) : `${c.p50.toFixed(2)}, indistinguishable`;
}

// --- results --------------------------------------------------------------------------------------

function load(dir, scenario) {
  const file = path.join(dir, `${scenario}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).series : [];
}

/** What a scenario's results depend on; undefined where the driver was run by hand. */
function loadMachine(dir, scenario) {
  const file = path.join(dir, `${scenario}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).machine : undefined;
}

function find(series, operation, peer) {
  return series.find((one) => one.operation === operation && one.peer === peer);
}

const operationsOf = (series) => [...new Set(series.map((one) => one.operation))];

// --- tables ---------------------------------------------------------------------------------------

function table(head, rows) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(row)].join('\n');
}

/** Latencies of both peers, one operation a row. */
function latencyTable(series) {
  const head = ['operation', 'vitrine p50', 'p95', 'tmux p50', 'p95', 'ratio p50', 'spread', 'ratio p95'];
  const rows = operationsOf(series).map((operation) => {
    const [ours, theirs] = [OURS, THEIRS].map((peer) => find(series, operation, peer));
    const [a, b] = [summarize(ours.values), summarize(theirs.values)];
    const c = compare(ours.values, theirs.values);
    const spread = `${c.low.toFixed(2)}–${c.high.toFixed(2)}`;
    return [operation, UNITS.ns(a.p50), UNITS.ns(a.p95), UNITS.ns(b.p50), UNITS.ns(b.p95), verdict(c), spread, c.p95.toFixed(2)];
  });
  return table(head, rows);
}

/** Medians of both peers, in their own unit. */
function valueTable(series, operations) {
  const rows = operations.map((operation) => {
    const [ours, theirs] = [OURS, THEIRS].map((peer) => find(series, operation, peer));
    const value = (one) => (one ? UNITS[one.unit](quantile(one.values, 0.5)) : '–');
    const both = ours && theirs && quantile(theirs.values, 0.5) > 0;
    return [operation, value(ours), value(theirs), both ? verdict(compare(ours.values, theirs.values)) : '–'];
  });
  return table(['', 'vitrine', 'tmux', 'ratio'], rows);
}

function machineTable(machine) {
  const rows = [
    ['processor', `${machine.processor}, ${machine.cores} cores`],
    ['memory', `${machine.memory_gib} GiB`],
    ['system', `${machine.distribution}, Linux ${machine.kernel}, ${machine.libc}`],
    ['compiler', machine.compiler],
    ['compared', `${machine.vitrine} (commit ${machine.commit}) and ${machine.tmux}`],
    ['date', machine.date],
    ['load when it began', `${machine.load}; both programs run under ${machine.scheduling}`],
  ];
  return table(['', ''], rows).replaceAll('--:', '---');
}

function programTable(series) {
  const programs = series.filter((one) => one.operation === 'program');
  return table(['program', 'bytes that are mapped to run it'], programs.map((one) => [one.peer, UNITS.bytes(one.values[0])]));
}

function floorTable(series) {
  const floors = series.filter((one) => one.operation === 'an empty program');
  const rows = floors.map((one) => {
    const s = summarize(one.values);
    return [`${one.peer === 'static' ? 'statically' : 'dynamically'} linked`, UNITS.ns(s.p50), UNITS.ns(s.p95)];
  });
  return table(['an empty program', 'p50', 'p95'], rows);
}

// --- plots ----------------------------------------------------------------------------------------

function latencyPlot(series) {
  const rows = operationsOf(series).map((operation) => {
    const [ours, theirs] = [OURS, THEIRS].map((peer) => find(series, operation, peer).values);
    const c = compare(ours, theirs);
    const note = `${UNITS.ns(quantile(ours, 0.5))} : ${UNITS.ns(quantile(theirs, 0.5))}`;
    return { label: operation, value: c.p50, low: c.low, high: c.high, note };
  });
  return plotRatios('Time of a command, tmux = 1: median, and the spread of five rounds', rows, [
    { at: 0.6, label: 'aim 0.6' },
    { at: 1, label: 'tmux', kind: 'spread' },
  ]);
}

/** Median time of new-window against the number of panes there already. */
function panesPlot(series) {
  const lines = [[OURS, 'ours'], [THEIRS, 'theirs']].map(([peer, kind]) => {
    const { values } = find(series, 'new-window, one by one', peer);
    const perRound = find(series, 'panes', peer).values[0] - 1;
    const step = Math.ceil(perRound / POINTS);
    const points = [];
    for (let at = 0; at + step <= perRound; at += step) {
      const part = values.filter((_, i) => i % perRound >= at && i % perRound < at + step);
      points.push([at + step, quantile(part, 0.5) / 1e6]);
    }
    return { label: peer, kind, points };
  });
  return plotLines('new-window with many panes', { x: 'panes', y: 'ms, median' }, lines);
}

// --- the document -----------------------------------------------------------------------------------

const isMeasured = (name) => name.startsWith('new-window, ') === false && name !== 'panes';

/** Name of a part → its text; only parts that have results. */
function partsOf(results) {
  const footprint = load(results, 'footprint');
  const latencies = ['commands', 'attach', 'servers'].flatMap((scenario) => load(results, scenario));
  const panes = load(results, 'panes');
  const parts = new Map();
  const machine = loadMachine(results, 'commands');
  if (machine) parts.set('machine', machineTable(machine));
  if (latencies.length > 0) parts.set('latency', latencyTable(latencies));
  if (footprint.length > 0) {
    const memory = operationsOf(footprint).filter((name) => name.startsWith('server'));
    parts.set('floor', floorTable(footprint));
    parts.set('programs', programTable(footprint));
    parts.set('memory', valueTable(footprint, memory));
  }
  if (panes.length > 0) {
    const count = panes.find((one) => one.operation === 'panes').values[0];
    const commit = loadMachine(results, 'panes')?.commit;
    parts.set('panes', `With ${count} panes${commit ? `, commit ${commit}` : ''}:\n\n${valueTable(panes, operationsOf(panes).filter(isMeasured))}`);
  }
  return parts;
}

/** Replaces the parts' texts in a document; a part that has no place in it is an error. */
export function fillDocument(text, parts) {
  for (const [name, content] of parts) {
    const place = new RegExp(`(<!-- begin ${name} -->\n)[^]*?(\n?<!-- end ${name} -->)`);
    if (!place.test(text)) throw new Error(`the document has no place for ${name}`);
    text = text.replace(place, (_, begin, end) => `${begin}\n${content}\n${end.startsWith('\n') ? end : `\n${end}`}`);
  }
  return text;
}

export function writeReport(results, docs) {
  const file = path.join(docs, 'benchmarks.md');
  writeFileSync(file, fillDocument(readFileSync(file, 'utf8'), partsOf(results)));
  const latencies = ['commands', 'attach', 'servers'].flatMap((scenario) => load(results, scenario));
  const panes = load(results, 'panes');
  if (latencies.length > 0) writeFileSync(path.join(docs, 'images/bench-commands.svg'), latencyPlot(latencies));
  if (panes.length > 0) writeFileSync(path.join(docs, 'images/bench-panes.svg'), panesPlot(panes));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeReport(process.argv[2], process.argv[3]);
