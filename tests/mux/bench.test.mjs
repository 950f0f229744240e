// The bench driver runs every scenario with a few samples, which verifies their effects in both programs;
// and what its report makes of numbers is what it says it is.

import test from 'node:test';
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fillDocument, writeReport } from '../../bench/report.mjs';
import { compare, quantile, roundsOf, summarize } from '../../bench/stats.mjs';
import { noReference } from './compare.mjs';

const BIN = path.resolve(process.env.BIN ?? 'build/release/bin');
const BENCH = path.resolve(process.env.TOOLS ?? 'build/release/tools', '../bench');
const SCENARIOS = ['footprint', 'commands', 'attach', 'servers', 'panes'];
const SAMPLES = 2;
const PANES = 12;
const DEADLINE_MS = 300_000;

/** Runs the driver on programs in `bin`: { code, said }. */
async function drive(bin, out, samples, panes, ...scenarios) {
  const argv = [bin, BENCH, out, samples, panes, ...scenarios].map(String);
  const child = spawn(path.join(BENCH, 'driver'), argv, { env: { PATH: process.env.PATH }, timeout: DEADLINE_MS });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => { said += data; });
  const [code] = await once(child, 'close');
  return { code, said };
}

async function withResults(t) {
  const dir = mkdtempSync(path.join(tmpdir(), 'vb-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const { code, said } = await drive(BIN, dir, SAMPLES, PANES, ...SCENARIOS);
  assert.equal(code, 0, said);
  return dir;
}

test('every scenario has its effects in both programs', { skip: noReference }, async (t) => {
  const dir = await withResults(t);
  for (const scenario of SCENARIOS) {
    const { series } = JSON.parse(readFileSync(path.join(dir, `${scenario}.json`), 'utf8'));
    assert.ok(series.length > 0, scenario);
    for (const { operation, peer, unit, values } of series) {
      assert.ok(values.length > 0, `${operation} of ${peer}`);
      if (unit === 'ns') assert.ok(values.every((value) => value > 0), `${operation} of ${peer}: ${values}`);
    }
  }
  const { series } = JSON.parse(readFileSync(path.join(dir, 'commands.json'), 'utf8'));
  const of = (name) => series.filter(({ peer }) => peer === name).map(({ operation }) => operation);
  assert.deepEqual(of('vitrine'), of('tmux'));
  assert.ok(series.every(({ values }) => values.length === SAMPLES));

  mkdirSync(path.join(dir, 'docs/images'), { recursive: true });
  writeFileSync(path.join(dir, 'docs/benchmarks.md'), readFileSync(new URL('../../docs/benchmarks.md', import.meta.url)));
  writeReport(dir, path.join(dir, 'docs'));
  const report = readFileSync(path.join(dir, 'docs/benchmarks.md'), 'utf8');
  for (const { operation } of series) assert.ok(report.includes(`| ${operation} |`), operation);
});

test('a missing effect fails the run', { skip: noReference }, async (t) => {
  const dir = mkdtempSync(path.join(tmpdir(), 'vb-'));
  t.after(() => rmSync(dir, { recursive: true }));
  // A client that does nothing and says all went well.
  writeFileSync(path.join(dir, 'vitrine'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const { code, said } = await drive(dir, dir, SAMPLES, PANES, 'servers');
  assert.equal(code, 1);
  assert.match(said, /^bench: vitrine/m);
});

test('quantiles and rounds', () => {
  assert.equal(quantile([5], 0.95), 5);
  assert.equal(quantile([4, 1, 3, 2], 0.5), 2.5);
  assert.equal(quantile([1, 2, 3, 4, 5], 0.95), 4.8);
  assert.deepEqual(roundsOf([1, 2, 3, 4, 5, 6, 7]), [[1], [2], [3, 4], [5], [6, 7]]);
  assert.deepEqual(roundsOf([1, 2]), [[1], [2]]);
  const { p50, low, high } = summarize([1, 2, 3, 4, 10]);
  assert.deepEqual([p50, low, high], [3, 1, 10]);
});

test('a difference inside the spread is none', () => {
  const near = compare([10, 11, 10, 12, 11], [11, 10, 12, 11, 10]);
  assert.equal(near.differs, false);
  const far = compare([10, 11, 10, 12, 11], [20, 22, 20, 24, 22]);
  assert.equal(far.differs, true);
  assert.deepEqual([far.p50, far.low, far.high], [0.5, 0.5, 0.5]);
});

test('a report without a place for a part is an error', () => {
  const text = 'a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n';
  assert.equal(fillDocument(text, new Map([['x', 'new $& text']])), 'a\n<!-- begin x -->\n\nnew $& text\n\n<!-- end x -->\nb\n');
  assert.throws(() => fillDocument(text, new Map([['y', '']])), /no place for y/);
});
