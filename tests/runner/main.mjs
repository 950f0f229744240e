// tests/run [--build DIR] [--jobs N] [--list] [SUITE[,SUITE…]]
//
// Builds the variants that the chosen suites need, one after the other, each on all processors;
// then runs the suites, as many at a time as there are processors. One line per suite as it ends,
// followed by the failing parts if it failed; at the end what was skipped and why, what was left
// running, and `N passed, N failed[, N skipped]` over everything as the last line.

import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';

import { addTally, countLine, emptyTally, fail, groupSkips, markOf, visible } from './parse.mjs';
import { killStrays } from './process.mjs';
import { buildVariant, endEverything, runSuite, TOP } from './run.mjs';
import { selectSuites, suites } from './suites.mjs';

const TAIL_LINES = 60;
const MAX_SHOWN = 20;
const VARIANT_ORDER = ['page', 'gcc', 'clang-asan', 'release', 'gcc-asan', 'clang'];

function processors() {
  return typeof availableParallelism === 'function' ? availableParallelism() : cpus().length;
}

function parseArguments(args) {
  const options = { root: 'build', jobs: processors(), list: false, names: 'all' };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--build') options.root = args[++i];
    else if (args[i] === '--jobs') options.jobs = Number(args[++i]);
    else if (args[i] === '--list') options.list = true;
    else options.names = args[i];
  }
  options.root = resolve(TOP, options.root);
  options.smoke = options.names === 'smoke';
  return options;
}

function indent(text) {
  return visible(text.trimEnd()).replace(/^/gm, '        ');
}

// The end of a log, without the programs in it that passed.
function tail(path) {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.filter((text) => !text.startsWith('ok  ')).slice(-TAIL_LINES).join('\n');
}

function line(mark, name, seconds, text) {
  console.log(`${mark} ${name.padEnd(24)} ${seconds.toFixed(1).padStart(6)} s  ${text}`);
}

function printBuild({ variant, seconds, log, failed }) {
  line(failed ? 'FAIL' : 'ok  ', `build/${variant}`, seconds, failed ? `see ${log}` : '');
  if (failed) console.log(indent(complaints(log)));
}

// What compilers, linkers and make complained about; everything else is in the log.
function complaints(log) {
  const lines = readFileSync(log, 'utf8').split('\n');
  const found = lines.filter((text) => /\b[Ee]rror\b|\bundefined\b|\*\*\*/.test(text));
  return found.length > 0 ? found.slice(0, TAIL_LINES).join('\n') : tail(log);
}

function printSuite({ suite, tally, seconds, log }) {
  const bad = tally.failures.length > 0;
  line(markOf(tally), suite.name, seconds, countLine(tally) + (bad ? `, see ${log}` : ''));
  for (const { name, detail } of tally.failures.slice(0, MAX_SHOWN)) {
    console.log(`     failed: ${visible(name)}`);
    if (detail) console.log(indent(detail));
  }
  const more = tally.failures.length - MAX_SHOWN;
  if (more > 0) console.log(`     and ${more} more`);
  if (bad && suite.kind !== 'node') console.log(indent(tail(log)));
}

// Builds in order; returns the set of variants that failed.
async function buildAll(chosen, options, total) {
  const needed = VARIANT_ORDER.filter((name) => chosen.some(({ variant }) => variant === name));
  const broken = new Set();
  for (const variant of needed) {
    const result = await buildVariant(variant, options);
    printBuild(result);
    if (!result.failed) continue;
    broken.add(variant);
    fail(total, `build/${variant}`);
  }
  return broken;
}

async function runAll(chosen, options, broken, total) {
  const queue = [...chosen];
  const worker = async () => {
    for (let suite = queue.shift(); suite !== undefined; suite = queue.shift()) {
      if (broken.has(suite.variant) && !suite.builds) {
        line('FAIL', suite.name, 0, `not run: build/${suite.variant} failed`);
        fail(total, suite.name);
        continue;
      }
      const result = await runSuite(suite, options);
      printSuite(result);
      addTally(total, result.tally, `${suite.name}: `);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, options.jobs) }, worker));
}

// Programs of the builds under test that no suite could be blamed for.
function endStrays(options, since, total) {
  const folders = VARIANT_ORDER.filter((variant) => variant !== 'release')
    .map((variant) => `${options.root}/${variant}/bin/`);
  for (const command of killStrays(folders, since)) {
    fail(total, `left running: ${command}`);
    console.log(`FAIL left running: ${command}`);
  }
}

async function main(args) {
  const options = parseArguments(args);
  if (options.list) {
    for (const suite of suites) console.log(suite.name + (suite.smoke ? '  (smoke)' : ''));
    return 0;
  }
  const since = Date.now() - 1000;
  const chosen = selectSuites(options.names);
  const total = emptyTally();
  const broken = await buildAll(chosen, options, total);
  await runAll(chosen, options, broken, total);
  endStrays(options, since, total);
  for (const { name, reason, count } of groupSkips(total.skips)) {
    const more = count > 1 ? ` and ${count - 1} more of this suite` : '';
    console.log(`skip ${visible(`${name}${more}: ${reason}`)}`);
  }
  console.log(`${Math.round((Date.now() - since) / 1000)} s in all`);
  console.log(countLine(total));
  return total.failures.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    endEverything();
    process.exit(130);
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`tests/run: ${error.message}`);
  process.exitCode = 2;
}
