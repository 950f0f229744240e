// docs/cases.md says which test holds which behaviour: every test it names must be there.

import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../web/setup.mjs';

const TESTS = /(cases|integration|e2e|oracle)\/([a-z-]+): ([^·|]+)/g;

test('every test named in docs/cases.md exists', () => {
  const table = readFileSync(path.join(root, 'docs/cases.md'), 'utf8');
  const named = [...table.matchAll(TESTS)].map(([, dir, file, title]) => ({ name: path.join(root, 'tests', dir, `${file}.test.mjs`), title: title.trim() }));
  assert.ok(named.length > 40);
  const missing = named.filter(({ name, title }) => !existsSync(name) || !readFileSync(name, 'utf8').includes(title));
  assert.deepEqual(missing, []);
});
