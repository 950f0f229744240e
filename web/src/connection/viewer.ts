// A viewer without a screen: joins, keeps the connection alive, comes back after losing it, counts
// what was rendered and what was typed (docs/protocol.md §5). The page puts terminals on it, tests
// use it as it is. States: state.ts. Time comes from an injected clock.
//
// Coming back: the resume token of the last WELCOME and the rendered offset of every pane go into
// JOIN, after `drained` says that the terminals have parsed everything. The daemon either goes on
// from there or sends KEYFRAMEs. Nothing reconnects by itself after a sealed BYE, nor when a link
// that never worked is refused.

import {
  Bye,
  ByeReason,
  Done,
  Keyframe,
  Layout,
  MessageType,
  Output,
  Ping,
  RoleChange,
  Taken,
  Wait,
  WaitWhat,
  Welcome,
} from 'gen/messages';
import { deriveSas } from '../crypto/derive.js';
import { AckLedger } from '../protocol/ack_ledger.js';
import { Fields } from '../protocol/codec.js';
import { InputChunk, InputQueue } from '../protocol/input_queue.js';
import { Link, parseLink } from '../protocol/link.js';
import { AWAY_AFTER_MS, Backoff, Clock, CONNECT_TIMEOUT_MS, judgeSilence, systemClock } from '../protocol/timing.js';
import { Channel, ChannelEnd, OpenSocket } from './channel.js';
import { Commands } from './commands.js';
import { Cause, isFinal, ViewerState } from './state.js';

export const TOKEN_BYTES = 16;
/** For view(): whichever window is the host's current one. */
export const FOLLOW_HOST = 0xffffffff;
const TICK_MS = 1000;
const STEADY_MS = 10_000; // a connection that lived so long was a good one: start with short delays again
const JOIN_PANES_MAX = 64; // a JOIN has at most 1 KiB; a pane left out is shown anew
const REFUSED_RETRIES = 3; // "too busy" looks like "refused"; a link that worked gets these

/** A KEYFRAME, OUTPUT or HISTORY to render. */
export interface StreamItem {
  readonly type: number;
  readonly fields: Fields;
  /** Call it once, when the terminal has parsed it. */
  readonly done: () => void;
}

export interface ViewerEvents {
  state?(state: ViewerState): void;
  /** resumed: the daemon knew this viewer; nothing was lost. */
  welcome?(welcome: Welcome, resumed: boolean): void;
  /** In order with message(); without this handler everything counts as rendered at once. */
  stream?(item: StreamItem): void;
  /** Every other message, after the viewer has acted on it. */
  message?(type: number, fields: Fields): void;
  /** Typed bytes that could not be delivered, because the daemon no longer knew this viewer. */
  inputLost?(bytes: number): void;
  /** Room in the input queue changed. */
  inputWaiting?(bytes: number): void;
  /** The four check words' numbers, once per connection. */
  sas?(words: number[]): void;
}

export interface ViewerOptions {
  /** A whole link, or its parts. */
  readonly link: string | { link: Link; socketUrl: string };
  readonly openSocket: OpenSocket;
  readonly events?: ViewerEvents;
  readonly clock?: Clock;
  readonly name?: string;
  readonly client?: string;
  readonly pin?: string;
  readonly resumeToken?: Uint8Array;
  /** Columns and rows the viewport could show. */
  readonly size?: { cols: number; rows: number };
  /** Resolves when everything handed to stream() is done; asked before each JOIN. */
  readonly drained?: () => Promise<void>;
}

export class Viewer {
  readonly input: InputQueue;
  readonly commands: Commands;
  role = 0;
  capabilities = 0;
  viewerId: number | undefined;
  resumeToken: Uint8Array;

  private readonly target: { link: Link; socketUrl: string };
  private readonly clock: Clock;
  private readonly events: ViewerEvents;
  private readonly backoff: Backoff;
  private current: ViewerState = { kind: 'connecting' };
  private channel: Channel | undefined;
  private ledger: AckLedger | undefined;
  private welcomed = false; // on this connection
  private everWelcomed = false;
  private welcomedAt = 0;
  private said: Bye | undefined;
  private refusals = 0;
  private lastHeard = 0;
  private lostAt: number | undefined;
  private timers = new Map<string, unknown>();
  private pin: string;
  private size: { cols: number; rows: number };
  private saidSize: { cols: number; rows: number } | undefined;
  private readonly received = new Map<number, number>(); // pane -> offset of the next OUTPUT
  private readonly rendered = new Map<number, number>(); // pane -> offset on the screen
  private listed: ReadonlySet<number> = new Set(); // panes of the last LAYOUT
  private generation = 0; // of the offsets: what was rendered before they were forgotten is void
  private requests = 0;

