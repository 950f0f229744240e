// The states a viewer can be in, as the rest of the page and tests see them.
//
//   connecting ─► waiting (PIN, approval) ─► live ◄─► away (connected, nothing heard for 9 s)
//        │                                     │
//        ▼                                     ▼ connection lost
//     refused                            reconnecting ─► live again, or refused
//   any ──sealed BYE──► bye               stopped: by the owner of the Viewer object

export type Cause = 'lost' | 'host-gone' | 'damaged';

export type ViewerState =
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'waiting';
      readonly what: 'pin' | 'approval';
      readonly attemptsLeft: number;
      readonly retryS: number;
    }
  | { readonly kind: 'live' }
  | { readonly kind: 'away'; readonly since: number }
  | {
      readonly kind: 'reconnecting';
      readonly since: number;
      readonly cause: Cause;
      readonly attempt: number;
    }
  | { readonly kind: 'bye'; readonly reason: number; readonly text: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'stopped' };

/** True where nothing happens any more without the person. */
export function isFinal(state: ViewerState): boolean {
  return state.kind === 'bye' || state.kind === 'refused' || state.kind === 'stopped';
}
