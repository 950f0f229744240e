// Config files, hooks and the programs they run: what they do, what is said of what is wrong.

import test, { describe } from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DEADLINE_MS, createHost, until } from './host.mjs';

const write = (host, name, text) => {
  const file = path.join(host.home, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** The lines of a file that hooks append to, once there are n. */
const lines = (file, n) => until(() => {
  const all = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  return all.length >= n && { all };
}, `${n} lines in ${file}`, DEADLINE_MS).then(({ all }) => all);

describe('config files', () => {
  test('a hook that makes what it is called for runs once', async (t) => {
    const host = await createHost(t);
    await host.vitrine('start-server');
    await host.vitrine('set-hook', '-g', 'session-created', 'new-session -d -s made cat');
    await host.vitrine('set-hook', '-g', 'window-linked', 'new-window -d cat');
    await host.vitrine('new-session', '-d', '-s', 'one', 'cat');
    const windows = (await host.vitrine('list-windows', '-a', '-F', '#{session_name}')).trim().split('\n').sort();
    assert.deepEqual(windows, ['made', 'one', 'one']);
  });

  test('vitrine.conf is read at start; what is wrong has file and line and stops nothing', async (t) => {
    const host = await createHost(t);
    const file = write(host, '.config/vitrine/vitrine.conf', [
      '# mine', 'set -g base-index 1', 'set -g nonsense 1', 'set -g mouse maybe ; set -g @skipped 1', "set -g @open 'x", 'y',
    ].join('\n'));
    await host.vitrine('new', '-d', '-s', 'a', 'cat');
    assert.equal(await host.vitrine('list-windows', '-F', '#I'), '1\n');
    assert.equal(await host.vitrine('show-messages'), [
      `${file}:3: invalid option: nonsense`, `${file}:4: bad value: maybe`, `${file}:5: a quote is not closed`, '',
    ].join('\n'));
    assert.match(host.log, /vitrine\.conf:3: invalid option: nonsense/);
    assert.equal(await host.vitrine('show', '-gqv', '@skipped'), '');
  });

  test('-f names another, $XDG_CONFIG_HOME another place; a missing one is told of', async (t) => {
    const host = await createHost(t);
    write(host, '.config/vitrine/vitrine.conf', 'set -g @from home');
    write(host, 'other.conf', 'set -g @from other');
    write(host, 'xdg/vitrine/vitrine.conf', 'set -g @from xdg');
    const from = async (args, env) => {
      await host.run([...args, 'start-server'], { env });
      const value = await host.vitrine('show', '-gqv', '@from');
      const said = await host.vitrine('show-messages');
      await host.vitrine('kill-server');
      await until(async () => (await host.run(['ls'])).code === 1, 'the daemon to end', DEADLINE_MS);
      return [value, said];
    };
    assert.deepEqual(await from([], {}), ['home\n', '']);
    assert.deepEqual(await from(['-f', 'other.conf'], {}), ['other\n', '']);
    assert.deepEqual(await from(['-f', '/dev/null'], {}), ['', '']);
    assert.deepEqual(await from([], { XDG_CONFIG_HOME: path.join(host.home, 'xdg') }), ['xdg\n', '']);
    const [, said] = await from(['-f', 'none.conf'], {});
    assert.match(said, /none\.conf: No such file or directory\n$/);
  });

  test('new-session in it, without a terminal, is detached', async (t) => {
    const host = await createHost(t);
    write(host, '.config/vitrine/vitrine.conf', "new-session -s made 'cat'\nsplit-window -t made 'cat'\n");
    await host.vitrine('start-server');
    assert.equal(await host.vitrine('display', '-p', '-t', 'made', '#{session_name} #{window_panes}'), 'made 2\n');
  });

  test('source-file: several, patterns, -q, -n, -v, itself, none', async (t) => {
    const host = await createHost(t);
    write(host, 'c/1.conf', 'set -g @one 1');
    write(host, 'c/2.conf', '%if "#{==:#{@one},}"\nset -g @two early\n%else\nset -g @two late\n%endif');
    await host.vitrine('start-server');
    await host.vitrine('source-file', 'c/*.conf');
    assert.equal(await host.vitrine('show', '-gv', '@one'), '1\n');
    assert.equal(await host.vitrine('show', '-gv', '@two'), 'early\n', 'texts are read before they run');
    const missing = await host.run(['source-file', 'none.conf', 'c/1.conf']);
    assert.deepEqual([missing.code, missing.stderr], [1, 'vitrine: none.conf: No such file or directory\n']);
    assert.equal((await host.run(['source-file', '-q', 'none.conf'])).code, 0);
    const bad = write(host, 'bad.conf', 'no-such\nset -g @three 3');
    const checked = await host.run(['source-file', '-n', 'bad.conf']);
    assert.deepEqual([checked.code, checked.stderr], [1, `vitrine: ${bad}:1: unknown command: no-such\n`]);
    assert.equal(await host.vitrine('show', '-gqv', '@three'), '');
    const run = await host.run(['source-file', '-v', 'bad.conf']);
    assert.deepEqual([run.code, run.stdout, run.stderr], [1, `${bad}:1: no-such\n${bad}:2: set -g @three 3\n`, `vitrine: ${bad}:1: unknown command: no-such\n`]);
    assert.equal(await host.vitrine('show', '-gv', '@three'), '3\n');
    const itself = write(host, 'self.conf', `source-file ${host.home}/self.conf`);
    const nested = await host.run(['source-file', 'self.conf']);
    assert.equal(nested.code, 1);
    assert.match(nested.stderr, /nested too deep/);
    assert.ok(itself);
  });
});

describe('if-shell and run-shell', () => {
  test('what they run, print and return', async (t) => {
    const host = await createHost(t);
    await host.vitrine('new', '-d', '-s', 'a', 'cat');
    assert.equal(await host.vitrine('run-shell', 'echo "#{session_name} $VITRINE_SESSION $VITRINE_PANE_ID"; echo err >&2'), 'a a %0\nerr\n');
    const failed = await host.run(['run-shell', 'exit 3']);
    assert.deepEqual([failed.code, failed.stderr], [1, "vitrine: 'exit 3' returned 3\n"]);
    const killed = await host.run(['run-shell', 'kill -9 $$']);
    assert.deepEqual([killed.code, killed.stderr], [1, "vitrine: 'kill -9 $$' terminated by signal 9\n"]);
    assert.equal(await host.vitrine('run-shell', '-C', 'display-message -p "#S"'), 'a\n');
    assert.equal(await host.vitrine('if-shell', 'true', 'display -p yes', 'display -p no'), 'yes\n');
    assert.equal(await host.vitrine('if-shell', 'false', 'display -p yes', 'display -p no'), 'no\n');
    assert.equal(await host.vitrine('if-shell', 'false', 'display -p yes'), '');
    assert.equal(await host.vitrine('if-shell', '-F', '#{==:#S,a}', 'display -p one ; display -p two', 'display -p no'), 'one\ntwo\n');
    const file = path.join(host.home, 'out');
    await host.vitrine('run-shell', '-b', `echo done >>${file}`);
    assert.deepEqual(await lines(file, 1), ['done']);
    await host.vitrine('if-shell', '-b', 'true', `run-shell "echo more >>${file}"`);
    assert.deepEqual(await lines(file, 2), ['done', 'more']);
  });

  test('a great deal of output is bounded; what is left in the background does not hold up', async (t) => {
    const host = await createHost(t);
    await host.vitrine('start-server');
    const much = await host.vitrine('run-shell', 'head -c 3000000 /dev/zero | tr "\\0" x');
    assert.equal(much.length, (256 << 10) + 1);
    const [pid] = (await host.vitrine('run-shell', 'sleep 600 & echo $!')).split('\n');
    process.kill(Number(pid), 'SIGTERM');
    assert.equal((await host.run(['run-shell', 'exit 0'])).code, 0);
    await host.vitrine('run-shell', '-b', 'exec sleep 600'); // ended with the daemon
    await host.vitrine('if-shell', '-b', 'exec sleep 600', 'kill-server');
  });
});

describe('hooks', () => {
  test('run with ids and names, for what came, changed and went', async (t) => {
    const host = await createHost(t);
    const file = path.join(host.home, 'seen');
    await host.vitrine('start-server');
    const note = (what) => `run-shell -b 'echo "${what}" >>${file}'`;
    await host.vitrine('set-hook', '-g', 'session-created', note('created #{hook_session_name} $VITRINE_HOOK_SESSION'));
    await host.vitrine('set-hook', '-g', 'window-linked', note('linked #{hook_window_name}'));
    await host.vitrine('new', '-d', '-s', 'a', '-n', 'w', 'cat');
    assert.deepEqual((await lines(file, 2)).sort(), ['created a $0', 'linked w']);
    await host.vitrine('set-hook', '-gu', 'window-linked');
    await host.vitrine('set-hook', '-g', 'session-renamed', note('renamed #{hook_session_name}'));
    await host.vitrine('rename-session', '-t', 'a', 'b');
    assert.equal((await lines(file, 3))[2], 'renamed b');
    await host.vitrine('set-hook', '-g', 'pane-exited', note('exited #{hook_pane} #{exit_status} $VITRINE_EXIT_STATUS'));
    await host.vitrine('new-window', '-d', '-t', 'b', 'exit 4');
    assert.equal((await lines(file, 4))[3], 'exited %1 4 4');
    await host.vitrine('set-hook', '-g', 'session-closed', note('closed #{hook_session_name}'));
    await host.vitrine('kill-session', '-t', 'b');
    assert.equal((await lines(file, 5))[4], 'closed b');
  });

  test('shares and viewers: never a link or a secret in the environment', async (t) => {
    const host = await createHost(t);
    const file = path.join(host.home, 'seen'), env = path.join(host.home, 'env');
    await host.vitrine('start-server');
    for (const [hook, id] of [['share-created', '#{share_name}'], ['share-ended', '#{share_name}'], ['viewer-joined', '$VITRINE_VIEWER'], ['viewer-left', '$VITRINE_VIEWER']]) {
      await host.vitrine('set-hook', '-g', hook, `run-shell -b 'echo "${hook} ${id}" >>${file}; env >>${env}'`);
    }
    const shared = await host.share(['cat']);
    assert.match((await lines(file, 1))[0], /^share-created \S+/);
    const viewer = await host.join(shared.view);
    assert.match((await lines(file, 2))[1], /^viewer-joined \d+$/);
    viewer.close?.();
    await host.vitrine('unshare', '--all');
    const all = await lines(file, 4);
    assert.ok(all.some((line) => /^viewer-left \d+$/.test(line)) && all.some((line) => /^share-ended/.test(line)), all.join());
    const secret = new URL(shared.view).hash.slice(1);
    await lines(env, 40);
    assert.ok(!readFileSync(env, 'utf8').includes(secret) && !readFileSync(env, 'utf8').includes('http'));
  });

  test('after-<command>; a hook’s own commands run no hooks; names that nothing runs are refused', async (t) => {
    const host = await createHost(t);
    await host.vitrine('new', '-d', '-s', 'a', 'cat');
    await host.vitrine('set-hook', '-g', 'after-new-window', 'set -ga @n x ; new-window -d cat');
    await host.vitrine('new-window', '-d', 'cat');
    assert.equal(await host.vitrine('show', '-gv', '@n'), 'x\n');
    assert.equal(await host.vitrine('display', '-p', '#{session_windows}'), '3\n');
    assert.equal(await host.vitrine('show-hooks', '-g'), 'after-new-window[0] set -ga @n x ; new-window -d cat\n');
    await host.vitrine('set-hook', '-t', 'a', 'after-rename-window', 'set -g @own yes');
    await host.vitrine('rename-window', 'z');
    assert.equal(await host.vitrine('show', '-gv', '@own'), 'yes\n');
    const bad = await host.run(['set-hook', '-g', 'no-such', 'kill-server']);
    assert.deepEqual([bad.code, bad.stderr], [1, 'vitrine: no such hook: no-such\n']);
    await host.vitrine('set-hook', '-g', 'after-rename-window', 'no-such-command');
    await host.vitrine('set-hook', '-u', '-t', 'a', 'after-rename-window');
    await host.vitrine('rename-window', 'y');
    assert.equal(await host.vitrine('show-messages'), 'after-rename-window: unknown command: no-such-command\n');
  });

  test('a hook that ends everything', async (t) => {
    const host = await createHost(t);
    await host.vitrine('new', '-d', '-s', 'a', 'cat');
    await host.vitrine('set-hook', '-g', 'pane-exited', 'kill-session -t a');
    await host.vitrine('split-window', '-t', 'a', 'true');
    await until(async () => (await host.vitrine('ls')) === '', 'the session to end', DEADLINE_MS);
  });
});
