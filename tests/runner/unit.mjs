// run-unit PROGRAM...: runs cmocka programs one after another and sums up. Prints a line for each,
// the output of those that failed, and `N passed, N failed` last. VITRINE_UNIT_TIMEOUT_S is the
// deadline for one program.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { addTally, countLine, emptyTally, fail, judge, parseCmocka, visible } from './parse.mjs';
import { runProgram } from './process.mjs';

const TIMEOUT_S = Number(process.env.VITRINE_UNIT_TIMEOUT_S ?? 120);

function printProgram(name, tally, end, text) {
  const bad = tally.failures.length > 0;
  const seconds = end.seconds.toFixed(1).padStart(6);
  console.log(`${bad ? 'FAIL' : 'ok  '} ${name.padEnd(28)} ${seconds} s  ${countLine(tally)}`);
  if (!bad) return;
  const lines = text.trimEnd().split('\n').filter((text) => !/^\[( RUN  |     )/.test(text));
  console.log(lines.map((text) => `     | ${visible(text)}`).join('\n'));
  for (const { name: test, detail } of tally.failures) {
    console.log(`fail ${name}: ${test}`);
    if (detail !== '') console.log(visible(detail.trim()).replace(/^/gm, '     '));
  }
}

async function runUnit(program, dir) {
  const name = basename(program);
  const log = join(mkdtempSync(join(dir, 'run-')), 'log');
  const end = await runProgram([program], { env: process.env, log, timeoutS: TIMEOUT_S });
  const text = readFileSync(log, 'utf8');
  const tally = judge(parseCmocka(text), end);
  printProgram(name, tally, end, text);
  return addTally(emptyTally(), tally, `${name}: `);
}

async function main(programs) {
  const sum = emptyTally();
  const dir = mkdtempSync(join(tmpdir(), 'vitrine-unit-'));
  try {
    for (const program of programs) addTally(sum, await runUnit(program, dir));
  } finally {
    rmSync(dir, { recursive: true });
  }
  if (programs.length === 0) fail(sum, 'no programs were given');
  for (const { name, reason } of sum.skips) {
    console.log(`skip ${name.replace(/:/g, '')}: ${reason}`);
  }
  console.log(countLine(sum));
  return sum.failures.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
