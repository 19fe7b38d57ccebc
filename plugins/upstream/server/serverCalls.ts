import type { CallResult } from 'pegboard';
import type { Conversation } from '../conversation/conversation.ts';
import type { ServerDefinition } from '../definition.ts';
import type { RequestOptions } from '../rpc/pending.ts';
import type { RpcText } from '../rpc/rpcText.ts';
import type { Watchable } from './ownedWatches.ts';
import type { StatusFacts } from './serverStatus.ts';

/** A connection to a server, as those see it who call the server. */
export interface ServerCalls extends Watchable {
  readonly conversation: Pick<Conversation, 'isBusy' | 'lists' | 'pid' | 'wantLogs' | 'watchAgain'>;
  readonly status: Pick<StatusFacts, 'state' | 'lastError'>;
  call(what: string, text: RpcText, options: RequestOptions): Promise<CallResult>;
  /** Applies a changed definition of the same endpoint. */
  redefine(next: ServerDefinition): Promise<void>;
  stop(): Promise<void>;
}
