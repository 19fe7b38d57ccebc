import type { GatewayError, KernelEvent } from 'pegboard';
import type { ServerDefinition } from '../definition.ts';
import type { Topic } from '../client/options.ts';
import type { LastEra } from '../client/revision/lastEra.ts';
import type { KeptSession } from './keptSession.ts';
import type { ToolReport } from './toolReport.ts';

/** Connections that live no longer than another. */
export interface Followers {
  /** The other is ready, or idle. */
  begin(): void;
  /** The other ends, or begins anew. */
  end(): Promise<void>;
  /** The other needs a person, and they may not. */
  follow(): void;
  redefine(next: ServerDefinition): Promise<void>;
}

/** Who has a connection: a server, for all callers, or one session or caller. */
export interface Holder {
  /** The name of the server. */
  readonly name: string;
  /** Whether it is one session or caller. */
  readonly isOwn: boolean;
  /** False for an own connection that has the lists of the shared one. */
  readonly readsLists: boolean;
  /** The era of the server, which its connections share. */
  readonly lastEra: LastEra;
  /** Resolves when a former server of that name has ended; the first attempt waits for it. */
  readonly after: Promise<void>;
  /** The session that the next connection may continue; only a shared connection has it. */
  readonly session?: KeptSession;
  /** The connections that belong to a session or a caller; only the holder of the shared one has them. */
  readonly own?: Followers;
  /** Whether a refused credential ends the attempts: a person has to act. */
  readonly waitsForPeople: boolean;
  /** What the server may ask; declared to it when it connects. */
  topics(definition: ServerDefinition): readonly Topic[];
  /** The server has refused a request. @returns the error as callers see it */
  refused(error: GatewayError): GatewayError;
  /** The listing is about to have these tools. */
  readAhead?(tools: readonly unknown[]): Promise<void>;
  /** The listing has changed, or has become stale or current. */
  listed(): void;
  /** The server has asked its clients for something for the first time. */
  asked(): void;
  emit(event: KernelEvent): void;
  /** Which of the server's tools are offered, and which are left out. */
  toolReport(): ToolReport;
}
