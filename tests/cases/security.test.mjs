// What must not happen, whatever a program prints or a viewer sends.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { lib } from '../web/setup.mjs';
import { DEADLINE_MS, createHost, until } from '../integration/host.mjs';
import { Peer, Wire, greet, inputOf, knock } from '../integration/peer.mjs';

const T = lib.MessageType;

describe('security', { concurrency: 4 }, () => {
  test('a program asks for the clipboard (OSC 52): no answer, from nobody, with or without viewers', async (t) => {
    const host = await createHost(t);
    const out = path.join(host.dir, 'answers');
    const ask = `stty raw -echo; printf '\\033]52;c;?\\007\\033]52;p;?\\033\\\\\\033[c'; IFS= read -r -d c x; printf '%s' "$x" >${out}.new; mv ${out}.new ${out}; exec cat`;
    const shared = await host.share(['bash', '--norc', '-c', `read y; ${ask}`]);
    const viewer = await host.join(shared.write);
    viewer.type(shared.pane, '\r');
    await until(() => existsSync(out), 'the answer to the question behind it', DEADLINE_MS);
    const answers = readFileSync(out, 'latin1');
    assert.match(answers, /^\x1b\[\?[\d;]+$/, JSON.stringify(answers));
  });

  test('a recorded visit sent again as a whole: refused at its first message, nothing typed', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const { noise, message } = await greet(shared.write);
    const wire = new Wire(shared.write);
    t.after(() => wire.drop());
    await wire.send(message);
    await until(() => wire.got.length > 0, 'message 2', DEADLINE_MS);
    const { split } = await noise.readSecond(wire.got[0].subarray(1));
    const writer = new lib.RecordWriter(split.fromInitiator);
    const join = { name: '', client: '', pin: '', resumeToken: new Uint8Array(16), cols: 80, rows: 24, panes: [] };
    const tape = [message, await writer.seal(lib.buildPlain(T.JOIN, false, lib.encode(T.JOIN, join))),
      await writer.seal(lib.buildPlain(T.INPUT, false, lib.encode(T.INPUT, inputOf(shared.pane, 0, 'once\r'))))];
    for (const bytes of tape.slice(1)) await wire.send(bytes);
    await host.sees(shared.pane, /once\nonce/);
    const again = new Wire(shared.write);
    await again.opened;
    for (const bytes of tape) again.socket.send(bytes);
    assert.notEqual((await again.closed).code, 1000);
    assert.equal(again.got.length, 0);
    assert.equal((await knock(shared.write, message)).code, 4000);
    assert.equal(await host.screen(shared.pane), 'once\nonce');
  });

  test('two shares of one host: a link of one opens nothing of the other', async (t) => {
    const host = await createHost(t);
    const [one, two] = [await host.share(['cat']), await host.share(['cat'])];
    const peer = await Peer.join(t, one.write);
    await peer.send(T.INPUT, inputOf(two.pane, 0, 'evil\r'));
    assert.equal((await peer.got(T.NOTICE)).code, lib.NoticeCode.NOT_DELIVERED);
    await peer.send(T.HISTORY_REQUEST, { request: 1, pane: Number(two.pane.slice(1)), beforeLine: 10, count: 10 });
    assert.equal((await peer.got(T.DONE)).result, lib.DoneResult.NOT_FOUND);
    assert.equal(await host.screen(two.pane), '');
  });

  test('an operator’s COMMAND can do nothing the share does not have', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    const peer = await Peer.join(t, shared.write);
    for (let op = 0; op <= 7; op++) {
      await peer.send(T.COMMAND, { request: op, op, target: Number(shared.pane.slice(1)), arguments: new Uint8Array(op === lib.CommandOp.RESIZE ? 3 : 0) });
      assert.equal((await peer.got(T.DONE, ({ request }) => request === op)).result, lib.DoneResult.REFUSED);
    }
    assert.equal((await host.json('list-panes', '-a', '--json')).length, 1);
  });

  test('titles, names and output of programs do not reach the owner’s terminal or the log as they are', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['bash', '--norc', '-c', "printf '\\033]2;a\\tb\\302\\233c\\033\\\\'; exec cat"], { options: ['-n', 'x\x1b[31my'] });
    await host.join(shared.view, { name: '\x1b]2;evil\x07' });
    const texts = [await host.vitrine('shares'), await host.vitrine('viewers'), await host.vitrine('lsp', '-a'), host.log];
    for (const text of texts) assert.doesNotMatch(text, /[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]/);
  });
});
