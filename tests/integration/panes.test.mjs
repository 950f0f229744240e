// What a program finds in its pane, and what happens where the machine is not as it should be.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { BIN, DEADLINE_MS, collect, createHost, until } from './host.mjs';

/** Runs shell text in a new pane; gives what it wrote to a file, once it has ended. */
async function fromPane(host, text, { options = [], ...how } = {}) {
  const out = path.join(host.dir, `out-${Math.random().toString(36).slice(2)}`);
  const { code, stderr } = await host.run(['new', '-d', ...options, `{ ${text}\n} >${out}.new 2>&1; mv ${out}.new ${out}`], how);
  assert.equal(code, 0, stderr);
  await until(() => existsSync(out), 'the program in the pane', DEADLINE_MS);
  return readFileSync(out, 'utf8');
}

const lines = (text) => Object.fromEntries(text.trimEnd().split('\n').map((line) => {
  const at = line.indexOf('=');
  return [line.slice(0, at), line.slice(at + 1)];
}));

describe('what a program finds', { concurrency: 4 }, () => {
  test('its environment: TERM, COLORTERM, VITRINE, VITRINE_PANE; not that of another terminal', async (t) => {
    const host = await createHost(t);
    const env = { TERM: 'screen', TMUX: '/x,1,2', TMUX_PANE: '%9', STY: 's', COLUMNS: '7', LINES: '8', COLORTERM: 'no', KEPT: 'a=b c', VITRINE_PANE: '%44' };
    const got = lines(await fromPane(host, 'env', { env, options: ['-e', 'GIVEN=1'] }));
    const { pid } = await host.info();
    assert.deepEqual([got.TERM, got.COLORTERM, got.VITRINE_PANE], ['xterm-256color', 'truecolor', '%0']);
    assert.equal(got.VITRINE, `${host.socket},${pid},0`);
    assert.deepEqual([got.KEPT, got.GIVEN, got.HOME, got.LANG], ['a=b c', '1', host.home, 'C.UTF-8']);
    for (const name of ['TMUX', 'TMUX_PANE', 'STY']) assert.equal(got[name], undefined, name);
  });

  test('as much scrollback as was asked for, 10,000 lines otherwise', async (t) => {
    const host = await createHost(t);
    const kept = async (...options) => {
      await host.vitrine('new', '-d', '-s', 'lines', ...options, 'seq 12000; exec cat');
      const [{ id }] = (await host.json('list-panes', '--json', '-t', 'lines'));
      const pane = async () => (await host.json('list-panes', '--json', '-t', id))[0];
      await until(async () => /12000/.test(await host.screen(id)), 'the last line');
      const { history } = await pane();
      const [line] = (await host.vitrine('list-panes', '-t', id)).split('\n');
      assert.match(line, new RegExp(`\\[history ${history}/${history}\\]`), 'full, and so it says its own limit');
      await host.vitrine('kill-session', '-t', 'lines');
      return history;
    };
    assert.equal(await kept(), 10000);
    assert.equal(await kept('--history-limit', '25'), 25);
    assert.equal(await kept('--history-limit', '0'), 0);
    const { code, stderr } = await host.run(['new', '-d', '--history-limit', '1000001']);
    assert.equal(code, 2, 'out of range');
    assert.match(stderr, /--history-limit 1000001: a number from 0 to 1000000 is wanted/);
    assert.deepEqual(await host.json('ls', '--json'), []);
  });

  test('each variable once, -e above the inherited one', async (t) => {
    const host = await createHost(t);
    const raw = await fromPane(host, 'tr "\\0" "\\n" </proc/$$/environ', { env: { TWICE: 'old' }, options: ['-e', 'TWICE=new', '-e', 'TERM=mine'] });
    const names = raw.trimEnd().split('\n').map((line) => line.split('=')[0]);
    assert.deepEqual(names.filter((name, i) => names.indexOf(name) !== i), []);
    assert.equal(lines(raw).TWICE, 'new');
  });

  test('its directory is the caller’s, or that of -c', async (t) => {
    const host = await createHost(t);
    mkdirSync(path.join(host.home, 'sub'));
    assert.equal(await fromPane(host, 'pwd'), `${host.home}\n`);
    assert.equal(await fromPane(host, 'pwd', { options: ['-c', 'sub'] }), `${host.home}/sub\n`);
    assert.equal(await fromPane(host, 'pwd', { options: ['-c', '/usr'] }), '/usr\n');
  });

  test('its size is the asked-for one; standard streams are its controlling terminal', async (t) => {
    const host = await createHost(t);
    const text = await fromPane(host, 'stty size </dev/tty; for i in 0 1 2; do readlink /proc/self/fd/$i; done </dev/tty; ps -o tty=,sid=,pid= -p $$', { options: ['-x', '101', '-y', '37'] });
    const [size, , , , ps] = text.trimEnd().split('\n');
    assert.equal(size, '37 101');
    const [tty, sid, pid] = ps.trim().split(/\s+/);
    assert.match(tty, /^pts\/\d+$/);
    assert.equal(sid, pid, 'a session of its own');
  });

  test('only descriptors 0 to 2 are open, though the daemon has many', async (t) => {
    const host = await createHost(t);
    const shared = await host.share(['cat']);
    await host.join(shared.view);
    const out = path.join(host.dir, 'fds');
    await host.vitrine('new', '-d', 'bash', '-c', `ls -l /proc/$$/fd >${out}.new; mv ${out}.new ${out}`);
    await until(() => existsSync(out), 'the list', DEADLINE_MS);
    const open = [...readFileSync(out, 'utf8').matchAll(/ (\d+) -> (\S+)/g)].map(([, fd, to]) => [Number(fd), to]);
    assert.deepEqual(open.map(([fd]) => fd).sort(), [0, 1, 2]);
    for (const [, to] of open) assert.match(to, /^\/dev\/pts\/\d+$/);
  });

  test('no signal is blocked or ignored; limits and umask are those of the caller', async (t) => {
    const host = await createHost(t);
    const script = 'grep -E "^Sig(Blk|Ign)" /proc/self/status; echo "n=$(ulimit -Sn) $(ulimit -Hn)"; echo "c=$(ulimit -Hc)"; umask';
    const limits = 'ulimit -Sn 777; umask 0027';
    const want = await collect(['sh', '-c', `${limits}; ${script}`], { env: host.env });
    await host.run(['start-server'], { limits });
    const got = await fromPane(host, script, { limits });
    assert.deepEqual(got.split('\n').slice(2), want.stdout.split('\n').slice(2));
    const [, blocked, ignored] = /SigBlk:\s+(\w+)\nSigIgn:\s+(\w+)\n/.exec(got);
    const OF_THE_C_LIBRARY = 0x180000000n; // it keeps two real-time signals to itself
    assert.deepEqual([BigInt(`0x${blocked}`), BigInt(`0x${ignored}`) & ~OF_THE_C_LIBRARY], [0n, 0n]);
  });

  test('a login shell without words, sh -c for one word, the program itself for more', async (t) => {
    const host = await createHost(t);
    await host.vitrine('new', '-d', '-s', 'login');
    const [{ pid }] = await host.json('list-panes', '--json', '-t', 'login');
    const name = () => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0];
    await until(() => name() === '-bash', 'the login shell', DEADLINE_MS);
    await host.vitrine('new', '-d', '-s', 'line', 'echo $((40+2)); exec cat');
    await host.sees('line', /^42$/m);
    await host.vitrine('new', '-d', '-s', 'words', 'printf', '[%s]', 'a b', '$HOME');
    await host.vitrine('new', '-d', '-s', 'still', 'cat', '-');
    assert.equal((await host.run(['has', '-t', 'still'])).code, 0);
  });

  test('a SHELL that is none: /bin/sh', async (t) => {
    const host = await createHost(t);
    for (const SHELL of ['/no/such/shell', 'bash', '', undefined]) {
      assert.equal(await fromPane(host, 'echo ok', { env: { SHELL } }), 'ok\n', String(SHELL));
    }
  });
});

