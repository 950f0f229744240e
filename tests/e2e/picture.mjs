// Takes the README's picture of the page: a session of real shells, shared by the real programs, in
// Chromium.
//
//   BIN=build/release/bin node tests/e2e/picture.mjs docs/images/page.png

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createHost, linkOf } from '../integration/host.mjs';
import { root, until } from '../web/setup.mjs';
import { hasFocus, launch, open } from './browser.mjs';
import { bodyText, paneText, shownPanes } from './panes.mjs';

const target = path.resolve(process.argv[2] ?? path.join(root, 'docs/images/page.png'));
const endings = [];
const ending = { after: (action) => endings.unshift(action) };
const SHELL = ['bash', '--norc', '--noprofile'];

/** Types into a pane of the host and waits until the page shows what comes of it. */
async function run(host, page, at, command, pattern) {
  await host.vitrine('send-keys', '-t', `demo:0.${at}`, command, 'Enter');
  await until(async () => pattern.test(await paneText(page, at)), `${pattern}`);
}

try {
  const PS1 = '\\[\\e[1;32m\\]vitrine\\[\\e[0m\\]:\\[\\e[1;34m\\]\\w\\[\\e[0m\\]$ ';
  const env = { PS1, PATH: `${path.resolve(process.env.BIN)}:${process.env.PATH}`, HOME: root, HISTFILE: '' };
  const host = await createHost(ending, { env });
  await host.vitrine('new-session', '-d', '-s', 'demo', '-n', 'work', '-c', root, '-x', '130', '-y', '28', '--', ...SHELL);
  await host.vitrine('split-window', '-h', '-l', '55', '-c', root, '-t', 'demo:0.0', '--', ...SHELL);
  await host.vitrine('split-window', '-v', '-l', '9', '-c', root, '-t', 'demo:0.1', '--', ...SHELL);
  await host.vitrine('new-window', '-d', '-n', 'logs', '-t', 'demo:', '--', 'cat');
  for (const [at, title] of ['source', 'history', 'watching'].entries()) {
    await host.vitrine('select-pane', '-t', `demo:0.${at}`, '-T', title);
  }
  await host.vitrine('select-pane', '-t', 'demo:0.0');
  const shared = await host.json('share', '--json', '-d', '--write', '--session', '-t', 'demo');
  const running = await launch('chrome');
  ending.after(() => running.close());
  const reader = await open(running, linkOf(shared, 'spectator'));
  const page = await open(running, linkOf(shared, 'operator'), { width: 1100, height: 560, deviceScaleFactor: 1.5 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await until(async () => (await shownPanes(page)).length === 3 && hasFocus(page), 'the panes');
  await run(host, page, 0, 'ls --color', /Makefile/);
  await run(host, page, 0, 'grep --color -n "HKDF(" docs/protocol.md | cut -c1-70', /vitrine v1 psk/);
  await run(host, page, 1, 'clear; git log -11 --color --format="%C(yellow)%h%C(reset) %<(44,trunc)%s"', /\n[0-9a-f]{7,} /);
  await run(host, page, 2, 'vitrine viewers', /spectator/);
  await until(async () => (await bodyText(page)).includes('2 viewers'), 'the count');
  mkdirSync(path.dirname(target), { recursive: true });
  await page.screenshot({ path: target });
  await reader.close();
} finally {
  for (const end of endings) await end();
}
