import type { KernelEvent, Log } from 'pegboard';
import { serverEvents } from '../connection/serverEvents.ts';
import type { OfferingServer } from './offeringServer.ts';

/** What a gap says about a name that the server does not list. */
export function mayHaveIt(server: string, gap: string): string {
  return `server ${server} may have it, but of its list only a part is known: ${gap}`;
}

/** Reports the lists of which only a part was read, once until that changes. */
export class PartialLists {
  readonly #log: Log;
  readonly #emit: (event: KernelEvent) => void;
  readonly #toldByServer = new Map<string, readonly string[]>();

  constructor(log: Log, emit: (event: KernelEvent) => void) {
    this.#log = log;
    this.#emit = emit;
  }

  /** What is not read, by server. */
  all(): Iterable<readonly [server: string, gaps: readonly string[]]> {
    return this.#toldByServer;
  }
  /** What is not read of the lists of a server. */
  of(server: string): readonly string[] {
    return this.#toldByServer.get(server) ?? [];
  }

  /** Updates to what the server lists now. */
  update({ name, isWanted, listing }: OfferingServer): void {
    const before = this.of(name);
    const gaps = isWanted ? Object.values(listing.gaps ?? {}).filter((gap) => gap !== undefined) : [];
    if (gaps.length === 0) this.#toldByServer.delete(name);
    else this.#toldByServer.set(name, gaps);
    for (const gap of gaps) {
      if (before.includes(gap)) continue;
      this.#log.warn('a list of the server was read in part', { server: name, gap });
      serverEvents(name, this.#emit)('MCPServerListPartial', gap);
    }
  }

  clear(): void {
    this.#toldByServer.clear();
  }
}