  constructor(private readonly options: ViewerOptions) {
    this.target = typeof options.link === 'string' ? parseLink(options.link) : options.link;
    this.clock = options.clock ?? systemClock;
    this.events = options.events ?? {};
    this.backoff = new Backoff(this.clock);
    this.resumeToken = options.resumeToken ?? new Uint8Array(TOKEN_BYTES);
    this.pin = options.pin ?? '';
    this.size = options.size ?? { cols: 80, rows: 24 };
    this.input = new InputQueue((chunk) => this.sendInput(chunk));
    this.commands = new Commands((command) => this.sendCommand(command));
  }

  get state(): ViewerState {
    return this.current;
  }

  /** The connection of the moment, for tests that misbehave. */
  get connection(): Channel | undefined {
    return this.channel;
  }

  /** Connects; also again after a final state. */
  start(): void {
    this.said = undefined;
    this.refusals = 0;
    this.lostAt = undefined;
    this.backoff.reset();
    this.connect();
  }

  /** Ends everything; the object may be started again. */
  stop(): void {
    this.dropChannel();
    this.setState({ kind: 'stopped' });
  }

  /** Something suggests the network is back, or the page woke: look now instead of later. */
  nudge(): void {
    if (this.current.kind === 'reconnecting' && this.timers.has('retry')) return this.connect();
    const silent = this.clock.now() - this.lastHeard >= AWAY_AFTER_MS;
    if (this.welcomed && silent) this.lose('lost');
  }

  /** Bytes typed at a pane. */
  type(pane: number, data: Uint8Array): void {
    this.input.push(pane, data);
    if (this.welcomed) this.input.flush();
    this.events.inputWaiting?.(this.input.waiting);
  }

  /** Answers the question for a PIN. */
  submitPin(pin: string): void {
    this.pin = pin;
    if (this.current.kind === 'waiting') void this.join();
  }

  /** Tells the daemon what the viewport could show. */
  resize(cols: number, rows: number): void {
    if (cols === this.size.cols && rows === this.size.rows) return;
    this.size = { cols, rows };
    if (this.welcomed) this.saySize();
  }

  /** Asks for scrollback lines before a line; the answer is a HISTORY with the number given back. */
  requestHistory(pane: number, beforeLine: number, count: number): number {
    const request = ++this.requests;
    this.send(MessageType.HISTORY_REQUEST, { request, pane, beforeLine, count });
    return request;
  }

  /** Asks for control of the keyboard, or gives it back (AskWhat). */
  ask(what: number): void {
    this.send(MessageType.ASK, { what });
  }

  /** Looks at another window of the share; FOLLOW_HOST: at the host's current one again. */
  view(window: number): void {
    this.send(MessageType.VIEW, { window });
  }

  /** Sends any message; dropped without a connection. */
  send(type: number, message: object): void {
    void this.channel?.send(type, message);
  }

  /** The pane offsets that are on the screen. */
  offsets(): { pane: number; offset: number }[] {
    return Array.from(this.rendered, ([pane, offset]) => ({ pane, offset }));
  }

  // --- connection ---------------------------------------------------------------------------

  private connect(): void {
    this.dropChannel();
    if (this.lostAt === undefined) this.setState({ kind: 'connecting' });
    this.setTimer('connect', CONNECT_TIMEOUT_MS, () => this.lose('lost'));
    const channel: Channel = new Channel(
      { ...this.target, openSocket: this.options.openSocket },
      {
        ready: (_needs, hash) => channel === this.channel && this.onReady(hash),
        message: (type, fields, bytes) =>
          channel === this.channel && this.onMessage(type, fields, bytes),
        end: (end) => channel === this.channel && this.onEnd(end),
      },
    );
    this.channel = channel;
    this.ledger = new AckLedger((ack) => void channel.send(MessageType.ACK, ack));
  }

