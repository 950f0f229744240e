// Starts the real browsers for tests, with profiles of their own that are removed at the end.

import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { require } from '../web/setup.mjs';

const puppeteer = require('puppeteer-core');

const CHROMIUM_FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage',
];

const PATHS = {
  chrome: [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  firefox: [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'],
};

/** Both, or those named by BROWSERS ("chrome", "firefox"). */
export const BROWSERS = (process.env.BROWSERS ?? 'chrome firefox').split(/[ ,]+/);

function executable(name) {
  const found = PATHS[name].find((file) => file && existsSync(file));
  if (!found) throw new Error(`no ${name} here: install it, or name it in ${name === 'chrome' ? 'CHROMIUM' : 'FIREFOX'}`);
  return found;
}

/** Launches a browser; close() ends it and removes its profile. */
export async function launch(name, { args = [], prefs = {} } = {}) {
  const userDataDir = mkdtempSync(path.join(tmpdir(), `vitrine-${name}-`));
  const common = { browser: name, executablePath: executable(name), headless: true, userDataDir, protocolTimeout: 120_000 };
  const browser = await puppeteer.launch(
    name === 'chrome'
      ? { ...common, args: [...CHROMIUM_FLAGS, ...args] }
      : { ...common, args, extraPrefsFirefox: { 'webgl.disabled': false, 'datareporting.policy.dataSubmissionEnabled': false, ...prefs } },
  );
  const close = async () => {
    await browser.close();
    rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
  };
  return { browser, name, close };
}

/** A page of a launched browser at an address; what the console says and the page throws is collected in page.complaints. */
export async function open({ browser, name }, url, { width = 1000, height = 640, ...viewport } = {}) {
  const page = await browser.newPage();
  page.browserName = name;
  page.complaints = [];
  page.on('console', (message) => {
    if (['error', 'warn', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  await page.setViewport({ width, height, ...viewport });
  await page.goto(url);
  return page;
}

/** Text of the terminal's screen as the DOM renderer shows it. */
export const screenText = (page) =>
  page.evaluate(() => Array.from(document.querySelectorAll('.xterm-rows > div'), (row) => row.textContent.replace(/\u00a0/g, ' ').trimEnd()).join('\n').trimEnd());

/** True when a terminal is there and has the focus: keys typed earlier go nowhere. */
export const hasFocus = (page) => page.evaluate(() => document.activeElement?.className === 'xterm-helper-textarea');

/** What the bar says. */
export const barText = (page) => page.evaluate(() => document.querySelector('.state .words')?.textContent ?? '');

/** Pastes into the terminal: Firefox by its own clipboard and Ctrl-Shift-V, Chromium by the event they make. */
export async function paste(page, text) {
  if (page.browserName === 'firefox') return pasteByKeys(page, text);
  return page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.querySelector('.xterm-helper-textarea').dispatchEvent(event);
  }, text);
}

async function pasteByKeys(page, text) {
  await page.evaluate((pasted) => {
    const area = document.createElement('textarea');
    area.className = 'test-clipboard';
    area.value = pasted;
    document.body.append(area);
    area.focus();
    area.select();
  }, text);
  await chord(page, ['Control', 'c']);
  await page.evaluate(() => {
    document.querySelector('.test-clipboard').remove();
    document.querySelector('.xterm-helper-textarea').focus();
  });
  await chord(page, ['Control', 'Shift', 'V']);
}

/** Presses keys together; the last one once, the others around it. */
export async function chord(page, keys) {
  const held = keys.slice(0, -1);
  for (const key of held) await page.keyboard.down(key);
  await page.keyboard.press(keys.at(-1));
  for (const key of held.reverse()) await page.keyboard.up(key);
}
