import type { JsonObject } from 'pegboard';

/** What a worker sends to the first process. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | { readonly kind: 'ask'; readonly id: number; readonly topic: string; readonly question: unknown }
  | Told;
/** What the first process sends to a worker. */
export type ToWorker =
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'reload' }
  | { readonly kind: 'ping' }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'refused'; readonly id: number; readonly code: string; readonly message: string }
  | Told;
interface Told {
  readonly kind: 'told';
  readonly message: JsonObject;
}