  private dropChannel(): void {
    this.clearTimers();
    this.channel?.drop();
    this.channel = undefined;
    this.ledger = undefined;
    this.welcomed = false;
    this.commands.lost();
  }

  private onReady(hash: Uint8Array): void {
    this.heard();
    this.setTimer('connect', CONNECT_TIMEOUT_MS, () => this.lose('lost'));
    this.tick();
    if (this.events.sas) void deriveSas(hash).then((words) => this.events.sas?.(words));
    void this.join();
  }

  private async join(): Promise<void> {
    const channel = this.channel;
    await this.options.drained?.();
    if (channel !== this.channel || !channel) return;
    for (const [pane, offset] of this.rendered) this.received.set(pane, offset);
    this.saidSize = this.size;
    await channel.send(MessageType.JOIN, {
      name: this.options.name ?? '',
      client: this.options.client ?? 'vitrine-page',
      pin: this.pin,
      resumeToken: this.resumeToken,
      ...this.size,
      panes: this.offsets().slice(0, JOIN_PANES_MAX),
    });
  }

  private onEnd(end: ChannelEnd): void {
    if (this.said) return this.sayGoodbye(this.said);
    if (end.kind !== 'refused') return this.lose(end.kind);
    this.refusals++;
    if (this.everWelcomed && this.refusals <= REFUSED_RETRIES) return this.lose('lost');
    this.dropChannel();
    this.setState({ kind: 'refused' });
  }

  private sayGoodbye(bye: Bye): void {
    this.dropChannel();
    this.setState({ kind: 'bye', reason: bye.reason, text: bye.text });
  }

  private lose(cause: Cause): void {
    if (this.welcomed && this.clock.now() - this.welcomedAt >= STEADY_MS) this.backoff.reset();
    this.dropChannel();
    this.lostAt ??= this.clock.now();
    if (cause === 'damaged') this.forgetOffsets();
    const delay = this.backoff.next();
    const attempt = this.backoff.count;
    this.setState({ kind: 'reconnecting', since: this.lostAt, cause, attempt });
    this.setTimer('retry', delay, () => this.connect());
  }

  private forgetOffsets(): void {
    this.generation++;
    this.received.clear();
    this.rendered.clear();
  }

  // --- liveness -----------------------------------------------------------------------------

  private heard(): void {
    this.lastHeard = this.clock.now();
    if (this.current.kind === 'away') this.setState({ kind: 'live' });
  }

  private tick(): void {
    const silent = this.clock.now() - this.lastHeard;
    const verdict = judgeSilence(silent);
    if (verdict === 'dead') return this.lose('lost');
    if (verdict === 'away' && this.current.kind === 'live') {
      this.setState({ kind: 'away', since: this.lastHeard });
    }
    this.setTimer('tick', TICK_MS, () => this.tick());
  }

  // --- messages -----------------------------------------------------------------------------

  private onMessage(type: number, fields: Fields, bytes: number): void {
    this.heard();
    switch (type) {
      case MessageType.WELCOME:
        return this.onWelcome(fields as unknown as Welcome);
      case MessageType.KEYFRAME:
      case MessageType.OUTPUT:
      case MessageType.HISTORY:
        return this.onStream(type, fields, bytes);
      case MessageType.LAYOUT:
        this.keepPanes(fields as unknown as Layout);
        break;
      case MessageType.DONE:
        this.commands.answered(fields as unknown as Done);
        break;
      case MessageType.PING:
        this.send(MessageType.VIEWER_PONG, { value: (fields as unknown as Ping).value });
        break;
      case MessageType.TAKEN:
        this.onTaken(fields as unknown as Taken);
        break;
      case MessageType.ROLE:
        this.setRole(fields as unknown as RoleChange);
        break;
      case MessageType.WAIT:
        this.onWait(fields as unknown as Wait);
        break;
      case MessageType.BYE:
        this.onBye(fields as unknown as Bye);
        break;
    }
    this.events.message?.(type, fields);
  }

  private onWelcome(welcome: Welcome): void {
    const resumed = welcome.viewerId === this.viewerId;
    this.clearTimer('connect');
    this.viewerId = welcome.viewerId;
    this.resumeToken = welcome.resumeToken.slice();
    this.welcomed = true;
    this.everWelcomed = true;
    this.welcomedAt = this.clock.now();
    this.refusals = 0;
    this.lostAt = undefined;
    this.setRole(welcome);
    this.saySize();
    this.resendInput(welcome.inputNext, resumed);
    this.setState({ kind: 'live' });
    this.events.welcome?.(welcome, resumed);
  }

