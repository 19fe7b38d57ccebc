import { one } from 'pegboard';
import type { JsonObject } from 'pegboard';

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
}
export const Channel = one<Channel>('channel');

/** The processes that act as one gateway. If no plugin provides it, the process is alone. */
export interface Peers {
  /** Of this process; another one after each start. */
  readonly own: string;
  /** Whether that process lives. One that has ended counts as living for up to a minute.
   *  @throws GatewayError STORE_UNREACHABLE */
  isAlive(id: string): Promise<boolean>;
}
export const Peers = one<Peers>('peers');
