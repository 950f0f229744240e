// What the page says about each state, in plain words. No DOM: tested as a table.

import { ByeReason, ExitHow } from 'gen/messages';
import { Cause, ViewerState } from '../connection/state.js';

export type Tone = 'good' | 'busy' | 'warn' | 'off';

export interface Words {
  /** For the bar: a few words. */
  readonly short: string;
  /** A sentence or two for the banner or card; empty when the bar says it all. */
  readonly long: string;
  readonly tone: Tone;
  /** Label of the button that connects (again), or undefined where that cannot help. */
  readonly retry?: string;
}

export interface Exit {
  readonly how: number;
  readonly status: number;
}

const SIGNALS: Record<number, string> = {
  1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL', 6: 'SIGABRT', 7: 'SIGBUS', 8: 'SIGFPE',
  9: 'SIGKILL', 11: 'SIGSEGV', 13: 'SIGPIPE', 15: 'SIGTERM',
};

/** "exited 0", "killed by SIGKILL". */
export function exitWords({ how, status }: Exit): string {
  if (how === ExitHow.EXITED) return `exited ${status}`;
  return `killed by ${SIGNALS[status] ?? `signal ${status}`}`;
}

const BYES: Record<number, Words> = {
  [ByeReason.REVOKED]: {
    short: 'Link revoked',
    long: 'The owner has revoked this link. Ask for a new one.',
    tone: 'off',
  },
  [ByeReason.EXPIRED]: {
    short: 'Link expired',
    long: 'This link was valid for a limited time, which is over. Ask for a new one.',
    tone: 'off',
  },
  [ByeReason.USED_UP]: {
    short: 'Link used up',
    long: 'This link was for a limited number of visits, all of them taken. Ask for a new one.',
    tone: 'off',
  },
  [ByeReason.FULL]: {
    short: 'Full',
    long: 'As many people as the owner allows are watching already.',
    tone: 'warn',
    retry: 'Try again',
  },
  [ByeReason.KICKED]: {
    short: 'Removed',
    long: 'The owner has removed you from this session.',
    tone: 'off',
  },
  [ByeReason.REPLACED]: {
    short: 'Open elsewhere',
    long: 'This session went on in another tab or window of yours.',
    tone: 'off',
    retry: 'Go on here',
  },
  [ByeReason.APPROVAL_REFUSED]: {
    short: 'Not let in',
    long: 'The owner did not let you in.',
    tone: 'off',
  },
  [ByeReason.PIN]: {
    short: 'PIN wrong',
    long: 'The PIN was wrong too often. Ask the owner.',
    tone: 'off',
    retry: 'Try again',
  },
  [ByeReason.STOPPING]: {
    short: 'Host stopped',
    long: 'Vitrine was stopped on the host. Its links do not work any more.',
    tone: 'off',
  },
};

function byeWords(reason: number, text: string, exit: Exit | undefined): Words {
  if (reason === ByeReason.ENDED) {
    const how = exit ? `The program ${exitWords(exit)}.` : 'The session has ended.';
    return { short: exit ? `Ended, ${exitWords(exit)}` : 'Ended', long: how, tone: 'off' };
  }
  const words = BYES[reason];
  if (!words) return { short: 'Ended', long: text || 'The host ended this connection.', tone: 'off' };
  if (reason !== ByeReason.KICKED || !text) return words; // the host's text says the same again
  return { ...words, long: `The owner has removed you from this session, saying: “${text}”` };
}

/** "14:03", in the reader's way of writing times. */
function clockTime(ms: number): string {
  return new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

function reconnectWords(cause: Cause, since: number): Words {
  const retry = 'Try now';
  if (cause === 'host-gone') {
    const long = 'The host cannot be reached. This page goes on by itself when it is back.';
    return { short: `Host away since ${clockTime(since)}`, long, tone: 'warn', retry };
  }
  if (cause === 'damaged') {
    const long = 'Something on the way altered or dropped data, so the connection was closed.';
    return { short: 'Reconnecting: connection was damaged', long, tone: 'warn', retry };
  }
  return { short: `Reconnecting, lost at ${clockTime(since)}`, long: '', tone: 'warn', retry };
}

/** What to say. exit: how the pane's program ended, when it has. */
export function stateWords(state: ViewerState, exit?: Exit): Words {
  switch (state.kind) {
    case 'connecting':
      return { short: 'Connecting…', long: '', tone: 'busy' };
    case 'waiting':
      return state.what === 'pin'
        ? { short: 'PIN needed', long: 'The owner protected this link with a PIN.', tone: 'busy' }
        : {
            short: 'Waiting to be let in',
            long: 'The owner has been asked to let you in. This may take a moment.',
            tone: 'busy',
          };
    case 'live':
      return exit
        ? { short: `Ended, ${exitWords(exit)}`, long: `The program ${exitWords(exit)}.`, tone: 'off' }
        : { short: 'Live', long: '', tone: 'good' };
    case 'away':
      return {
        short: `Host away since ${clockTime(state.since)}`,
        long: 'Nothing has been heard from the host. This page goes on by itself when it is back.',
        tone: 'warn',
      };
    case 'reconnecting':
      return reconnectWords(state.cause, state.since);
    case 'bye':
      return byeWords(state.reason, state.text, exit);
    case 'refused':
      return {
        short: 'Link does not work',
        long: 'The host does not know this link: it was mistyped, has ended, or belongs to a host that was restarted.',
        tone: 'off',
        retry: 'Try again',
      };
    case 'stopped':
      return { short: 'Stopped', long: '', tone: 'off', retry: 'Connect' };
  }
}

/** Why the page cannot even begin. */
export type Problem = 'insecure' | 'no-link' | 'bad-link' | 'old-browser';

export function problemWords(problem: Problem, host: string): { title: string; lines: string[] } {
  switch (problem) {
    case 'insecure':
      return {
        title: 'This page needs a secure connection',
        lines: [
          `Browsers decrypt only on pages that came over https or from this machine itself, and this one came over plain http from ${host}.`,
          'Either the owner puts https in front of it, with a reverse proxy or a tunnel that has a certificate, so that the link begins with https;',
          'or you reach it through a tunnel, for example with ssh -L, and open the link at 127.0.0.1.',
        ],
      };
    case 'no-link':
      return {
        title: 'No link',
        lines: ['Open the whole link you were given, with everything after the #.'],
      };
    case 'bad-link':
      return {
        title: 'This link is damaged',
        lines: ['The part after the # is incomplete or was altered. Copy the whole link again.'],
      };
    case 'old-browser':
      return {
        title: 'This browser is too old',
        lines: ['It lacks the encryption this page uses (X25519). A current Firefox, Chrome, Edge or Safari has it.'],
      };
  }
}