  private resendInput(inputNext: number, resumed: boolean): void {
    if (!resumed || !this.input.resume(inputNext)) {
      const lost = this.input.restart(inputNext);
      if (lost > 0) this.events.inputLost?.(lost);
    }
    this.input.flush();
    this.events.inputWaiting?.(this.input.waiting);
  }

  private onTaken(taken: Taken): void {
    if (!this.input.taken(taken.inputNext)) return this.lose('damaged');
    this.input.flush();
    this.events.inputWaiting?.(this.input.waiting);
  }

  private setRole(from: { role: number; capabilities: number }): void {
    this.role = from.role;
    this.capabilities = from.capabilities;
  }

  private onWait(wait: Wait): void {
    this.clearTimer('connect');
    if (wait.what === WaitWhat.HOST_AWAY) {
      this.setState({ kind: 'away', since: this.clock.now() });
      return;
    }
    const what = wait.what === WaitWhat.PIN ? 'pin' : 'approval';
    this.setState({ kind: 'waiting', what, attemptsLeft: wait.attemptsLeft, retryS: wait.retryS });
  }

  private onBye(bye: Bye): void {
    this.said = bye;
    if (bye.reason !== ByeReason.ENDED) this.resumeToken = new Uint8Array(TOKEN_BYTES);
    this.sayGoodbye(bye);
  }

  private onStream(type: number, fields: Fields, bytes: number): void {
    const at = this.advance(type, fields);
    if (at === 'gap') return this.lose('damaged');
    const ledger = this.ledger!;
    const generation = this.generation;
    ledger.receive(bytes);
    const done = (): void => {
      const counts = at && generation === this.generation && this.received.has(at.pane);
      if (counts) this.rendered.set(at.pane, at.offset);
      ledger.render(bytes, at);
    };
    if (this.events.stream) this.events.stream({ type, fields, done });
    else done();
  }

  /** Where the pane's stream stands after this message; 'gap' when bytes are missing or repeated. */
  private advance(type: number, fields: Fields): { pane: number; offset: number } | 'gap' | undefined {
    if (type === MessageType.HISTORY) return undefined;
    const { pane, offset } = fields as unknown as Keyframe;
    if (type === MessageType.KEYFRAME) {
      if (!this.listed.has(pane)) return undefined; // it left while this was on its way
      this.received.set(pane, offset);
      return { pane, offset };
    }
    if (this.received.get(pane) !== offset) return 'gap';
    const next = offset + (fields as unknown as Output).data.length;
    this.received.set(pane, next);
    return { pane, offset: next };
  }

  /** LAYOUT: panes that are not listed any more are gone. */
  private keepPanes({ panes }: Layout): void {
    const listed = new Set(panes.map(({ id }) => id));
    this.listed = listed;
    for (const pane of this.received.keys()) if (!listed.has(pane)) this.received.delete(pane);
    for (const pane of this.rendered.keys()) if (!listed.has(pane)) this.rendered.delete(pane);
  }

  /** SIZE, unless the daemon knows it already. */
  private saySize(): void {
    if (this.size === this.saidSize) return;
    this.saidSize = this.size;
    this.send(MessageType.SIZE, this.size);
  }

  private sendCommand(command: object): boolean {
    if (this.welcomed) this.send(MessageType.COMMAND, command);
    return this.welcomed;
  }

  private sendInput(chunk: InputChunk): void {
    this.send(MessageType.INPUT, chunk);
  }

  // --- small things -------------------------------------------------------------------------

  private setState(state: ViewerState): void {
    if (isFinal(state)) this.clearTimers();
    this.current = state;
    this.events.state?.(state);
  }

  private setTimer(name: string, ms: number, action: () => void): void {
    this.clearTimer(name);
    const fire = (): void => {
      this.timers.delete(name);
      action();
    };
    this.timers.set(name, this.clock.set(fire, ms));
  }

  private clearTimer(name: string): void {
    const handle = this.timers.get(name);
    if (handle !== undefined) this.clock.clear(handle);
    this.timers.delete(name);
  }

  private clearTimers(): void {
    for (const name of [...this.timers.keys()]) this.clearTimer(name);
  }
}
