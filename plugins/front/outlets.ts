import { ANYONE } from 'pegboard';
import type { InboundRequest, Outlet, Scope, Session } from 'pegboard';
import { writeNotification } from './codec.ts';
import type { FrontConfig } from './config.ts';
import { createLists } from './lists.ts';
import type { Lists } from './lists.ts';

const LISTS = ['tools', 'resources', 'prompts'] as const;
type ListName = (typeof LISTS)[number];

interface Attached {
  readonly session: Session;
  readonly outlet: Outlet;
}

/** Standing streams and what they must hear: that one of the three lists reads differently than before.
 *  Most catalogue changes do not concern clients, whose tools are the constant meta-tools. */
export class Outlets {
  readonly #attached = new Map<string, Attached>();
  readonly #scope: Scope<FrontConfig>;
  readonly #lists: Lists;
  #known: Readonly<Record<ListName, string>> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(scope: Scope<FrontConfig>) {
    this.#scope = scope;
    this.#lists = createLists(scope);
  }

  /** A second stream of one session takes the first one's place: a notification goes to exactly one. */
  add(session: Session, outlet: Outlet): () => void {
    const { id } = session;
    const own: Attached = { session, outlet };
    this.#known ??= this.#read();
    this.#attached.set(id, own);
    return () => {
      if (this.#attached.get(id) === own) this.#attached.delete(id);
      if (this.#attached.size === 0) this.#known = undefined;
    };
  }

  /** A session without a standing stream does not hear it. @returns whether it has one */
  tell(sessionId: string, json: string): boolean {
    const attached = this.#attached.get(sessionId);
    attached?.outlet.write(json);
    return attached !== undefined;
  }

  /** To each session that has a standing stream and for which `isFor` holds. */
  tellAll(json: string, isFor: (sessionId: string, request: InboundRequest) => boolean): void {
    for (const [id, { outlet }] of this.#attached) if (isFor(id, outlet.request)) outlet.write(json);
  }

  has(sessionId: string): boolean {
    return this.#attached.has(sessionId);
  }

  drop({ id }: Session): void {
    this.#attached.delete(id);
  }

  /** Those of sessions that began before `time` and can end apart from their stream. @param time ms since the epoch */
  before(time: number): readonly Attached[] {
    return [...this.#attached.values()].filter(
      ({ session, outlet }) => session.createdAt < time && 'end' in outlet,
    );
  }

  /** Something may have changed; the streams hear of it gathered. */
  noticeChange(): void {
    if (this.#attached.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.#compare(), this.#scope.config.listChangedMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #compare(): void {
    this.#timer = undefined;
    const now = this.#read();
    const changed = LISTS.filter((list) => this.#known?.[list] !== now[list]);
    this.#known = now;
    for (const list of changed) {
      const json = writeNotification(`notifications/${list}/list_changed`);
      for (const { outlet } of this.#attached.values()) outlet.write(json);
    }
  }

  #read(): Readonly<Record<ListName, string>> {
    const resources = this.#lists.resources(ANYONE) + this.#lists.templates(ANYONE);
    return { tools: this.#lists.tools(), resources, prompts: this.#lists.prompts(ANYONE) };
  }
}
