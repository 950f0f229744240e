// The manual and the completion against the program: the same commands, options and aliases.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const TOP = path.resolve(fileURLToPath(import.meta.url), '../../..');
const MANUAL = path.join(TOP, 'docs/vitrine.1');

if (!process.env.BIN) throw new Error('BIN must name the folder with vitrine');
const BIN = path.resolve(process.env.BIN);
const COMPLETION = path.join(BIN, '../completion/vitrine.bash');

/** Lines `name (alias) usage` of the program, without those that only test builds have. */
const commands = execFileSync(path.join(BIN, 'vitrine'), ['list-commands'], { encoding: 'utf8' })
  .trimEnd()
  .split('\n')
  .map((line) => /^(?<name>[a-z-]+)(?: \((?<alias>[a-z]+)\))?(?: (?<usage>.*))?$/.exec(line).groups)
  .filter(({ name }) => name !== 'advance-clock');

/** The manual as wide text, so that no usage line is wrapped. */
function manualText() {
  const text = execFileSync('mandoc', ['-T', 'ascii', '-O', 'width=400', MANUAL], { encoding: 'utf8' });
  return text.replace(/.\x08/g, '');
}

test('mandoc finds nothing to complain about', () => {
  const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', MANUAL], { encoding: 'utf8' });
  // Whether this machine has the manuals it refers to is not the question.
  const complaints = (stdout + stderr).split('\n').filter((line) => line !== '' && !/mandoc\.db|referenced manual not found/.test(line));
  assert.deepEqual(complaints, []);
});

test('docs/ipc.md has a row for every message of ipc.def, with its number, and no other', () => {
  const read = (name) => readFileSync(path.join(TOP, name), 'utf8');
  const made = [...read('proto/ipc.def').matchAll(/^MESSAGE\((\w+), \w+, (0x[0-9a-f]+),/gm)].map(([, name, number]) => `${number} ${name}`);
  const told = [...read('docs/ipc.md').matchAll(/^\| (0x[0-9a-f]+) \| (\w+) \|/gm)].map(([, number, name]) => `${number} ${name}`);
  assert.ok(made.length > 10);
  assert.deepEqual(told.sort(), made.sort());
});

test('mandoc finds nothing to complain about in the daemon\'s manual', () => {
  const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', path.join(TOP, 'docs/vitrined.8')], { encoding: 'utf8' });
  assert.deepEqual((stdout + stderr).split('\n').filter((line) => line !== '' && !/mandoc\.db|referenced manual not found/.test(line)), []);
});

test('every command stands in the manual with its usage and alias, in this form', () => {
  const text = manualText();
  assert.ok(commands.length > 20);
  for (const { name, alias, usage } of commands) {
    const line = `\n     ${name}${usage ? ` ${usage}` : ''}\n`;
    const at = text.indexOf(line);
    assert.ok(at >= 0, `not in the manual: ${line.trim()}`);
    const next = text.slice(at + line.length, at + line.length + 60);
    assert.equal(/^\s*\(alias: ([a-z]+)\)/.exec(next)?.[1], alias, name);
  }
});

test('the manual has no command that the program lacks', () => {
  const source = readFileSync(MANUAL, 'utf8');
  const named = [...source.matchAll(/^\.(?:It )?Ic ([a-z-]+)$/gm)].map((match) => match[1]);
  const known = new Set(commands.map(({ name }) => name));
  assert.deepEqual(named.filter((name) => !known.has(name)), []);
});

test('every option that the manual explains is one of its command', () => {
  const source = readFileSync(MANUAL, 'utf8');
  const letters = new Set(commands.flatMap(({ usage = '' }) => usage.match(/--?[A-Za-z-]+/g) ?? []).flatMap((word) =>
    word.startsWith('--') ? [word] : [...word.slice(1)].map((letter) => `-${letter}`)));
  for (const global of ['-h', '--help', '-V', '--version', '-L', '-S']) letters.add(global);
  for (const [, line] of source.matchAll(/^\.It (Fl .*)$/gm)) {
    for (const [, name] of line.matchAll(/Fl (\S+)/g)) assert.ok(letters.has(`-${name}`), line);
  }
});

/** What bash would offer for these words, the last being completed. */
function complete(...words) {
  const script = `source ${COMPLETION}; COMP_WORDS=("$@"); COMP_LINE="$*"; COMP_CWORD=$(($# - 1)); _vitrine; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const env = { PATH: `${BIN}:/usr/bin:/bin`, VITRINE_TMPDIR: '/nonexistent/none' };
  const out = execFileSync('bash', ['--norc', '-c', script, 'bash', 'vitrine', ...words], { env, encoding: 'utf8' });
  return out.split('\n').filter((line) => line !== '');
}

test('completion offers commands, aliases and options', () => {
  const offered = complete('');
  for (const { name, alias } of commands) {
    assert.ok(offered.includes(name), name);
    if (alias) assert.ok(offered.includes(alias), alias);
  }
  assert.deepEqual(complete('kill-s').sort(), ['kill-server', 'kill-session']);
  assert.deepEqual(complete('-L', 'work', 'unsh'), ['unshare']);
  for (const flag of ['-E', '-J', '-S', '-e', '-p', '-t']) assert.ok(complete('capture-pane', '-').includes(flag), flag);
  assert.deepEqual(complete('links', '-').sort(), ['--json', '--qr', '-t']);
  assert.deepEqual(complete('help', 'vers'), ['version']);
  assert.deepEqual(complete('attach', '-t', ''), []); // nobody is there to ask
});
