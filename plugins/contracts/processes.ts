import { one } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { KeyRing } from './vault.ts';

/** Messages between the processes that act as one gateway. If no plugin provides it, the process is alone. A message is lost
 *  while there is no connection, so whatever must not be missed is also kept in the vault (decision D92). */
export interface Channel {
  /** Sends to the subscribers of all other processes; never fails, and does not wait. */
  publish(topic: string, message: JsonObject): void;
  /** @returns the function that unsubscribes */
  subscribe(topic: string, subscriber: Subscriber): () => void;
}
export interface Subscriber {
  /** Called in the order in which one process has published. */
  readonly message: (message: JsonObject) => void;
  /** Messages may have been lost: the connection was away, or has just begun. */
  readonly gap?: () => void;
  /** The vault that processes share has lost its entries, and is used on. A gap follows. */
  readonly emptied?: () => void;
}
export const Channel = one<Channel>('channel');

/** The processes that act as one gateway. If no plugin provides it, the process is alone. */
export interface Peers {
  /** Id of this process; another one after each start. */
  readonly own: string;
  /** Whether that process lives. One that has ended counts as living for up to a minute.
   *  @throws GatewayError STORE_UNREACHABLE */
  isAlive(id: string): Promise<boolean>;
}
export const Peers = one<Peers>('peers');

/** Calls a minute and at a time that several processes share. 0 disables a part. */
export interface Quota {
  readonly callsPerMinute: number;
  readonly burst: number;
  readonly concurrent: number;
}
export interface Draw {
  /** Calls that wait to be made. */
  readonly calls: number;
  /** Calls to draw in advance, of which at most half of the remaining ones are granted. */
  readonly spare: number;
  /** Calls drawn before and not made. */
  readonly back: number;
  /** Running calls that this process needs to hold from now on; those of a process that has ended are free after 30 s. */
  readonly hold: number;
}
export interface Drawn {
  readonly calls: number;
  /** Running calls that this process holds: at most `hold`. */
  readonly held: number;
  /** Time until the next call can be drawn, if fewer than `calls` were. */
  readonly waitMs: number;
}
/** Budgets of calls for all processes that act as one gateway. If no plugin provides it, limits cannot be shared. */
export interface Quotas {
  /** Whether all processes are workers of one gateway, whose limits are those of one: then each limit is drawn here. */
  readonly areLocal?: boolean;
  /** Draws in one step for all processes. @throws GatewayError STORE_UNREACHABLE */
  draw(name: string, quota: Quota, draw: Draw): Promise<Drawn>;
}
export const Quotas = one<Quotas>('quotas');

/** Keys that a store keeps for all processes that act as one gateway. */
export interface SharedKeys {
  /** @returns undefined if the store is not configured to keep keys */
  keys(): KeyRing | undefined;
}
export const SharedKeys = one<SharedKeys>('shared-keys');

/** The line between the processes that serve one port together: number 0 keeps what all share, the others ask it. */
export interface WorkerLine {
  /** The number of this process. */
  readonly number: number;
  /** Numbers of the others that run; known to number 0 only. */
  living(): readonly number[];
  /** Answers the questions of the others; in number 0 only. @returns the function that ends it */
  answer(topic: string, answer: (question: unknown, from: number) => unknown): () => void;
  /** Asks number 0. @throws GatewayError what it throws, or STORE_UNREACHABLE if it has ended */
  ask(topic: string, question: unknown): Promise<unknown>;
  /** Sends to all others, which hear it in this order; does not wait. */
  tell(message: JsonObject): void;
  /** @returns the function that ends it */
  hear(listener: (message: JsonObject) => void): () => void;
}
export const WorkerLine = one<WorkerLine>('worker-line');
