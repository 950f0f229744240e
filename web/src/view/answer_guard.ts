// Keeps a terminal from answering what programs ask (docs/protocol.md §6: the daemon answers, once).
//
// xterm.js answers through the same onData that carries what people type. Answers are made while a
// sequence is parsed, which people's input never is. So every sequence that can be answered closes
// the guard until the parsing slice is over, and what onData says meanwhile is dropped; the sequence
// itself is still acted on, since some of them set something too (OSC 4 with several colours, and
// DECSET 1004, which reports the focus at once).

import type { Terminal } from '@xterm/xterm';

/** A part of a terminal's parser, as the guard uses it. */
type Parser = Pick<Terminal['parser'], 'registerCsiHandler' | 'registerDcsHandler' | 'registerOscHandler'>;

const CSI = [
  { final: 'c' }, // DA1
  { prefix: '>', final: 'c' }, // DA2
  { prefix: '=', final: 'c' }, // DA3
  { final: 'n' }, // DSR
  { prefix: '?', final: 'n' },
  { intermediates: '$', final: 'p' }, // DECRQM
  { prefix: '?', intermediates: '$', final: 'p' },
  { final: 't' }, // window reports
  { prefix: '>', final: 'q' }, // XTVERSION
  { prefix: '?', final: 'u' }, // kitty keyboard
  { final: 'x' }, // DECREQTPARM
  { prefix: '?', final: 'h' }, // DECSET 1004 reports the focus
  { prefix: '?', final: 'S' }, // graphics attributes
];

const DCS = [
  { intermediates: '$', final: 'q' }, // DECRQSS
  { intermediates: '+', final: 'q' }, // XTGETTCAP
];

const OSC = [4, 5, 10, 11, 12, 13, 14, 17, 19, 21, 52];

export class AnswerGuard {
  private closed = false;
  private readonly registered: { dispose(): void }[];

  constructor(parser: Parser) {
    const close = (): boolean => this.close();
    this.registered = [
      ...CSI.map((id) => parser.registerCsiHandler(id, close)),
      ...DCS.map((id) => parser.registerDcsHandler(id, close)),
      ...OSC.map((id) => parser.registerOscHandler(id, close)),
    ];
  }

  /** True for what a person did, false for an answer. Ask it inside onData and onBinary. */
  get isOpen(): boolean {
    return !this.closed;
  }

  dispose(): void {
    for (const one of this.registered) one.dispose();
  }

  // false: the terminal's own handler runs too. The microtask comes after the whole parsing slice.
  private close(): boolean {
    this.closed = true;
    queueMicrotask(() => (this.closed = false));
    return false;
  }
}
