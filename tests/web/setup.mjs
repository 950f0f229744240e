// What every test of the page's modules needs: WebCrypto where Node 18 hides it, the modules, the
// known answers, and npm packages that live in web/.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { webcrypto } from 'node:crypto';

globalThis.crypto ??= webcrypto;

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const web = path.join(root, 'build/web');
/** require() of the packages in web/node_modules. */
export const require = createRequire(path.join(root, 'web/package.json'));

export const lib = await import(path.join(web, 'lib/viewer.mjs'));

export const readText = (name) => readFileSync(path.join(root, name), 'utf8');

/** A deterministic generator of numbers in [0, 1), so that a failure can be repeated. */
export function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Resolves when check() is true; throws after ms. Polls between turns of the event loop. */
export async function until(check, what, ms = 20000) {
  const deadline = Date.now() + ms;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`timed out waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
