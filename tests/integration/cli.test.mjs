// Every command with its options, as a person or a script calls it: what it prints, on which stream,
// and the exit status. Wrong lines end with 2 and a usage line; what is not there ends with 1 and its
// name. Every command of the program is called here or in ../mux: one that is not fails the last test.

import test, { after, before, describe } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEADLINE_MS, Host, createHost, until } from './host.mjs';

const called = new Set(); // commands some row calls

/** Names and the option letters or words of every command, from the program itself. */
async function listCommands(host) {
  const lines = (await host.vitrine('list-commands')).trimEnd().split('\n');
  return lines.map((line) => {
    const [, name, , alias, usage = ''] = /^([a-z-]+)( \(([a-z]+)\))? ?(.*)$/.exec(line);
    return { name, alias, usage };
  });
}

describe('lines that are wrong', { concurrency: 4 }, () => {
  let host;
  before(async () => {
    host = new Host();
    await host.vitrine('new-session', '-d', '-s', 'main', 'cat');
  });
  after(() => host.stop());

  const usageErrors = [
    [['no-such-command']], [['--no-such-flag']], [['-L']], [['-S']], [['version', 'word']],
    [['new-session', '-d', '-x', 'wide']], [['new-session', '-d', '-x', '0']], [['new-session', '-d', '-y', '100000']],
    [['share', '-d', '--port', '0']], [['share', '-d', '--port', '70000']], [['share', '-d', '--port', '1x']],
    [['share', '-d', '--bind', '']], [['share', '-d', '--origin', 'example.org']], [['share', '-t', 'main', 'cat']],
    [['share', '--port']], [['capture-pane', '-p', '-S', 'x']],
    [['capture-pane', '-p', '-E', '']], [['send-keys', '-t', 'main', '-H', 'zz']], [['kick']], [['kick', 'me']],
    [['kick', '1', 'a', 'b']], [['gate']], [['gate', 'dance']], [['gate', 'status', 'x']], [['rename-session']],
    [['rename-session', 'a', 'b']], [['advance-clock']], [['advance-clock', '-1']], [['help', 'no-such-command']],
    [['help', 'share', 'gate']], [['list-commands', 'no-such-command']], [['kill-server', 'now']], [['shares', 'x']],
    [['start-server', 'x']], [['info', 'x']], [['viewers', 'x']], [['links', 'x']], [['unshare', 'x']],
    [['list-sessions', 'x']], [['has-session', 'x']], [['kill-session', 'x']], [['detach-client', 'x']],
    [['capture-pane', '-p', 'x']], [['attach-session', 'x']], [['list-panes', 'x']], [['doctor', 'x']],
  ];
  for (const [args] of usageErrors) {
    test(`vitrine ${args.join(' ')}: usage, exit 2`, async () => {
      const { code, stdout, stderr } = await host.run(args);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' }, stderr);
      assert.match(stderr, /^vitrine: /);
      assert.match(stderr, /usage: vitrine/);
    });
  }

  test('an unknown flag of any command: usage, exit 2', async () => {
    for (const { name } of await listCommands(host)) {
      for (const flag of ['-9', '--no-such-flag']) {
        const { code, stdout, stderr } = await host.run([name, flag]);
        assert.deepEqual({ name, code, stdout }, { name, code: 2, stdout: '' }, stderr);
        assert.match(stderr, new RegExp(`usage: vitrine ${name}`));
      }
    }
  });

  test('an option that takes a value and gets none: usage, exit 2', async () => {
    for (const { name, usage } of await listCommands(host)) {
      for (const [, flag] of usage.matchAll(/\[(-[a-zA-Z]|--[a-z]+) [a-zA-Z]/g)) {
        const { code, stderr } = await host.run([name, flag]);
        assert.equal(code, 2, `${name} ${flag}: ${stderr}`);
        assert.match(stderr, /usage: vitrine/);
      }
    }
  });

  const missing = [
    ['attach-session', '-t'], ['has-session', '-t'], ['kill-session', '-t'], ['list-panes', '-t'], ['send-keys', '-t'],
    ['capture-pane', '-p', '-t'], ['detach-client', '-s'], ['share', '-d', '-t'], ['links', '-t'], ['unshare', '-t'],
    ['viewers', '-t'],
  ];
  for (const args of missing) {
    for (const target of ['nowhere', '%77', 'main:3.4']) {
      test(`vitrine ${args.join(' ')} ${target}: exit 1 and its name`, async () => {
        const { code, stdout, stderr } = await host.run([...args, target]);
        assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, stderr);
        if (args[0] !== 'attach-session' && !/nothing is shared/.test(stderr)) assert.ok(stderr.includes(target === 'main:3.4' ? ': 3' : target), stderr);
        assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
      });
    }
  }

  test('a viewer, a session name, a program or a directory that is not there: exit 1 and its name', async () => {
    const rows = [
      [['kick', '4711'], /4711/], [['new-session', '-d', '-s', 'main'], /main/], [['new-session', '-d', '-s', 'a:b'], /a:b/],
      [['rename-session', '-t', 'main', 'x.y'], /x\.y/], [['new-session', '-d', '/no/such/program', 'x'], /no\/such\/program/],
      [['new-session', '-d', '-c', '/no/such/dir'], /no\/such\/dir/], [['share', '-d', '/no/such/program', 'x'], /no\/such\/program/],
      [['capture-pane', '-p', '-a', '-t', 'main'], /alternate/],
    ];
    for (const [args, pattern] of rows) {
      const { code, stdout, stderr } = await host.run(args);
      assert.deepEqual({ args, code, stdout }, { args, code: 1, stdout: '' });
      assert.match(stderr, pattern);
    }
    assert.deepEqual((await host.json('ls', '--json')).map(({ name }) => name), ['main']);
  });

  test('escapes and line ends in words: printed harmlessly, and in no name', async () => {
    const evil = ['a\x1b[31mb', 'a\nb', 'a\u009b31mb', 'a\u202eb', 'a\x7f'];
    for (const word of evil) {
      const lines = [['new', '-d', '-s', word], ['rename', '-t', 'main', word], ['kill-session', '-t', word],
        ['new', '-d', `/no/${word}`, 'x'], ['ls', word], [word], [`-${word}`], ['kick', word], ['-L', `.${word}`, 'ls']];
      for (const args of lines) {
        const { code, stdout, stderr } = await host.run(args);
        assert.ok(code === 1 || code === 2, `${JSON.stringify(args)}: ${code}`);
        assert.match(stderr.trimEnd().split('\n').filter((line) => !/^usage: /.test(line)).join('|'), /^vitrine: [^|]*$/, JSON.stringify(args));
        assert.doesNotMatch(`${stdout}${stderr}`, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/, JSON.stringify(args));
      }
    }
    assert.deepEqual((await host.json('ls', '--json')).map(({ name }) => name), ['main']);
  });

  test('attaching without a terminal: exit 1, and what to do instead', async () => {
    for (const args of [[], ['new'], ['attach'], ['attach', '-t', 'main']]) {
      const { code, stderr } = await host.run(args);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /not a terminal/);
    }
    assert.equal((await host.json('ls', '--json')).length, 1);
  });
});

