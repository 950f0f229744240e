// The application: puts the viewer (connection), the stage (terminals) and the panels together.

import { Capability, Exit, Layout, MessageType, Notice, NoticeCode, Presence, Role, Theme, Welcome } from 'gen/messages';
import { utf8 } from './crypto/bytes.js';
import { Fields } from './protocol/codec.js';
import { Link, socketUrlOf } from './protocol/link.js';
import { plainText } from './protocol/plain_text.js';
import { isFinal, ViewerState } from './connection/state.js';
import { Socket } from './connection/channel.js';
import { People } from './connection/people.js';
import { Viewer, ViewerEvents } from './connection/viewer.js';
import { loadToken, saveToken } from './link_store.js';
import { Stage } from './stage.js';
import { Bar } from './ui/bar.js';
import { Banner, Card, Toast } from './ui/card.js';
import { button, el, listen } from './ui/dom.js';
import { FindBar } from './ui/find_bar.js';
import { KeyBar } from './ui/key_bar.js';
import { Menu } from './ui/menu.js';
import { loadPrefs, savePrefs } from './ui/prefs.js';
import { trustContent } from './ui/trust.js';
import { appWords, paneWords, peopleWords, Problem, problemWords, stateWords } from './ui/words.js';
import { bufferText, copyText, saveText } from './ui/clipboard.js';
import { Fit, FONT_MIN_PX } from './view/fit.js';
import { applySticky, BarKey, keyBytes } from './view/keys.js';
import { Look, lookOf } from './view/themes.js';
import { Windows } from './windows.js';

