// docs/code-map.md has a line for every source file, and for none that is gone.

import test from 'node:test';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
// Text, data and settings: what is listed as a whole, or not at all.
const UNLISTED = /^docs\/|^tests\/streams\/.*\.vts$|vectors\/|^README|^LICENSE|package-lock|^\.|\/\./;

function sources() {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  return new Set(files.filter((file) => file && !UNLISTED.test(file)));
}

/** Paths that the map names: `## folder/` headings, then "- `name.c, .h` – text" lines. */
function mapped() {
  const paths = new Set();
  let folder = '';
  for (const line of readFileSync(`${root}/docs/code-map.md`, 'utf8').split('\n')) {
    if (line.startsWith('## ')) folder = line === '## Top level' ? '' : line.slice(3);
    const entry = /^- `([^`]+)` – \S/.exec(line);
    if (!entry) continue;
    const [first, ...others] = entry[1].split(', ');
    paths.add(folder + first);
    for (const suffix of others) paths.add(folder + first.replace(/\.[^.]*$/, suffix));
  }
  return paths;
}

test('every source file has its line in the code map', () => {
  const listed = mapped();
  assert.deepEqual([...sources()].filter((file) => !listed.has(file)), []);
});

test('the code map names only files that exist', () => {
  const real = sources();
  assert.deepEqual([...mapped()].filter((file) => !real.has(file)), []);
});
