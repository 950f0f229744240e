// The join rule on generated streams (generate.mjs). ORACLE_CUTS raises the number of random cuts,
// ORACLE_ONLY picks streams by name, ORACLE_SHOWN shows more differences of each. ORACLE_SEED
// generates others.

import test from 'node:test';

import { generated } from './generate.mjs';
import { joinAll } from './suite.mjs';

test('generated streams join alike at every cut', (t) => joinAll(t, generated()));
