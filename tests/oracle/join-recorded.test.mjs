// The join rule on recorded streams (tests/streams). ORACLE_CUTS raises the number of random cuts,
// ORACLE_ONLY picks streams by name, ORACLE_SHOWN shows more differences of each.

import assert from 'node:assert/strict';
import test from 'node:test';

import { recorded } from './stream.mjs';
import { joinAll } from './suite.mjs';

test('recorded streams join alike at every cut', (t) => {
  const streams = recorded();
  assert.ok(streams.length > 0, 'no recorded streams');
  return joinAll(t, streams);
});
