// The share's windows as tabs: which one is shown here, which one the host looks at, where something
// rang or happened; and whether this page follows the host. The tabs keep their elements, so that the
// focus stays where it is while they change.

import { WindowTab } from '../view/window_layout.js';
import { button, el } from './dom.js';
import { windowWords } from './words.js';

export interface TabsActions {
  /** byPointer: not by the keyboard, which stays with the tabs. */
  choose(window: number, byPointer: boolean): void;
  follow(on: boolean): void;
}

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
};

class Tab {
  readonly element: HTMLButtonElement;
  private readonly name = el('bdi', { class: 'name' });
  private readonly marks = el('span', { class: 'marks' });
  private shown = '';

  constructor(readonly id: number, choose: (id: number, byPointer: boolean) => void) {
    this.element = el('button', { class: 'tab', role: 'tab', type: 'button' });
    this.element.addEventListener('click', ({ detail }) => choose(id, detail > 0));
    this.element.append(this.name, this.marks);
  }

  show(tab: WindowTab): void {
    const now = JSON.stringify(tab);
    if (now === this.shown) return;
    this.shown = now;
    this.name.textContent = tab.name || windowWords.unnamed(tab.id);
    this.element.setAttribute('aria-selected', String(tab.viewed));
    this.element.classList.toggle('host', tab.active);
    this.marks.replaceChildren();
    if (tab.bell) this.mark('bell', windowWords.bell);
    if (tab.activity && !tab.bell) this.mark('activity', windowWords.activity);
    if (tab.active) this.mark('here', windowWords.hostHere);
    this.element.title = [this.name.textContent, ...this.said].join(' · ');
  }

  private get said(): string[] {
    return Array.from(this.marks.children, (mark) => mark.textContent ?? '');
  }

  private mark(kind: string, text: string): void {
    this.marks.append(el('span', { class: `mark ${kind}` }, el('span', { class: 'unseen', text })));
  }
}

export class Tabs {
  readonly element: HTMLElement;
  private readonly list = el('div', { class: 'tabs', role: 'tablist', label: windowWords.label });
  private readonly leftOut = el('span', { class: 'left-out', hidden: true });
  private readonly follow: HTMLButtonElement;
  private readonly tabs = new Map<number, Tab>();
  private viewed: number | undefined;
  private isFollowing = true;

  constructor(private readonly actions: TabsActions) {
    this.follow = button('', () => actions.follow(!this.isFollowing), { class: 'follow', title: windowWords.followHint });
    this.element = el('nav', { class: 'windows', label: windowWords.label, hidden: true }, this.list, this.leftOut, this.follow);
    this.list.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('wheel', (event) => this.wheel(event), { passive: true });
  }

  /** Shows the windows; a single one needs no tabs. */
  show(windows: readonly WindowTab[], leftOut: number, isFollowing: boolean): void {
    this.element.hidden = windows.length < 2;
    this.drop(new Set(windows.map(({ id }) => id)));
    windows.forEach((window, at) => this.place(window, at));
    this.leftOut.hidden = leftOut === 0;
    this.leftOut.textContent = windowWords.leftOut(leftOut);
    this.isFollowing = isFollowing;
    this.sayFollow();
    this.follow.setAttribute('aria-pressed', String(isFollowing));
    this.view(windows.find(({ viewed }) => viewed)?.id);
  }

  /** Off: there is nobody left to ask for another window. */
  setEnabled(on: boolean): void {
    this.element.inert = !on;
  }

  private sayFollow(): void {
    const { following, followingCompact, follow, followCompact } = windowWords;
    const [wide, compact] = this.isFollowing ? [following, followingCompact] : [follow, followCompact];
    this.follow.replaceChildren(el('span', { class: 'wide', text: wide }), el('span', { class: 'compact', text: compact }));
  }

  private drop(kept: ReadonlySet<number>): void {
    for (const [id, { element }] of this.tabs) {
      if (kept.has(id)) continue;
      element.remove();
      this.tabs.delete(id);
    }
  }

  private place(window: WindowTab, at: number): void {
    let tab = this.tabs.get(window.id);
    if (!tab) {
      tab = new Tab(window.id, (...how) => this.actions.choose(...how));
      this.tabs.set(window.id, tab);
    }
    tab.show(window);
    tab.element.tabIndex = window.viewed ? 0 : -1;
    const there = this.list.children[at] ?? null;
    if (there !== tab.element) this.list.insertBefore(tab.element, there);
  }

  private view(id: number | undefined): void {
    const first = this.list.firstElementChild as HTMLElement | null;
    if (id === undefined && first) first.tabIndex = 0;
    if (id === this.viewed) return;
    this.viewed = id;
    const { element } = this.tabs.get(id ?? -1) ?? {};
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  private key(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    const all = [...this.list.children] as HTMLElement[];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = all[step(at, all.length)]!;
    all[at]!.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  private wheel({ deltaX, deltaY }: WheelEvent): void {
    if (deltaX === 0) this.list.scrollLeft += deltaY;
  }
}
