// Builds the page: node build.mjs OUT, where OUT holds gen/messages.ts already.
//
//   OUT/dist   what the gate embeds and any static host can serve: index.html, icon.svg, app.js,
//              app.css, licenses.txt (notices of everything bundled), csp.txt (the policy to send)
//   OUT/lib    the modules without DOM as ES modules, for tests and tools in Node
//
// The same sources give the same bytes: no dates, no paths, no hashes of the machine. Files that did
// not change keep their times, so that what depends on them is not built again.

import { createRequire } from 'node:module';
import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const esbuild = require('esbuild');

const root = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? path.join(root, '../build/web'));

const common = {
  bundle: true,
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  absWorkingDir: root,
  logLevel: 'warning',
  write: false,
  alias: { 'gen/messages': path.join(out, 'gen/messages.ts') },
};

async function put(file, contents) {
  const bytes = Buffer.from(contents);
  if (existsSync(file) && bytes.equals(await readFile(file))) return;
  await mkdir(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, bytes);
  await rename(temporary, file);
}

/** Names of the npm packages whose files went into a bundle. */
function packagesIn(metafile) {
  const names = new Set();
  for (const input of Object.keys(metafile.inputs)) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) names.add(match[1]);
  }
  return [...names].sort();
}

async function licenseOf(name) {
  const folder = path.join(root, 'node_modules', name);
  const { version, license } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((entry) => /^licen[sc]e/i.test(entry));
  if (!file) throw new Error(`${name} carries no licence text`);
  const text = await readFile(path.join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

async function licenses(metafile) {
  const own = await readFile(path.join(root, '../LICENSE'), 'utf8');
  const notices = await Promise.all(packagesIn(metafile).map(licenseOf));
  const rule = `\n${'-'.repeat(78)}\n\n`;
  return [`Vitrine (MIT)\n\n${own.trim()}\n`, ...notices].join(rule);
}

async function buildPage() {
  const dist = path.join(out, 'dist');
  const page = await esbuild.build({
    ...common,
    entryPoints: { app: 'src/main.ts' },
    outdir: dist,
    format: 'iife',
    minify: true,
    metafile: true,
  });
  for (const file of page.outputFiles) await put(file.path, file.contents);
  const csp = (await readFile(path.join(root, 'src/csp.txt'), 'utf8')).trim();
  const html = await readFile(path.join(root, 'src/index.html'), 'utf8');
  await put(path.join(dist, 'index.html'), html);
  await put(path.join(dist, 'icon.svg'), await readFile(path.join(root, 'src/icon.svg')));
  await put(path.join(dist, 'csp.txt'), `${csp}\n`);
  await put(path.join(dist, 'licenses.txt'), await licenses(page.metafile));
}

async function buildLibrary() {
  const lib = path.join(out, 'lib');
  const result = await esbuild.build({
    ...common,
    entryPoints: {
      crypto: 'src/crypto/index.ts',
      protocol: 'src/protocol/index.ts',
      connection: 'src/connection/index.ts',
      viewer: 'src/viewer_lib.ts',
      view: 'src/view/index.ts',
    },
    outdir: lib,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    chunkNames: 'chunk-[hash]',
  });
  const wanted = new Set(result.outputFiles.map((file) => path.basename(file.path)));
  for (const file of result.outputFiles) await put(file.path, file.contents);
  for (const name of await readdir(lib)) {
    if (/^chunk-[A-Z0-9]+\.mjs$/.test(name) && !wanted.has(name)) await rm(path.join(lib, name));
  }
}

await Promise.all([buildPage(), buildLibrary()]);