const TEXT_MAX_CHARS = 500; // of a sentence from the host
const PASTE_NOTE_BYTES = 64 << 10; // a longer rest is worth telling about
const MOUSE_OR_FOCUS = /^\x1b\[(?:[<M]|[IO]$)/;

/** Fills the page with the reason why it cannot begin. */
export function showProblem(root: HTMLElement, problem: Problem): void {
  const card = new Card();
  const { title, lines } = problemWords(problem, location.host);
  const light = matchMedia('(prefers-color-scheme: light)').matches;
  document.documentElement.dataset['theme'] = light ? 'light' : 'dark';
  card.show(title, lines);
  root.replaceChildren(el('div', { class: 'app' }, card.element));
}

export class App {
  private readonly prefs = loadPrefs();
  private readonly systemLight = matchMedia('(prefers-color-scheme: light)');
  private readonly socketUrl: string;
  private readonly viewer: Viewer;
  private readonly stage: Stage;
  private readonly bar: Bar;
  private readonly card = new Card();
  private readonly banner = new Banner();
  private readonly toast = new Toast();
  private readonly find: FindBar;
  private readonly keyBar: KeyBar;
  private readonly menu: Menu;
  private readonly windows: Windows;
  private readonly people = new People();
  private ownerTheme: Theme | undefined;
  private welcome: Welcome | undefined;
  private pinTried = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly link: Link,
  ) {
    this.socketUrl = link.socketUrl ?? socketUrlOf(location.href);
    this.stage = this.makeStage();
    this.viewer = this.makeViewer();
    this.windows = new Windows(this.viewer, this.stage, {
      note: (text) => this.toast.show(text, 8000),
      changed: () => this.showState(this.viewer.state),
    });
    this.bar = new Bar({ retry: () => this.retry(), menu: () => this.menu.open(), paneMenu: () => this.windows.menu.open() });
    this.find = new FindBar(() => this.stage.focused?.terminal, () => this.stage.focus());
    this.keyBar = new KeyBar((key) => this.pressed(key));
    this.menu = this.makeMenu();
  }

  start(): void {
    const { bar, stage, banner, card, find, keyBar, toast, menu, windows } = this;
    const place = el('div', { class: 'place' }, stage.element, card.element, find.element, toast.element);
    const app = el('div', { class: 'app' },
      bar.element, windows.tabs.element, windows.switcher.element, place, banner.element, keyBar.element,
    );
    this.root.replaceChildren(app, menu.element, windows.menu.element);
    this.applyLook();
    this.keyBar.element.hidden = !this.keysShown();
    this.bar.setTitle('Vitrine');
    this.listen(app);
    this.viewer.start();
  }

  // --- parts --------------------------------------------------------------------------------

  private makeStage(): Stage {
    return new Stage(this.look(), this.prefs.fontPx, this.prefs.fit, {
      typed: (pane, data) => this.typed(pane, data),
      title: (title) => this.setTitle(title),
      hovered: (url) => url && this.toast.show(url, 2500),
      key: (event) => this.key(event),
      fitted: (fit) => this.fitted(fit),
      changed: () => this.windows?.stageChanged(),
      moveBorder: (...how) => this.windows.moveBorder(...how),
      oversize: () => this.toast.show(paneWords.oversize, 8000),
    });
  }

  private makeViewer(): Viewer {
    const events: ViewerEvents = {
      state: (state) => this.showState(state),
      welcome: (welcome) => this.welcomed(welcome),
      stream: (item) => {
        this.stage.stream(item);
        if (item.type === MessageType.KEYFRAME) this.showState(this.viewer.state);
      },
      message: (type, fields) => this.message(type, fields),
      inputLost: (bytes) => this.toast.show(appWords.inputLost(bytes), 8000),
      inputWaiting: (bytes) => this.sayWaiting(bytes),
    };
    const resumeToken = loadToken();
    return new Viewer({
      link: { link: this.link, socketUrl: this.socketUrl },
      openSocket: (url, protocol) => new WebSocket(url, protocol) as unknown as Socket,
      events,
      client: 'page',
      drained: () => this.stage.drained(),
      ...(resumeToken ? { resumeToken } : {}),
    });
  }

  private makeMenu(): Menu {
    return new Menu(
      this.prefs,
      {
        changed: () => this.prefsChanged(),
        copy: () => void this.copy(),
        find: () => this.find.open(),
        save: () => this.save(),
        fullScreen: () => void toggleFullScreen(),
        keys: (on) => this.showKeys(on),
        people: () => (isFinal(this.viewer.state) ? [] : peopleWords(this.people.list)),
        trust: () =>
          trustContent({
            daemonKey: this.link.daemonKey,
            socketUrl: this.socketUrl,
            pageUrl: location.href,
            hostLabel: plainText(this.welcome?.hostLabel ?? ''),
          }),
      },
      () => this.keysShown(),
    );
  }

  private listen(app: HTMLElement): void {
    listen(window, 'keydown', (event) => {
      if (isPaneKey(event)) this.use(event, () => this.stage.focusNext(event.shiftKey ? -1 : 1));
    });
    listen(window, 'online', () => this.viewer.nudge());
    document.addEventListener('visibilitychange', () => document.hidden || this.viewer.nudge());
    this.systemLight.addEventListener('change', () => this.applyLook());
    for (const { element } of [this.menu, this.windows.menu]) element.addEventListener('close', () => this.stage.focus());
    // A soft keyboard covers the page without changing its height everywhere.
    const fitKeyboard = (): void => {
      app.style.height = `${window.visualViewport?.height ?? window.innerHeight}px`;
    };
    window.visualViewport?.addEventListener('resize', fitKeyboard);
  }

  // --- what comes from the daemon ---------------------------------------------------------------

  private welcomed(welcome: Welcome): void {
    this.welcome = welcome;
    this.people.clear();
    saveToken(welcome.resumeToken);
    this.windows.welcomed();
    this.showState(this.viewer.state);
    this.setTitle('');
  }

  private message(type: number, fields: Fields): void {
    switch (type) {
      case MessageType.LAYOUT:
        return this.windows.setLayout(fields as unknown as Layout);
      case MessageType.PRESENCE:
        this.people.apply(fields as unknown as Presence);
        return this.bar.setViewers(this.people.count, this.people.list);
      case MessageType.ROLE:
        return this.showRole();
      case MessageType.NOTICE:
        return this.notice(fields as unknown as Notice);
      case MessageType.THEME:
        this.ownerTheme = fields as unknown as Theme;
        return this.applyLook();
      case MessageType.EXIT:
        return this.windows.setExit(fields as unknown as Exit);
    }
  }

  private notice({ code, text }: Notice): void {
    const words = plainText(text, TEXT_MAX_CHARS);
    if (code === NoticeCode.NOT_DELIVERED) this.toast.show(words || appWords.notDelivered);
    else if (words) this.toast.show(words, 8000);
  }

  private showRole(): void {
    this.showState(this.viewer.state);
    this.toast.show(this.mayType ? appWords.mayType : appWords.mayWatch);
  }

  private get mayType(): boolean {
    return this.viewer.role === Role.OPERATOR && (this.viewer.capabilities & Capability.TYPE) !== 0;
  }

  // --- states ---------------------------------------------------------------------------------

  private showState(state: ViewerState): void {
    const exit = this.windows.onlyExit;
    const words = stateWords(state, exit);
    this.root.dataset['state'] = state.kind;
    const over = isFinal(state) || exit !== undefined;
    this.bar.setMayType(over || !this.welcome ? undefined : this.mayType);
    this.bar.setPaneMenu(!isFinal(state) && this.windows.hasMenu);
    this.stage.setRights(this.mayType, this.windows.mayCommand);
    if (isFinal(state)) this.bar.setViewers(0);
    this.windows.tabs.setEnabled(!isFinal(state));
    this.bar.setState(words, isFinal(state) || state.kind === 'reconnecting');
    if (this.stage.hasScreen) this.card.hide();
    if (state.kind === 'waiting') return this.showWaiting(state);
    if (state.kind !== 'connecting') this.pinTried = false;
    this.showLong(state, words);
  }

  /** The long words: below the last screen where there is one, on a card otherwise. */
  private showLong(state: ViewerState, { short, long, retry }: ReturnType<typeof stateWords>): void {
    const action = isFinal(state) && retry ? { label: retry, run: () => this.retry() } : undefined;
    if (this.stage.hasScreen) {
      if (long) this.banner.show(long, action);
      else this.banner.hide();
      return;
    }
    const actions = action ? [button(action.label, action.run, { class: 'primary' })] : [];
    if (state.kind === 'live' && this.windows.isEmpty) this.card.show(paneWords.nothing.title, [paneWords.nothing.line]);
    else if (state.kind === 'connecting' || state.kind === 'live') this.card.hide();
    else this.card.show(short, long ? [long] : [], ...actions);
  }

  private showWaiting(state: ViewerState & { kind: 'waiting' }): void {
    if (state.what === 'approval') {
      const { short, long } = stateWords(state);
      return this.card.show(short, [long]);
    }
    const left = state.attemptsLeft;
    const tries = left > 0 ? ` ${left} ${left === 1 ? 'try' : 'tries'} left.` : '';
    const pause = state.retryS > 0 ? ` Wait ${state.retryS} s before the next.` : '';
    const note = this.pinTried ? `That was not it.${tries}${pause}` : '';
    this.card.askPin(note, (pin) => {
      this.pinTried = true;
      this.viewer.submitPin(pin);
    });
  }

  private retry(): void {
    if (isFinal(this.viewer.state)) this.viewer.start();
    else this.viewer.nudge();
  }

  private setTitle(title: string): void {
    const text = title || plainText(this.welcome?.shareName ?? '') || 'Vitrine';
    this.bar.setTitle(text);
    document.title = text === 'Vitrine' ? text : `${text} · Vitrine`;
  }

  // --- input ------------------------------------------------------------------------------------

  private typed(pane: number, data: Uint8Array): void {
    if (isFinal(this.viewer.state)) return;
    if (!this.mayType) return this.hint(data);
    if (this.windows.isEnded(pane)) return this.toast.show(paneWords.typedAtEnded);
    const { ctrl, alt } = this.keyBar.takeModifiers();
    if (!ctrl && !alt) return this.viewer.type(pane, data);
    this.viewer.type(pane, utf8(applySticky(new TextDecoder().decode(data), { ctrl, alt })));
  }

  private hint(data: Uint8Array): void {
    if (!this.welcome || MOUSE_OR_FOCUS.test(String.fromCharCode(...data.subarray(0, 8)))) return;
    this.toast.show(appWords.readOnly);
  }

  private pressed(key: BarKey): void {
    const pane = this.stage.focused;
    if (!pane) return;
    const { applicationCursorKeysMode } = pane.terminal.modes;
    const text = keyBytes(key, this.keyBar.takeModifiers(), applicationCursorKeysMode);
    this.typed(pane.id, utf8(text));
  }

  /** Keys of the page's own; false: not for the terminal. */
  private key(event: KeyboardEvent): boolean {
    if (isPaneKey(event)) return false; // the window's listener takes it
    if (event.type !== 'keydown' || !event.ctrlKey || event.altKey || event.metaKey) return true;
    const key = event.key.toLowerCase();
    const selected = this.stage.focused?.terminal.hasSelection() ?? false;
    if (key === 'c' && selected) return this.use(event, () => void this.copy());
    if (!event.shiftKey) return true;
    if (key === 'c') return this.use(event, () => undefined);
    if (key === 'f') return this.use(event, () => this.find.open());
    if (key === ' ') return this.use(event, () => this.menu.open());
    return key !== 'v'; // the browser pastes
  }

  private use(event: KeyboardEvent, action: () => void): boolean {
    event.preventDefault();
    action();
    return false;
  }

  private sayWaiting(bytes: number): void {
    if (bytes > PASTE_NOTE_BYTES) this.toast.show(appWords.sending(Math.ceil(bytes / 1024)), 1500);
  }

  private async copy(): Promise<void> {
    const terminal = this.stage.focused?.terminal;
    const text = terminal?.getSelection();
    if (!terminal || !text) return this.toast.show(appWords.selectFirst);
    const copied = await copyText(text);
    if (copied) terminal.clearSelection();
    this.toast.show(copied ? appWords.copied : appWords.notCopied, 1500);
  }

  private save(): void {
    const terminal = this.stage.focused?.terminal;
    if (terminal) saveText(bufferText(terminal.buffer.active), 'vitrine.txt');
  }

  // --- looks ------------------------------------------------------------------------------------

  private look(): Look {
    return lookOf(this.prefs.theme, this.ownerTheme, this.systemLight.matches);
  }

  private applyLook(): void {
    const look = this.look();
    const { documentElement } = document;
    documentElement.dataset['theme'] = look.chrome;
    documentElement.style.setProperty('--terminal', look.terminal.background ?? '');
    this.stage.setLook(look);
    this.stage.setReader(this.prefs.reader);
  }

  private prefsChanged(): void {
    savePrefs(this.prefs);
    this.applyLook();
    this.stage.setFit(this.prefs.fontPx, this.prefs.fit);
  }

  private keysShown(): boolean {
    return this.prefs.keys ?? matchMedia('(hover: none) and (pointer: coarse)').matches;
  }

  private showKeys(on: boolean): void {
    this.prefs.keys = on;
    this.keyBar.element.hidden = !on;
    savePrefs(this.prefs);
  }

  private fitted(fit: Fit): void {
    const smaller = fit.fontPx < this.prefs.fontPx;
    if (fit.overflows) {
      this.bar.setScale(appWords.scroll, appWords.scrollCompact, appWords.scrollWhy(fit.fontPx <= FONT_MIN_PX));
    } else if (smaller) {
      this.bar.setScale(`${Math.round((100 * fit.fontPx) / this.prefs.fontPx)} %`, '', appWords.scaled);
    } else this.bar.setScale('', '', '');
    this.viewer.resize(fit.couldShow.cols, fit.couldShow.rows);
  }
}

/** Ctrl-F6, from wherever the focus is. */
function isPaneKey(event: KeyboardEvent): boolean {
  return event.type === 'keydown' && event.key === 'F6' && event.ctrlKey && !event.altKey && !event.metaKey;
}

async function toggleFullScreen(): Promise<void> {
  try {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await document.documentElement.requestFullscreen();
  } catch {
    // refused by the browser: nothing to do
  }
}
