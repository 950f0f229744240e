// What the page says, in plain words: all its texts but those of the menu and the trust panel. No DOM:
// tested as a table.

import { ByeReason, ExitHow } from 'gen/messages';
import { Cause, ViewerState } from '../connection/state.js';
import type { Outcome } from '../connection/commands.js';
import type { Person } from '../connection/people.js';
import { plainText } from '../protocol/plain_text.js';

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

const signalName = (status: number): string => SIGNALS[status] ?? `signal ${status}`;

/** "exited with status 0", "killed by SIGKILL". */
export function exitWords({ how, status }: Exit): string {
  return how === ExitHow.EXITED ? `exited with status ${status}` : `killed by ${signalName(status)}`;
}

/** "The program exited with status 0.", "The program was killed by SIGKILL." */
function exitSentence(exit: Exit): string {
  const was = exit.how === ExitHow.EXITED ? '' : 'was ';
  return `The program ${was}${exitWords(exit)}.`;
}

/** "exited 0": for the bar, which has little room. */
function exitShort({ how, status }: Exit): string {
  return how === ExitHow.EXITED ? `exited ${status}` : `killed by ${signalName(status)}`;
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

const SENTENCE_MAX_CHARS = 500; // of the host's own words

function byeWords(reason: number, said: string, exit: Exit | undefined): Words {
  const text = plainText(said, SENTENCE_MAX_CHARS);
  if (reason === ByeReason.ENDED) {
    const how = exit ? exitSentence(exit) : 'The session has ended.';
    return { short: exit ? `Ended, ${exitShort(exit)}` : 'Ended', long: how, tone: 'off' };
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
        ? { short: `Ended, ${exitShort(exit)}`, long: exitSentence(exit), tone: 'off' }
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

// --- panes and windows ----------------------------------------------------------------------

const plural = (n: number, one: string): string => `${n.toLocaleString('en')} ${one}${n === 1 ? '' : 's'}`;

export const paneWords = {
  ended: 'ended',
  zoomed: 'zoomed',
  /** Says where the other panes are. */
  zoomedTitle: (title: string): string => (title ? `${title} (zoomed)` : 'Zoomed pane'),
  hostHere: 'host is here',
  unnamed: (number: number): string => `Pane ${number}`,
  /** For a screen reader. */
  label(number: number, of: number, title: string, ended: string): string {
    const which = of > 1 ? `Pane ${number} of ${of}` : 'Terminal';
    return [which + (title ? `: ${title}` : ''), ended].filter(Boolean).join(', ');
  },
  newLines: (lines: number): string => `${plural(lines, 'new line')} ↓`,
  border: 'Border between panes',
  borderHint: 'Drag to resize, or use the arrow keys',
  oversize: 'A pane of the host is larger than this page can show; only a part of it is here.',
  typedAtEnded: 'The program in this pane has ended.',
  nothing: { title: 'Nothing to show', line: 'The host shares no pane at the moment. This page shows the next one by itself.' },
  strange: 'The host’s layout makes no sense, so its panes are shown one at a time.',
  tooMany: (left: number): string => `This window has ${plural(left, 'more pane')} than this page can show.`,
};

export const switcherWords = {
  label: 'Panes',
  previous: 'Previous pane',
  next: 'Next pane',
  choose: 'Pane',
  all: 'All panes',
  allHint: 'Show all panes at once',
  choice: (number: number, of: number, title: string, ended: string): string =>
    `${number} of ${of}` + (title ? ` · ${title}` : '') + (ended ? ` · ${ended}` : ''),
};

export const windowWords = {
  label: 'Windows',
  unnamed: (id: number): string => `window ${id}`,
  hostHere: 'The host is here',
  bell: 'Bell',
  activity: 'Activity',
  following: 'Following the host',
  followingCompact: 'Following',
  follow: 'Follow the host',
  followCompact: 'Follow',
  followHint: 'Shows whichever window the host looks at. Choosing a window stays with that one.',
  leftOut: (left: number): string => `${left.toLocaleString('en')} more not shown`,
};

export const commandWords = {
  title: 'Panes and windows',
  close: 'Close panes and windows',
  mine: 'What I see',
  everyone: 'For everyone',
  everyoneHint: 'This changes the window on the host, for all who see it.',
  nextPane: 'Next pane',
  soloOn: 'Show only this pane',
  soloOff: 'Show all panes',
  splitRight: 'Split: new pane to the right',
  splitBelow: 'Split: new pane below',
  zoom: 'Zoom this pane',
  unzoom: 'Unzoom this pane',
  activate: 'Make this pane the host’s active one',
  resize: 'Move a border of this pane',
  resizeKeys: ['Border left', 'Border right', 'Border up', 'Border down'] as const,
  kill: 'Close this pane…',
  killSure: (title: string): string =>
    `Close ${title ? `“${title}”` : 'this pane'}? Its program ends, for everyone.`,
  killYes: 'Close it',
  killNo: 'Keep it',
  newWindow: 'New window',
  activateWindow: 'Make this window the host’s current one',
};

/** What to say about a command's outcome; empty: nothing. */
export function outcomeWords({ kind, text }: Outcome): string {
  switch (kind) {
    case 'done':
      return '';
    case 'refused':
      return text ? `The host refused that: ${plainText(text, SENTENCE_MAX_CHARS)}` : 'The host refused that.';
    case 'busy':
      return 'The host has not answered the last ones yet. Try again in a moment.';
    case 'lost':
      return 'The connection was lost, so this may not have been done.';
  }
}

const PEOPLE_NAMED_MAX = 20;

/** Who else is there, a line each; nobody: none. */
export function peopleWords(people: readonly Person[]): string[] {
  const lines = people.slice(0, PEOPLE_NAMED_MAX).map(({ name, mayType }) => {
    const who = name || (mayType ? 'Somebody without a name' : 'A viewer without a name');
    return mayType ? `${who}, may type` : who;
  });
  const rest = people.length - lines.length;
  return rest > 0 ? [...lines, `and ${rest} more`] : lines;
}

/** How many watch, and who they are as far as the daemon says. */
export function viewerWords(count: number, people: readonly Person[]): { text: string; title: string } {
  const text = count === 1 ? '1 viewer' : `${count} viewers`;
  if (count === 1) return { text, title: 'You are the only one watching' };
  const others = peopleWords(people);
  const all = 'People watching, you included';
  return { text, title: others.length > 0 ? `${all}. Among them:\n${others.join('\n')}` : all };
}

export const peopleTitle = 'Who else is here';

export const roleWords = {
  operator: { text: 'You may type', compact: 'May type', title: 'What you type goes to the program, as if the owner typed it.' },
  spectator: { text: 'Read-only', compact: 'Read-only', title: 'This link lets you watch. Typing needs another link from the owner.' },
};

export const appWords = {
  inputLost: (bytes: number): string =>
    `${bytes} bytes of what you typed did not arrive: the host no longer knew this visit.`,
  notDelivered: 'What you typed was not delivered.',
  mayType: 'You may type now.',
  mayWatch: 'You may only watch now.',
  readOnly: 'Read-only: this link lets you watch, not type.',
  sending: (kib: number): string => `Sending ${kib} KiB…`,
  selectFirst: 'Select something first.',
  copied: 'Copied.',
  notCopied: 'This browser did not allow copying.',
  scroll: 'Scroll to see all',
  scrollCompact: 'Scroll',
  scrollWhy: (smallest: boolean): string =>
    `${smallest ? 'Even the smallest font does not fit' : 'Larger than this window'}: scroll sideways and down to see the rest.`,
  scaled: 'Drawn smaller so that the whole terminal is in view.',
};
