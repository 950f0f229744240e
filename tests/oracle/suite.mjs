// Runs the join rule over a list of streams and reports cuts tried and equal for each.
//
// EXCEPTIONS names what may differ: a pattern for the stream, one for the first line of the
// difference, and the reason. A difference it names is counted and printed, not failed.

import assert from 'node:assert/strict';

import { withDriver } from './driver.mjs';
import { joinStream, planCuts } from './join.mjs';

const GENERATED = /^(mixed|wide|scroll|screens)-/; // recorded streams have no exceptions

// All are states that no sequence can reach from a new terminal without disturbing another one.
const EXCEPTIONS = [
  { streams: GENERATED, line: /^alt line \d+ col \d+: null w1 .* \/ " " w1 /,
    reason: 'a wrap pending over an empty last cell of the alternate screen' },
  { streams: GENERATED, line: /^pen(Extended)?: /,
    reason: 'a pen whose words and extended attributes a restored cursor, saved over since, took apart' },
  { streams: GENERATED, line: /^charset: /,
    reason: 'a charset restored on the main screen and still in use on the alternate one' },
  { streams: GENERATED, line: /col \d+: ".?\u200d+" w2 /,
    reason: 'a joiner put on an empty cell by a wide character that was dropped without autowrap' },
];
const NAMED_SHARE_MAX = 0.01;
const SHOWN_DIFFERENCES = Number(process.env.ORACLE_SHOWN ?? 2);

function exceptionFor(stream, { lines }) {
  return EXCEPTIONS.find(({ streams, line }) => streams.test(stream) && line.test(lines[0]));
}

function explain({ name, differences }) {
  return differences.slice(0, SHOWN_DIFFERENCES).map(({ at, history, where, lines }) =>
    `  ${name} cut at ${at}, ${history ? 'with' : 'without'} history, ${where}, ` +
    `reference / joiner:\n${lines.map((line) => `    ${line}`).join('\n')}`).join('\n');
}

/** The test body for a list of streams; `t` is the test's context. */
export async function joinAll(t, streams) {
  const only = process.env.ORACLE_ONLY?.split(',');
  const chosen = only ? streams.filter(({ name }) => only.includes(name)) : streams;
  const plans = planCuts(chosen);
  const total = { tried: 0, equal: 0, named: 0 };
  const failed = [];
  const reasons = new Map();
  await withDriver(async (driver) => {
    for (const [index, stream] of chosen.entries()) {
      const result = await joinStream(driver, stream, plans[index]);
      const unnamed = [];
      for (const difference of result.differences) {
        const exception = exceptionFor(stream.name, difference);
        if (exception) reasons.set(exception.reason, (reasons.get(exception.reason) ?? 0) + 1);
        else unnamed.push(difference);
      }
      total.tried += result.tried;
      total.equal += result.equal;
      total.named += result.differences.length - unnamed.length;
      t.diagnostic(`${stream.name}: cuts tried ${result.tried}, equal ${result.equal}, ` +
        `keyframe ${Math.round(result.keyframeBytes / result.tried)} B on average`);
      if (unnamed.length) failed.push({ name: stream.name, differences: unnamed });
    }
  });
  t.diagnostic(`in all: ${chosen.length} streams, cuts tried ${total.tried}, equal ${total.equal}, ` +
    `named exceptions ${total.named}`);
  for (const [reason, count] of reasons) t.diagnostic(`named exception: ${reason}: ${count} cuts`);
  assert.ok(total.tried > 0);
  assert.ok(total.named <= total.tried * NAMED_SHARE_MAX, 'too many cuts are exceptions');
  assert.ok(failed.length === 0, `${failed.length} streams differ:\n${failed.map(explain).join('\n')}`);
}