describe('machines that lack something', { concurrency: 4 }, () => {
  test('HOME, TERM, SHELL and LANG unset', async (t) => {
    const host = await createHost(t, { env: { HOME: undefined, TERM: undefined, SHELL: undefined, LANG: undefined } });
    const shared = await host.share(['sh', '-c', 'echo "home:${HOME-none}"; exec cat']);
    const viewer = await host.join(shared.write);
    await viewer.sees(/home:none/);
    viewer.type(shared.pane, 'fine\r');
    await viewer.sees(/fine\nfine/);
  });

  test('a working directory that is gone', async (t) => {
    const host = await createHost(t);
    const dir = path.join(host.home, 'gone');
    mkdirSync(dir);
    const argv = ['sh', '-c', `cd ${dir}; rmdir ${dir}; exec ${path.join(BIN, 'vitrine')} new -d -s here cat`];
    const { code, stderr } = await collect(argv, { env: host.env, cwd: host.home });
    assert.equal(code, 0, stderr);
    assert.equal((await host.run(['has', '-t', 'here'])).code, 0);
  });

  test('a runtime directory that cannot be made, is open to others, is a link or no directory: says which and what to do', async (t) => {
    const host = await createHost(t);
    const open = path.join(host.dir, 'open');
    const link = path.join(host.dir, 'link');
    const file = path.join(host.dir, 'file');
    mkdirSync(open);
    chmodSync(open, 0o755);
    symlinkSync(host.runtime, link);
    writeFileSync(file, '');
    const rows = [[path.join(host.dir, 'no/such'), /cannot make/], [open, /open to others: chmod 700/], [link, /symbolic link/], [file, /no directory/], ['/proc/nowhere', /cannot make/]];
    for (const [dir, pattern] of rows) {
      const { code, stderr } = await host.run(['new', '-d', 'cat'], { env: { VITRINE_TMPDIR: dir } });
      assert.equal(code, 1, dir);
      assert.ok(stderr.includes(dir) && pattern.test(stderr), stderr);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    }
  });

  test('a read-only runtime directory: the reason and the path', async (t) => {
    const host = await createHost(t, { plain: true }); // root may write everywhere
    chmodSync(host.runtime, 0o500);
    const { code, stderr } = await host.run(['new', '-d', 'cat']);
    if (process.getuid() === 0 && /setpriv.*Permission denied/.test(stderr)) return t.skip(`${BIN} is not open to other users`);
    assert.equal(code, 1);
    assert.ok(stderr.includes(host.runtime) && /denied/i.test(stderr), stderr);
  });

  test('a socket path that is too long: exit 1, how long it may be, -S as the way out', async (t) => {
    const host = await createHost(t);
    const { code, stderr } = await host.run(['new', '-d', 'cat'], { env: { VITRINE_TMPDIR: `/tmp/${'d'.repeat(120)}` } });
    assert.equal(code, 1);
    assert.match(stderr, /longer than a socket's path may be \(107 bytes\); use -S/);
    const name = await host.run(['-L', 'n'.repeat(120), 'new', '-d', 'cat']);
    assert.equal(name.code, 1);
    assert.match(name.stderr, /socket/);
  });

  test('a stale socket is replaced', async (t) => {
    const host = await createHost(t);
    await host.vitrine('start-server');
    const { pid } = await host.info();
    process.kill(pid, 'SIGKILL');
    await until(async () => (await host.run(['ls'])).code === 1, 'the daemon to be gone', DEADLINE_MS);
    assert.ok(existsSync(host.socket));
    await host.vitrine('new', '-d', 'cat');
    assert.notEqual((await host.info()).pid, pid);
  });

  test('descriptors run out: a clear message, and commands go on working', async (t) => {
    const host = await createHost(t);
    const limits = 'ulimit -n 64';
    let failed;
    for (let i = 0; i < 80 && !failed; i++) {
      const result = await host.run(['new', '-d', 'cat'], { limits });
      if (result.code !== 0) failed = result;
    }
    assert.equal(failed?.code, 1, 'sessions must run out');
    assert.match(failed.stderr, /^vitrine: cannot start .*: Too many open files/);
    const sessions = await host.json('ls', '--json');
    assert.ok(sessions.length > 10, `${sessions.length} sessions`);
    await host.sees('0', /^$/);
    const shared = await host.json('share', '--json', '-d', '-t', '0'); // the gate needs some too
    await host.join(shared.links[0].url);
    await host.vitrine('kill-session', '-t', sessions[0].name);
    await host.vitrine('new', '-d', 'cat');
  });

  test('files may not grow: nothing is logged, everything else works', async (t) => {
    const host = await createHost(t);
    assert.equal((await host.run(['new', '-d', '-s', 'main', 'cat'], { limits: 'ulimit -f 0' })).code, 0);
    const { pid } = await host.info();
    const shared = await host.json('share', '--json', '-d', '-t', 'main'); // daemon and gate log this
    await host.join(shared.links[0].url);
    await host.vitrine('kick', '1');
    const refused = host.viewer(shared.links[0].url, { socketOptions: { headers: { Origin: 'http://elsewhere.example' } } });
    await refused.until(() => refused.closes.length > 0, 'a refusal');
    const info = await host.info();
    assert.deepEqual([info.pid, info.gate.restarts], [pid, 0]);
    assert.equal(host.log, '');
  });

  test('more connections to the daemon than it may have: it lives on', async (t) => {
    const host = await createHost(t);
    await host.run(['new', '-d', 'cat'], { limits: 'ulimit -n 64' });
    const { connect } = await import('node:net');
    const sockets = Array.from({ length: 200 }, () => connect(host.socket).on('error', () => undefined));
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    await until(() => sockets.some((socket) => socket.destroyed || socket.readyState === 'open'), 'connections', DEADLINE_MS);
    for (const socket of sockets.splice(0)) socket.destroy();
    await until(async () => (await host.run(['ls'])).code === 0, 'an answer', DEADLINE_MS);
  });
});
