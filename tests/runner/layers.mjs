// layers BUILD: the architecture's rules that a program can check. One test per rule and file or
// object; `fail NAME` for each broken one, counts last.
//
//   includes   every #include "…" and library header in proto, crypto and server against layers.txt
//   ranks      server/daemon's files include downwards only
//   symbols    what proto's objects leave undefined is defined by proto or is harmless libc
//   client     `vitrine` is static, or needs nothing but libc; so does libvitrine.so

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = resolve(fileURLToPath(import.meta.url), '../../..');
const DAEMON = 'server/daemon';

// Reads the table: { folders: Map folder → [folder], system: [{ header, where }], ranks, symbols }.
export function parseTable(text) {
  const table = { folders: new Map(), system: [], ranks: [], symbols: [] };
  for (const line of text.split('\n')) {
    const [kind, first, ...rest] = line.trim().split(/\s+/);
    if (kind === 'folder') table.folders.set(first, rest);
    else if (kind === 'system') table.system.push({ header: first, where: rest });
    else if (kind === 'rank') table.ranks.push({ rank: Number(first), names: rest });
    else if (kind === 'symbol') table.symbols.push(first, ...rest);
    else if (kind !== '' && !kind.startsWith('#')) throw new Error(`layers.txt: ${line}`);
  }
  return table;
}

function matchesPattern(name, pattern) {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

// The rank of a daemon file, or undefined. An exact name wins over a pattern.
export function rankOf(table, stem) {
  const exact = table.ranks.find(({ names }) => names.includes(stem));
  const covers = ({ names }) => names.some((name) => matchesPattern(stem, name));
  return (exact ?? table.ranks.find(covers))?.rank;
}

function stemOf(path) {
  return basename(path).replace(/\.[a-z]+$/, '');
}

function includesOf(text) {
  return [...text.matchAll(/^\s*#\s*include\s*(["<])([^">]+)[">]/gm)]
    .map(([, quote, path]) => ({ own: quote === '"', path }));
}

function folderOf(table, path) {
  return [...table.folders.keys()].find((folder) => dirname(path) === folder);
}

// Why `file` may not have this include, or ''. Generated headers (no such folder) belong to whoever
// generates them.
export function judgeInclude(table, file, { own, path }) {
  if (!own) {
    const rule = table.system.find(({ header }) => path.startsWith(header));
    if (rule === undefined || rule.where.some((where) => file.startsWith(where))) return '';
    return `<${path}> is for ${rule.where.join(', ')} only`;
  }
  const from = folderOf(table, file);
  const to = folderOf(table, path);
  if (to === undefined) return path.includes('/') ? `${path}: unknown folder` : '';
  if (to !== from && !table.folders.get(from).includes(to)) {
    return `${from} may not include ${path}`;
  }
  if (from !== DAEMON || to !== DAEMON) return '';
  const [ownRank, other] = [rankOf(table, stemOf(file)), rankOf(table, stemOf(path))];
  return other > ownRank ? `rank ${ownRank} may not include ${path} (rank ${other})` : '';
}

function sourceFiles(table) {
  return [...table.folders.keys()].flatMap((folder) =>
    (existsSync(join(TOP, folder)) ? readdirSync(join(TOP, folder)) : [])
      .filter((name) => /\.(c|h|def)$/.test(name))
      .map((name) => `${folder}/${name}`));
}

function checkFile(table, file) {
  const problems = includesOf(readFileSync(join(TOP, file), 'utf8'))
    .map((include) => judgeInclude(table, file, include))
    .filter((problem) => problem !== '');
  if (dirname(file) === DAEMON && rankOf(table, stemOf(file)) === undefined) {
    problems.push('has no rank in tests/layers.txt');
  }
  return problems;
}

function nmSymbols(flag, objects) {
  const text = execFileSync('nm', [flag, ...objects], { encoding: 'utf8' });
  return text.split('\n').map((line) => /^\s*(?:[0-9a-f]+ )?[A-Za-z] (\S+)$/.exec(line)?.[1])
    .filter(Boolean);
}

function checkProto(table, build) {
  const dir = join(build, 'obj/proto');
  const objects = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.o')) : [];
  if (objects.length === 0) return [{ name: 'proto', problems: [`no objects in ${dir}`] }];
  const paths = objects.map((name) => join(dir, name));
  const defined = new Set(nmSymbols('--defined-only', paths));
  return paths.map((path) => ({
    name: `proto/${basename(path)}`,
    problems: nmSymbols('--undefined-only', [path])
      .filter((symbol) => !defined.has(symbol))
      .filter((symbol) => !table.symbols.some((pattern) => matchesPattern(symbol, pattern)))
      .map((symbol) => `calls ${symbol}`),
  }));
}

// readelf instead of ldd: it reads, ldd runs the loader.
function checkNeeds(name, file) {
  if (!file || !existsSync(file)) return { name, problems: [`no ${file ?? name}`] };
  const text = execFileSync('readelf', ['-d', file], { encoding: 'utf8' });
  const needed = [...text.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(([, library]) => library);
  const foreign = needed.filter((library) => !/^(libc|ld-linux.*)\.so/.test(library));
  return { name, problems: foreign.map((library) => `needs ${library}`) };
}

function checkClient(build) {
  const lib = join(build, 'lib');
  const shared = existsSync(lib) && readdirSync(lib).find((name) => /^libvitrine\.so\./.test(name));
  return [
    checkNeeds('client', join(build, 'bin/vitrine')),
    checkNeeds('libvitrine.so', shared ? join(lib, shared) : undefined),
  ];
}

function main(build) {
  const table = parseTable(readFileSync(join(TOP, 'tests/layers.txt'), 'utf8'));
  const results = [
    ...sourceFiles(table).map((file) => ({ name: file, problems: checkFile(table, file) })),
    ...checkProto(table, build),
    ...checkClient(build),
  ];
  const bad = results.filter(({ problems }) => problems.length > 0);
  for (const { name, problems } of bad) {
    for (const problem of problems) console.log(`     ${name}: ${problem}`);
    console.log(`fail ${name}`);
  }
  console.log(`${results.length - bad.length} passed, ${bad.length} failed`);
  return bad.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = main(resolve(process.argv[2] ?? join(TOP, 'build/release')));
}
