// run BIN BENCH SCENARIO…: measures with the driver in BENCH and the programs in BIN, keeps the numbers
// in bench/results, and brings docs/benchmarks.md up to date with what was measured.
//
// BENCH_SAMPLES (200) is the number of samples of a latency, BENCH_PANES (3000) the number of panes in
// the scenario with many of them.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeReport } from './report.mjs';

const TOP = fileURLToPath(new URL('../', import.meta.url));
const RESULTS = path.join(TOP, 'bench/results');

const output = (...argv) => execFileSync(argv[0], argv.slice(1), { cwd: TOP, encoding: 'utf8' }).trim();

/** What the numbers depend on; nothing that tells whose machine it is. */
function describeMachine(bin) {
  const release = readFileSync('/etc/os-release', 'utf8');
  const changed = output('git', 'status', '--porcelain', '--untracked-files=no', 'bench', 'server', 'proto', 'crypto', 'Makefile');
  return {
    processor: os.cpus()[0].model,
    cores: os.cpus().length,
    memory_gib: Math.round(os.totalmem() / 2 ** 30),
    kernel: os.release(),
    distribution: /^PRETTY_NAME="?(.*?)"?$/m.exec(release)[1],
    libc: output('getconf', 'GNU_LIBC_VERSION'),
    compiler: output('gcc', '--version').split('\n')[0],
    tmux: output('tmux', '-V'),
    vitrine: output(path.join(bin, 'vitrine'), 'version').split('\n')[0],
    commit: output('git', 'rev-parse', '--short', 'HEAD') + (changed ? ' and changes' : ''),
    date: new Date().toISOString().slice(0, 10),
    load: os.loadavg()[0].toFixed(1),
    scheduling: output('chrt', '-p', String(process.pid)).split(': ').at(1).split('\n')[0],
  };
}

/** Runs a scenario; its results tell what they depend on. */
function measure(bin, bench, scenario, machine) {
  const samples = process.env.BENCH_SAMPLES ?? '200';
  const panes = process.env.BENCH_PANES ?? '3000';
  const argv = [path.resolve(bin), path.resolve(bench), RESULTS, samples, panes, scenario];
  const { status } = spawnSync(path.join(bench, 'driver'), argv, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${scenario}: the driver failed`);
  const file = path.join(RESULTS, `${scenario}.json`);
  const results = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, `${JSON.stringify({ machine, ...results })}\n`);
}

const [bin, bench, ...scenarios] = process.argv.slice(2);
mkdirSync(RESULTS, { recursive: true });
const machine = describeMachine(bin);
for (const scenario of scenarios) measure(bin, bench, scenario, machine);
writeReport(RESULTS, path.join(TOP, 'docs'));