describe('without a daemon', { concurrency: 4 }, () => {
  const quiet = ['ls', 'shares', 'links', 'viewers', 'unshare', 'kill-server', 'info', 'has-session', 'list-panes'];
  test('commands that only look do not start one: exit 1, where they looked', async (t) => {
    const host = await createHost(t);
    for (const name of quiet) {
      const { code, stderr } = await host.run(name === 'has-session' ? [name, '-t', 'x'] : [name]);
      assert.equal(code, 1, name);
      assert.ok(stderr.includes(`no server running on ${host.socket}`), stderr);
    }
  });

  test('help, version, list-commands need none', async (t) => {
    const host = await createHost(t);
    for (const args of [['help'], ['--help'], ['-h'], ['help', 'share'], ['version'], ['-V'], ['--version'], ['list-commands'], ['lscm', 'share']]) {
      const { code, stdout, stderr } = await host.run(args);
      assert.deepEqual({ args, code, stderr }, { args, code: 0, stderr: '' });
      assert.ok(stdout.length > 5);
    }
    assert.match(await host.vitrine('version'), /^vitrine \d+\.\d+\.\d+\n$/);
    assert.equal((await host.run(['ls'])).code, 1);
  });

  test('start-server starts one; a second is not started', async (t) => {
    const host = await createHost(t);
    await host.vitrine('start-server');
    const { pid } = await host.info();
    await host.vitrine('start-server');
    assert.equal((await host.info()).pid, pid);
  });

  test('two commands at once start one daemon', async (t) => {
    const host = await createHost(t);
    const made = await Promise.all(Array.from({ length: 8 }, () => host.run(['new', '-d', '-P', 'cat'])));
    assert.deepEqual(made.map(({ code, stderr }) => ({ code, stderr })), Array(8).fill({ code: 0, stderr: '' }));
    assert.equal(new Set(made.map(({ stdout }) => stdout)).size, 8);
    assert.equal((await host.json('ls', '--json')).length, 8);
  });

  test('-L and -S choose the socket', async (t) => {
    const host = await createHost(t);
    await host.vitrine('-L', 'other', 'new', '-d', '-s', 'in-other', 'cat');
    assert.equal((await host.run(['ls'])).code, 1);
    const path = `${host.runtime}/other`;
    assert.match(await host.vitrine('-S', path, 'ls'), /^in-other:/);
    await host.vitrine('-L', 'other', 'kill-server');
    await until(async () => (await host.run(['-L', 'other', 'ls'])).code === 1, 'the other daemon to end', DEADLINE_MS);
  });
});

