// The page's entry: checks that it can work at all, then starts the application.

import './style.css';
import { App, showProblem } from './app.js';
import { cryptoAvailable, x25519Generate } from './crypto/primitives.js';
import { takeFragment } from './link_store.js';
import { Link, parseFragment } from './protocol/link.js';
import { installCspShim } from './view/csp_shim.js';

async function canExchangeKeys(): Promise<boolean> {
  try {
    await x25519Generate();
    return true;
  } catch {
    return false;
  }
}

function readLink(fragment: string): Link | undefined {
  try {
    return parseFragment(fragment);
  } catch {
    return undefined;
  }
}

async function start(): Promise<void> {
  const root = document.body;
  const fragment = takeFragment();
  // Another link opened in this tab: begin anew with it.
  window.addEventListener('hashchange', () => location.hash && location.reload());
  if (!cryptoAvailable()) return showProblem(root, 'insecure');
  if (!fragment) return showProblem(root, 'no-link');
  const link = readLink(fragment);
  if (!link) return showProblem(root, 'bad-link');
  if (!(await canExchangeKeys())) return showProblem(root, 'old-browser');
  installCspShim();
  new App(root, link).start();
}

void start();
