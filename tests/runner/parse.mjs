// What a finished program printed, as counts.
//
// Every parser returns a tally: { passed, failures: [{ name, detail }], skips: [{ name, reason }] }.
// The rule all of them keep: a program is believed only when its output is complete and agrees with
// how it ended. One that died, stopped half way, exited with an error nobody counted, or ran no test
// has failed, whatever it printed before.

export function emptyTally() {
  return { passed: 0, failures: [], skips: [] };
}

export function fail(tally, name, detail = '') {
  tally.failures.push({ name, detail });
  return tally;
}

export function addTally(sum, tally, prefix = '') {
  sum.passed += tally.passed;
  for (const f of tally.failures) sum.failures.push({ ...f, name: prefix + f.name });
  for (const s of tally.skips) sum.skips.push({ ...s, name: prefix + s.name });
  return sum;
}

// What the report calls a suite: one whose tests were all skipped has shown nothing, and is not ok.
export function markOf(tally) {
  if (tally.failures.length > 0) return 'FAIL';
  return tally.passed > 0 ? 'ok  ' : 'none';
}

// Skipped tests by suite and reason: [{ name, reason, count }], name of the first one.
export function groupSkips(skips) {
  const groups = new Map();
  for (const { name, reason } of skips) {
    const key = `${name.split(':')[0]}\n${reason}`;
    const group = groups.get(key) ?? { name, reason, count: 0 };
    groups.set(key, { ...group, count: group.count + 1 });
  }
  return [...groups.values()];
}

export function countLine(tally) {
  const skipped = tally.skips.length > 0 ? `, ${tally.skips.length} skipped` : '';
  return `${tally.passed} passed, ${tally.failures.length} failed${skipped}`;
}

// Output of tests is often full of escape sequences; shown to a person, they are made visible.
export function visible(text) {
  const code = (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, code);
}

// How a process ended, in words, or '' when it exited with 0.
export function endingText(end) {
  if (end.timedOut) return `timed out after ${Math.round(end.seconds)} s`;
  if (end.error) return `could not be started: ${end.error}`;
  if (end.signal) return `killed by ${end.signal}`;
  return end.code === 0 ? '' : `exited with ${end.code}`;
}

// Adds the failures that no parser can see in the output: a bad ending without a counted failure,
// and no test at all.
export function judge(tally, end) {
  const ending = endingText(end);
  const abnormal = end.timedOut || end.error || end.signal;
  if (abnormal || (ending !== '' && tally.failures.length === 0)) {
    tally.failures.unshift({ name: ending, detail: '' });
  }
  if (tally.passed + tally.failures.length + tally.skips.length === 0) fail(tally, 'ran no test');
  return tally;
}

// cmocka's standard output. A program may run several groups; in each, the tests announced must all
// have ended. A skipped test's reason is what it printed.
export function parseCmocka(text) {
  const tally = emptyTally();
  let announced = 0;
  let ended = 0;
  let running = null;
  let inGroup = false;
  let said = [];
  const closeGroup = () => {
    if (running !== null) fail(tally, running, `died in this test\n${said.join('\n')}`);
    else if (inGroup) fail(tally, 'group', `ended after ${ended} of ${announced} tests`);
    else if (ended < announced) fail(tally, 'group', `${announced} tests, ${ended} ended`);
    running = null;
  };
  for (const line of text.split('\n')) {
    const mark = /^\[([ =A-Z]{10})\] (.*)$/.exec(line);
    if (mark === null) {
      said.push(line);
      continue;
    }
    const [kind, rest] = [mark[1].trim(), mark[2]];
    const start = /(?:^|: )Running (\d+) test\(s\)\.$/.exec(rest);
    if (kind === '==========' && start !== null) {
      if (inGroup) closeGroup();
      [announced, ended, running, inGroup] = [Number(start[1]), 0, null, true];
    } else if (kind === '==========') {
      inGroup = false;
      closeGroup();
      announced = ended = 0;
    } else if (kind === 'RUN') {
      running = rest;
      said = [];
    } else if (inGroup && kind === 'OK') {
      tally.passed++;
      ended++;
      running = null;
    } else if (inGroup && kind === 'FAILED') {
      fail(tally, rest, said.join('\n'));
      ended++;
      running = null;
    } else if (inGroup && kind === 'SKIPPED') {
      tally.skips.push({ name: rest, reason: said.join(' ').trim() || 'no reason given' });
      ended++;
      running = null;
    }
  }
  if (inGroup) closeGroup();
  return tally;
}

// The lines that reporter.mjs wrote, one JSON object per test. `fromFile` is the test that node
// makes up for a file: passing, it means that the file declared no test.
export function parseEvents(text) {
  const tally = emptyTally();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const event = JSON.parse(line);
    if (event.skip !== null) tally.skips.push({ name: event.name, reason: event.skip });
    else if (!event.ok) fail(tally, event.name, event.detail);
    else if (event.fromFile) fail(tally, event.name, 'this file declares no test');
    else tally.passed++;
  }
  return tally;
}

// A program that counts for itself: the last line of the form `N passed, N failed[, N skipped]`, and
// a line `skip NAME: REASON` for each that was skipped, `fail NAME` for each that failed.
export function parsePlain(text) {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const pattern = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
  const summary = lines.map((line) => pattern.exec(line)).filter(Boolean).pop();
  const tally = emptyTally();
  if (summary === undefined) return fail(tally, 'printed no "N passed, N failed" line');
  const [, passed, failed, skipped] = summary.map((field) => Number(field ?? 0));
  tally.passed = passed;
  const named = lines.map((line) => /^fail (.+)$/.exec(line)).filter(Boolean);
  for (let i = 0; i < failed; i++) fail(tally, named[i]?.[1] ?? `failure ${i + 1}`);
  const reasons = lines.map((line) => /^skip ([^:]+): (.+)$/.exec(line)).filter(Boolean);
  for (let i = 0; i < skipped; i++) {
    const [, name = `skip ${i + 1}`, reason = 'no reason given'] = reasons[i] ?? [];
    tally.skips.push({ name, reason });
  }
  return tally;
}