describe('what commands do and print', { concurrency: 4 }, () => {
  let host;
  before(async () => {
    host = new Host();
    await host.vitrine('start-server');
  });
  after(() => host.stop());

  const keys = (object) => Object.keys(object).sort();

  test('new-session, list-sessions, list-panes, has-session, rename-session, kill-session', async () => {
    assert.equal(await host.vitrine('new', '-d', '-P', '-s', 'a1', '-x', '100', '-y', '30', 'cat'), 'a1:0.0\n');
    const made = await host.json('new-session', '-d', '--json', '-s', 'a2', '-n', 'win', 'cat');
    assert.deepEqual(keys(made), ['attached', 'cols', 'created', 'id', 'name', 'pane', 'rows', 'shared', 'viewers', 'windows']);
    assert.deepEqual([made.name, made.cols, made.rows, made.attached], ['a2', 80, 24, 0]);
    assert.equal((await host.run(['new', '-d', '-A', '-s', 'a2'])).code, 0);
    const all = await host.json('list-sessions', '--json');
    assert.deepEqual(all.filter(({ name }) => /^a\d/.test(name)).map(({ name, cols, rows }) => [name, cols, rows]),
      [['a1', 100, 30], ['a2', 80, 24]]);
    assert.match(await host.vitrine('ls'), /^a1: 1 windows \(created .*\)$/m);
    const [pane] = await host.json('list-panes', '--json', '-t', 'a1');
    assert.deepEqual(keys(pane), ['active', 'cols', 'command', 'history', 'id', 'index', 'pid', 'rows', 'session', 'title', 'tty', 'window']);
    assert.deepEqual([pane.session, pane.command, pane.cols, pane.rows], ['a1', 'cat', 100, 30]);
    assert.match(await host.vitrine('lsp', '-a'), /^a1:0\.0: \[100x30\] \[history 0\/10000\] %\d+ \(active\)$/m);
    await host.vitrine('has', '-t', 'a1');
    await host.vitrine('rename', '-t', 'a1', 'a9');
    assert.equal((await host.run(['has', '-t', 'a1'])).code, 1);
    await host.vitrine('has', '-t', pane.id);
    await host.vitrine('kill-session', '-t', 'a9');
    assert.equal((await host.run(['has', '-t', 'a9'])).code, 1);
    await host.vitrine('kill-session', '-t', 'a2');
    for (const name of ['new-session', 'list-sessions', 'list-panes', 'has-session', 'rename-session', 'kill-session']) called.add(name);
  });

  test('kill-session -a ends all others', async (t) => {
    const own = await createHost(t);
    for (const name of ['x', 'y', 'z']) await own.vitrine('new', '-d', '-s', name, 'cat');
    await own.vitrine('kill-session', '-a', '-t', 'y');
    assert.deepEqual((await own.json('ls', '--json')).map(({ name }) => name), ['y']);
  });

  test('send-keys takes names, literal text with -l, bytes with -H', async () => {
    await host.vitrine('new', '-d', '-s', 'k1', '-x', '120', "stty -icanon -echo -isig; echo ready; exec od -An -tx1 -v -w1");
    await host.sees('k1', /ready/);
    await host.vitrine('send-keys', '-t', 'k1', 'a', 'Enter', 'C-c', 'Up', 'F5', 'M-x', 'Space', 'Escape');
    await host.vitrine('send-keys', '-t', 'k1', '-l', 'Up');
    await host.vitrine('send-keys', '-t', 'k1'); // nothing is typed
    await host.vitrine('send-keys', '-t', 'k1', '-l', '');
    await host.vitrine('send-keys', '-t', 'k1', '-H', '00', 'ff', '1b');
    const want = '61 0a 03 1b 5b 41 1b 5b 31 35 7e 1b 78 20 1b 55 70 00 ff 1b'; // icrnl makes Enter 0a
    const got = await until(async () => {
      const bytes = (await host.screen('k1', '-S', '-')).split('\n').slice(1).map((line) => line.trim()).join(' ').trim();
      return bytes.length >= want.length && bytes;
    }, 'the bytes', DEADLINE_MS);
    assert.equal(got, want);
    await host.vitrine('kill-session', '-t', 'k1');
    called.add('send-keys');
  });

  test('capture-pane: the screen, lines of the scrollback, with escapes, joined, with blanks', async () => {
    await host.vitrine('new', '-d', '-s', 'c1', '-x', '20', '-y', '4',
      `for i in 1 2 3 4 5 6; do echo line $i; done; printf '\\033[31mred\\033[0m  \\n'; printf '%s' 1234567890123456789012345; exec cat`);
    await host.sees('c1', /12345$/);
    const capture = async (...args) => (await host.vitrine('capture-pane', '-p', '-t', 'c1', ...args)).split('\n');
    assert.deepEqual(await capture(), ['line 6', 'red', '12345678901234567890', '12345', '']);
    assert.deepEqual((await capture('-S', '-')).slice(0, 3), ['line 1', 'line 2', 'line 3']);
    assert.deepEqual(await capture('-S', '-2', '-E', '-1'), ['line 4', 'line 5', '']);
    assert.deepEqual(await capture('-S', '2', '-E', '3', '-J'), ['1234567890123456789012345', '']);
    assert.match((await capture('-e'))[1], /^\x1b\[0;31mred/);
    assert.match((await capture('-N'))[1], /^red {2,}$/);
    await host.vitrine('kill-session', '-t', 'c1');
    called.add('capture-pane');
  });

  test('share prints one object; shares, links, viewers, unshare speak of it', async (t) => {
    const own = await createHost(t);
    const { code, stdout, stderr } = await own.run(['share', '--json', '-d', '-n', 'my share', '--label', 'team', '--', 'cat']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.equal(stdout.trimEnd().split('\n').length, 1);
    const shared = JSON.parse(stdout);
    assert.deepEqual(keys(shared), ['commands', 'kind', 'links', 'name', 'pane', 'share']);
    assert.deepEqual([shared.kind, shared.commands], ['pane', false]);
    assert.equal(shared.name, 'my share');
    assert.match(shared.pane, /^%\d+$/);
    assert.deepEqual(shared.links.map((link) => [keys(link), link.role, link.label]), [[['label', 'link_id', 'role', 'url'], 'spectator', 'team']]);
    assert.match(shared.links[0].url, /^http:\/\/127\.0\.0\.1:\d+\/#[A-Za-z0-9_-]{87}$/);
    assert.match(shared.links[0].link_id, /^[0-9a-f]{32}$/);
    assert.deepEqual(await own.json('links', '--json'), shared);
    const [listed] = await own.json('shares', '--json');
    assert.deepEqual([keys(listed), listed.share, listed.viewers, listed.ended], [['commands', 'created', 'ended', 'kind', 'name', 'pane', 'share', 'viewers'], shared.share, 0, false]);
    const viewer = await own.join(shared.links[0].url, { name: 'Ann' });
    const [seen] = await own.json('viewers', '--json', '-t', String(shared.share));
    assert.deepEqual(keys(seen), ['away', 'behind', 'client', 'id', 'input_bytes', 'label', 'name', 'peer', 'role', 'share', 'since_s']);
    assert.deepEqual([seen.name, seen.role, seen.away, seen.label], ['Ann', 'spectator', false, 'team']);
    assert.match(await own.vitrine('viewers'), /^\d+: Ann, spectator, share 1, 127\.0\.0\.1:\d+, \d+s, link team$/m);
    assert.match(await own.vitrine('shares'), /"my share", 1 link, 1 watching/);
    await own.vitrine('unshare', '-t', shared.pane);
    assert.equal((await viewer.bye()).reason, 1);
    assert.deepEqual(await own.json('shares', '--json'), []);
    assert.deepEqual(await own.json('viewers', '--json'), []);
    for (const name of ['share', 'shares', 'links', 'viewers', 'unshare']) called.add(name);
  });

  test('share for people: links, and what the writing one grants; links --qr draws them', async (t) => {
    const own = await createHost(t);
    const text = await own.vitrine('share', '-d', '--write', '--', 'cat');
    assert.match(text, /^● sharing pane %0 as share 1\nview: {2}http:\S+\nwrite: http:\S+\n.*everything you can/m);
    assert.match(await own.vitrine('links'), /^view: {2}\S+\nwrite: \S+\n.*everything you can.*\n$/);
    assert.match(await own.vitrine('links', '--qr'), /[▀▄█]{10,}/);
    const again = await own.vitrine('share', '-d', '-t', '%0');
    assert.equal(again.match(/http:\S+/)[0], text.match(/http:\S+/)[0]);
    const { stdout, stderr } = await own.run(['share', '-d', '--json', '--write', '--', 'cat']);
    assert.equal(JSON.parse(stdout).links.length, 2);
    assert.match(stderr, /^Whoever opens the write link can do everything you can in this shell\.\n$/);
    await own.vitrine('unshare', '--all');
    assert.deepEqual(await own.json('shares', '--json'), []);
  });

  test('share options reach the pane: -e, -c, -x, -y', async (t) => {
    const own = await createHost(t);
    const { pane } = await own.share(['bash', '--norc', '-c', 'echo "$FOO:$PWD:$(stty size)"; exec cat'],
      { options: ['-e', 'FOO=bar baz', '-c', '/usr', '-x', '70', '-y', '11'] });
    await own.sees(pane, /^bar baz:\/usr:11 70$/m);
  });

  test('kick says who goes', async (t) => {
    const own = await createHost(t);
    const shared = await own.share(['cat']);
    const viewer = await own.join(shared.view);
    const [{ id }] = await own.json('viewers', '--json');
    await own.vitrine('kick', String(id), 'lunch \x1b[31mtime');
    const bye = await viewer.bye();
    assert.equal(bye.reason, 5);
    assert.match(bye.text, /^lunch .*time$/);
    assert.doesNotMatch(bye.text, /\x1b/);
    assert.equal((await own.run(['kick', String(id)])).code, 1);
    called.add('kick');
  });

  test('gate status and restart, info', async (t) => {
    const own = await createHost(t);
    await own.vitrine('start-server');
    assert.equal((await own.gate()).state, 'off');
    assert.equal((await own.run(['gate', 'restart'])).code, 1);
    assert.deepEqual(await own.json('gate', 'status', '--json'), await own.json('gate', '--json', 'status'));
    const shared = await own.share(['cat']);
    const before = await own.gate();
    assert.deepEqual(keys(before), ['address', 'connections', 'pid', 'port', 'restarts', 'state']);
    assert.equal(before.state, 'ready');
    await own.vitrine('gate', 'restart');
    const after_ = await until(async () => {
      const now = await own.gate();
      return now.state === 'ready' && now.pid !== before.pid && now;
    }, 'the next gate', DEADLINE_MS);
    assert.deepEqual([after_.port, after_.restarts], [before.port, 1]);
    for (let i = 0; i < 5; i++) await own.vitrine('gate', 'restart'); // also while it starts
    await until(async () => (await own.gate()).state === 'ready', 'the next gate', DEADLINE_MS);
    assert.deepEqual([...new Set(own.log.match(/starting it again in \d+ ms/g))], ['starting it again in 100 ms']);
    await own.join(shared.view);
    assert.match(await own.vitrine('gate', 'status'), /ready on 127\.0\.0\.1 port \d+/);
    const info = await own.info();
    assert.deepEqual(keys(info), ['clients', 'gate', 'pid', 'sessions', 'shares', 'socket', 'up_s', 'version', 'viewers']);
    assert.deepEqual([info.sessions, info.shares, info.viewers, info.socket], [1, 1, 1, own.socket]);
    assert.match(await own.vitrine('info'), /^vitrined [\d.]+, process \d+/);
    called.add('gate').add('info').add('start-server');
  });

  test('doctor finds nothing wrong here, as text and as JSON', async () => {
    assert.match(await host.vitrine('doctor'), /^ok +daemon/m);
    const { checks, ok } = await host.json('doctor', '--json');
    assert.ok(ok && checks.length >= 9);
    for (const one of checks) assert.deepEqual(keys(one), ['check', 'detail', 'ok']);
    assert.deepEqual(checks.filter(({ ok }) => !ok), []);
    called.add('doctor');
  });

  test('detach-client with nobody attached is no error; help and list-commands name every command', async () => {
    await host.vitrine('new', '-d', '-s', 'd1', 'cat');
    await host.vitrine('detach-client', '-s', 'd1');
    assert.match((await host.run(['detach-client', '-a'])).stderr, /no current client/);
    await host.vitrine('kill-session', '-t', 'd1');
    const help = await host.vitrine('help');
    for (const { name, usage } of await listCommands(host)) {
      assert.ok(help.includes(`  ${name}`), name);
      const one = await host.vitrine('help', name);
      assert.ok(one.startsWith(`usage: vitrine ${name}${usage ? ` ${usage}` : ''}\n`), one);
      assert.equal((await host.vitrine(name, '--help')), one);
    }
    for (const name of ['detach-client', 'help', 'list-commands', 'version']) called.add(name);
  });

  test('kill-server ends programs, shares and the daemon', async (t) => {
    const own = await createHost(t);
    const shared = await own.share(['cat']);
    const viewer = await own.join(shared.view);
    await own.info();
    const { pid } = (await own.json('list-panes', '-a', '--json'))[0];
    own.pids.add(pid);
    await own.vitrine('kill-server');
    assert.equal((await viewer.bye()).reason, 9);
    assert.equal((await own.run(['ls'])).code, 1);
    called.add('kill-server');
  });
});

test('every command is called by a test, here or beside tmux', async (t) => {
  const host = await createHost(t);
  const here = path.dirname(fileURLToPath(import.meta.url));
  const files = [here, path.join(here, '../mux')].flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)));
  const text = files.filter((name) => name.endsWith('.mjs')).map((name) => readFileSync(name, 'utf8')).join('');
  const isCalled = ({ name, alias }) => [name, alias].some((word) => word && new RegExp(`['"\`]${word}['"\` ]`).test(text));
  const missing = (await listCommands(host)).filter((command) => !isCalled(command)).map(({ name }) => name);
  assert.deepEqual(missing.filter((name) => !called.has(name)), []);
});
