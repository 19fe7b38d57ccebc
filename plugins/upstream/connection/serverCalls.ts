import type { CallResult } from 'pegboard';
import type { Conversation } from '../client/conversation/conversation.ts';
import type { ServerDefinition } from '../definition.ts';
import type { RequestOptions } from '../client/rpc/pending.ts';
import type { RpcText } from '../client/rpc/rpcText.ts';
import type { StatusFacts } from './serverStatus.ts';

/** What a resource is watched on. */
export interface WatchPlace {
  /** Watches what another connection was granted. @returns the function that unsubscribes */
  watchAgain(uri: string, updated: () => void): () => void;
}
/** A subscription as it was granted. */
export interface GrantedWatch {
  readonly place: WatchPlace;
  /** Unsubscribes. */
  readonly end: () => void;
}
/** A connection to a server, as those see it who watch its resources. */
export interface Watchable {
  /** Owner of its credential; absent without one. */
  readonly owner?: string;
  /** Conversation of the connection that is in use now. @throws GatewayError UPSTREAM_FULL, UPSTREAM_AUTH_REQUIRED */
  readonly conversation: WatchPlace;
  /** @param uri the server's own @throws GatewayError UPSTREAM_* */
  watch(uri: string, updated: () => void): Promise<GrantedWatch>;
  start(): Promise<void>;
}
/** A connection to a server, as those see it who call the server. */
export interface ServerCalls extends Watchable {
  readonly conversation: Pick<Conversation, 'isBusy' | 'lists' | 'pid' | 'wantLogs' | 'watchAgain'>;
  readonly status: Pick<StatusFacts, 'state' | 'lastError'>;
  call(what: string, text: RpcText, options: RequestOptions): Promise<CallResult>;
  /** Applies a changed definition of the same endpoint. */
  redefine(next: ServerDefinition): Promise<void>;
  stop(): Promise<void>;
}
