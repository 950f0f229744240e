// A reporter for `node --test` that writes one JSON line per test, for parse.mjs. Suites (describe)
// are containers and not counted. The names and the shape of events are those of Node 18 to 24.

import { basename } from 'node:path';

function detailOf(error) {
  const cause = error?.cause ?? error;
  if (cause === undefined || cause === null) return '';
  return String(cause.stack ?? cause.message ?? cause);
}

// A suite that fails only because a test in it did is not a failure of its own.
function isEcho(data) {
  return data.details?.error?.failureType === 'subtestsFailed';
}

// Node reports a file that declared no test, or that failed to load, as one test named as its path.
function isFile(data) {
  return /\.(test\.)?m?js$/.test(data.name) && (data.line === undefined || data.line === 1) &&
    data.nesting === 0 && (data.file === undefined || data.file.endsWith(basename(data.name)));
}

function record(type, data) {
  return {
    name: data.name,
    ok: type === 'test:pass',
    fromFile: isFile(data),
    skip: skipReason(data),
    detail: type === 'test:fail' ? detailOf(data.details?.error) : '',
  };
}

function skipReason(data) {
  const mark = data.skip ?? data.todo;
  if (mark === undefined || mark === false) return null;
  return typeof mark === 'string' && mark !== '' ? mark : 'no reason given';
}

export default async function* report(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite' && (type === 'test:pass' || isEcho(data))) continue;
    if (type === 'test:fail' && isEcho(data)) continue;
    yield JSON.stringify(record(type, data)) + '\n';
  }
}
