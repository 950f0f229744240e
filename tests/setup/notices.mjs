// notices.mjs [--check]: writes docs/THIRD-PARTY-NOTICES, the licences of what the page bundles: the
// npm packages under `dependencies` of web/package.json and what those depend on, as installed by
// the lock file. With --check only tells whether the file is what it would write.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TOP = resolve(fileURLToPath(import.meta.url), '../../..');
const NOTICES = join(TOP, 'docs/THIRD-PARTY-NOTICES');

const HEAD = `Third-party notices

The page that Vitrine serves contains the following packages, each under the licence below.
Everything else Vitrine uses (libuv, libvterm, libsodium, mbed TLS, libqrencode, libwebsockets) is
linked from the system's packages and comes with its own notices there.
Made from web/package-lock.json by \`make notices\`.
`;

function readPackage(name) {
  const dir = join(TOP, 'web/node_modules', name);
  return { dir, ...JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) };
}

function bundledPackages() {
  const root = JSON.parse(readFileSync(join(TOP, 'web/package.json'), 'utf8'));
  const found = new Map();
  const queue = Object.keys(root.dependencies ?? {});
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (found.has(name)) continue;
    const entry = readPackage(name);
    found.set(name, entry);
    queue.push(...Object.keys(entry.dependencies ?? {}));
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function licenceText({ dir, name }) {
  const file = readdirSync(dir).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence file`);
  return readFileSync(join(dir, file), 'utf8').replace(/\r\n/g, '\n').trim();
}

// Packages with the same text stand together above it.
export function noticesText(packages) {
  const byText = new Map();
  for (const entry of packages) {
    const text = licenceText(entry);
    byText.set(text, [...(byText.get(text) ?? []), entry]);
  }
  const parts = [...byText].map(([text, entries]) => {
    const titles = entries.map(({ name, version, license }) => `${name} ${version} (${license})`);
    return `${'-'.repeat(78)}\n${titles.join('\n')}\n\n${text}\n`;
  });
  return [HEAD, ...parts].join('\n');
}

const text = noticesText(bundledPackages());
if (process.argv[2] !== '--check') {
  writeFileSync(NOTICES, text);
} else if (!existsSync(NOTICES) || readFileSync(NOTICES, 'utf8') !== text) {
  console.error('docs/THIRD-PARTY-NOTICES does not match web/package-lock.json: run `make notices`');
  process.exitCode = 1;
}
