import type { ServerDefinition, Topic } from '../definition.ts';
import type { ConversationParts } from '../conversation/conversation.ts';
import type { AnnouncerParts } from './announcer.ts';
import type { KeptSession } from './keptSession.ts';
import type { LinkParts } from './link.ts';
import type { Instances } from './instances.ts';
import type { OwnParts } from './ownParts.ts';
import type { Personal } from './personal.ts';

/** Those that belong to a session or a caller, besides the shared connection. */
export type InstancesOfServer = Pick<
  Instances,
  | 'size'
  | 'warm'
  | 'release'
  | 'wantLogs'
  | 'wordsFor'
  | 'pids'
  | 'outputFor'
  | 'keyFor'
  | 'connectionOf'
  | 'dropOne'
>;

export interface ConnectionParts
  extends OwnParts, Omit<AnnouncerParts, 'counts'>, Pick<ConversationParts, 'isOwn' | 'readsLists'> {
  /** Resolves when a former server of that name has ended; the first attempt waits for it. */
  readonly after: Promise<void>;
  /** Called when the listing has changed, or has become stale or current. */
  readonly listed: () => void;
  /** The server has asked its clients for something for the first time. */
  readonly asked: () => void;
  readonly refused: LinkParts['refused'];
  /** The session that the next connection may continue; only a shared connection has it. */
  readonly session?: KeptSession;
  /** Whether a refused credential ends the attempts: a person has to act. */
  readonly waitsForPeople: () => boolean;
  /** The credentials of its callers; only a shared connection has them. */
  readonly personal?: Pick<Personal, 'callsFor'>;
  /** The connections that belong to a session or a caller; only a shared connection has them. */
  readonly instances?: Instances;
  /** What the server may ask; declared to it when it connects. */
  readonly topics: (definition: ServerDefinition) => readonly Topic[];
}
