// The table of suites. A row is:
//   name     what SUITE=… and the report call it; `group/variant` where it runs on several builds
//   kind     node (files of tests/<dir>, through reporter.mjs), plain (prints `N passed, N failed`)
//   variant  the build it runs on; its programs are found through BIN and TOOLS. `page`: only the
//            page and its modules; null: nothing
//   builds   it builds what it needs itself, so it runs also when another part of its build failed
//   timeoutS deadline for all of it, about ten times what it takes
//   smoke    part of SUITE=smoke; smokeEnv is added to its environment there
//
// Every test of C code runs on gcc's plain build and on clang's sanitized one; the other two
// combinations run the unit tests. Browsers run once, on the sanitized build (smoke: on the plain
// one, Chromium only).

const PLAIN = 'gcc';
const SANITIZED = 'clang-asan';
const SHORT = { VITRINE_SHORT: '1', ORACLE_CUTS: '50' };
const TYPES = 'node web/node_modules/typescript/bin/tsc -p web --noEmit && echo "1 passed, 0 failed"';

function unit(variant, smoke = false) {
  return {
    name: `unit/${variant}`,
    kind: 'plain',
    variant,
    builds: true,
    smoke,
    argv: ({ build }) =>
      ['make', '--no-print-directory', `VARIANT=${variant}`, `BUILD=${build}`, 'unit'],
    timeoutS: 900,
  };
}

function node(dir, variant, row = {}) {
  return { name: `${dir}/${variant}`, kind: 'node', dir, variant, timeoutS: 600, ...row };
}

// Longest first: with two at a time the last one to end decides.
export const suites = [
  node('e2e', SANITIZED, { timeoutS: 900 }),
  node('e2e', PLAIN, {
    smoke: 'only',
    smokeEnv: { BROWSERS: 'chrome', ...SHORT },
  }),
  node('integration', SANITIZED),
  node('cases', SANITIZED),
  node('gate', SANITIZED),
  node('oracle', SANITIZED),
  unit(SANITIZED),
  node('integration', PLAIN, { smoke: true }),
  node('cases', PLAIN, { smoke: true }),
  node('gate', PLAIN, { smoke: true }),
  node('oracle', PLAIN, { smoke: true, smokeEnv: SHORT }),
  node('dialect', SANITIZED),
  node('dialect', PLAIN, { smoke: true, smokeEnv: SHORT }),
  node('mux', PLAIN),
  node('library', SANITIZED),
  node('library', PLAIN, { smoke: true }),
  node('scale', SANITIZED),
  node('scale', PLAIN),
  node('web', 'page', { name: 'web', smoke: true }),
  unit(PLAIN, true),
  unit('gcc-asan'),
  unit('clang'),
  {
    name: 'crypto',
    kind: 'plain',
    variant: PLAIN,
    smoke: true,
    argv: () => ['tests/crypto/run-dissononce'],
    timeoutS: 120,
  },
  {
    name: 'types',
    kind: 'plain',
    variant: 'page',
    smoke: true,
    argv: () => ['sh', '-c', TYPES],
    timeoutS: 120,
  },
  {
    name: 'layers',
    kind: 'plain',
    variant: 'release',
    smoke: true,
    argv: ({ build }) => ['tests/layers', build],
    timeoutS: 60,
  },
  node('setup', 'release', { name: 'setup', smoke: true, timeoutS: 120 }),
  node('runner', null, { name: 'runner', smoke: true, timeoutS: 120 }),
];

// What the user asked for: all, smoke, a group (unit), one suite (unit/gcc), or several by commas.
export function selectSuites(names) {
  const chosen = new Set();
  for (const name of names.split(',')) {
    const found = suites.filter((suite) => matches(suite, name));
    if (found.length === 0) throw new Error(`no such suite: ${name}`);
    for (const suite of found) chosen.add(suite);
  }
  return suites.filter((suite) => chosen.has(suite));
}

function matches(suite, name) {
  if (name === 'all') return suite.smoke !== 'only';
  if (name === 'smoke') return Boolean(suite.smoke);
  return suite.name === name || (suite.name.startsWith(`${name}/`) && suite.smoke !== 'only');
}
