// The daemon's own end: whatever it holds at that moment, it takes down in order. When a test
// ends its host fails on sanitizer reports and on processes that are left.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { createHost, until } from './host.mjs';

const ended = async (host) => (await host.json('shares', '--json')).every((share) => share.ended);

describe('kill-server', { concurrency: 4 }, () => {
  test('while a share is kept whose program has ended', async (t) => {
    const host = await createHost(t);
    await host.share(['true']);
    await until(() => ended(host), 'the program to end');
    await host.vitrine('kill-server');
  });

  test('with a session, a share, viewers, and one viewer away', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const [stays, leaves] = [await host.join(shared.view), await host.join(shared.write)];
    leaves.viewer.stop();
    await until(async () => (await host.json('viewers', '--json')).some((v) => v.away), 'a viewer away');
    await host.vitrine('new-session', '-d');
    await host.vitrine('kill-server');
    await until(() => stays.viewer.state.kind === 'bye', 'a goodbye');
    assert.match(stays.viewer.state.text, /stopping/);
  });
});
