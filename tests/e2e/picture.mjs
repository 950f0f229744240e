// Takes the README's picture of the page: a real shell, shared by the real programs, in Chromium.
//
//   BIN=build/release/bin node tests/e2e/picture.mjs docs/images/page.png

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { createHost } from '../integration/host.mjs';
import { root, until } from '../web/setup.mjs';
import { hasFocus, launch, open, screenText } from './browser.mjs';

const target = path.resolve(process.argv[2] ?? path.join(root, 'docs/images/page.png'));
const endings = [];
const ending = { after: (action) => endings.unshift(action) };

async function run(page, command, pattern) {
  await page.keyboard.type(command);
  await page.keyboard.press('Enter');
  await until(async () => pattern.test(await screenText(page)), `${pattern}`);
}

try {
  const PS1 = '\\[\\e[1;32m\\]vitrine\\[\\e[0m\\]:\\[\\e[1;34m\\]\\w\\[\\e[0m\\]$ ';
  const env = { PS1, PATH: `${path.resolve(process.env.BIN)}:${process.env.PATH}`, HOME: root, HISTFILE: '' };
  const host = await createHost(ending, { env });
  const shared = await host.share(['bash', '--norc', '--noprofile'], { options: ['-c', root, '-x', '96', '-y', '20', '-n', 'demo'] });
  const running = await launch('chrome');
  ending.after(() => running.close());
  const reader = await open(running, shared.view);
  const page = await open(running, shared.write, { width: 980, height: 450, deviceScaleFactor: 1.5 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await until(() => hasFocus(page), 'the terminal');
  await run(page, 'ls --color', /Makefile/);
  await run(page, 'git log --color --format="%C(yellow)%h%C(reset) %s" | head -7', /\n[0-9a-f]{7,} /);
  await run(page, 'grep --color -n "HKDF(" docs/protocol.md | cut -c1-92', /vitrine v1 psk/);
  await run(page, 'vitrine viewers', /spectator/);
  await until(() => page.evaluate(() => document.body.innerText.includes('2 viewers')), 'the count');
  mkdirSync(path.dirname(target), { recursive: true });
  await page.screenshot({ path: target });
  await reader.close();
} finally {
  for (const end of endings) await end();
}
