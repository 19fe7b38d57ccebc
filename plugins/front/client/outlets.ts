import type { InboundRequest } from 'pegboard';
import type { Outlet } from '../../contracts/mcp.ts';
import type { Session } from '../../contracts/sessions.ts';
import { writeNotification } from '../message/codec.ts';
import { WATCHED_LISTS } from './listWatch.ts';
import type { WatchedList, ListWatch } from './listWatch.ts';

interface Attached {
  readonly session: Session;
  readonly outlet: Outlet;
}

/** The sessions' standing streams. */
export class Outlets {
  readonly #attached = new Map<string, Attached>();
  readonly #listWatch: ListWatch;

  constructor(listWatch: ListWatch) {
    this.#listWatch = listWatch;
  }

  /** A second stream of a session replaces the first: a notification is sent to exactly one. */
  add(session: Session, outlet: Outlet): () => void {
    const { id } = session;
    const own: Attached = { session, outlet };
    this.#attached.set(id, own);
    const tellChanged = (list: WatchedList): void => {
      if (this.#attached.get(id) === own)
        outlet.write(writeNotification(`notifications/${list}/list_changed`));
    };
    const unfollow = this.#listWatch.follow(outlet.request, tellChanged);
    if (outlet.hasMissed === true) WATCHED_LISTS.forEach(tellChanged);
    return () => {
      unfollow();
      if (this.#attached.get(id) === own) this.#attached.delete(id);
    };
  }

  /** Writes to the session's standing stream. @returns whether it has one */
  tell(sessionId: string, json: string): boolean {
    const attached = this.#attached.get(sessionId);
    attached?.outlet.write(json);
    return attached !== undefined;
  }

  /** Writes to each session that has a standing stream and for which `isFor` is true. @returns their number */
  tellAll(json: string, isFor: (sessionId: string, request: InboundRequest) => boolean): number {
    const receivers = [...this.#attached].filter(([id, { outlet }]) => isFor(id, outlet.request));
    for (const [, { outlet }] of receivers) outlet.write(json);
    return receivers.length;
  }

  has(sessionId: string): boolean {
    return this.#attached.has(sessionId);
  }

  /** The session's standing stream; undefined if it is not here. */
  of(sessionId: string): Attached | undefined {
    return this.#attached.get(sessionId);
  }

  /** Where each stream is, and what its session speaks. */
  origins(): readonly { readonly transport: string; readonly revision: string }[] {
    return [...this.#attached.values()].map(({ session: { revision }, outlet }) => ({
      transport: outlet.request.transport,
      revision,
    }));
  }

  drop({ id }: Pick<Session, 'id'>): void {
    this.#attached.delete(id);
  }

  /** Ends the stream of a session that another process has ended. */
  end(sessionId: string): void {
    const attached = this.#attached.get(sessionId);
    this.#attached.delete(sessionId);
    attached?.outlet.end?.();
  }

  /** Streams of sessions that began before `time` and can end apart from their stream. @param time ms since the epoch */
  begunBefore(time: number): readonly Attached[] {
    return [...this.#attached.values()].filter(
      ({ session, outlet }) => session.createdAt < time && 'end' in outlet,
    );
  }
}
