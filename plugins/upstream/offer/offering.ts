import type { InboundRequest } from 'pegboard';
import type { ToolReport } from '../connection/toolReport.ts';
import type { Audience } from './claims.ts';
import type { OfferingServer } from './offeringServer.ts';
import { PartialLists } from './partialLists.ts';
import { NOUNS, SECTIONS, SourceRegistrar } from './sourceRegistrar.ts';
import type { SourceParts } from './sourceRegistrar.ts';
import { ToolRegistrar } from './toolRegistrar.ts';
import type { ToolRegistrarParts } from './toolRegistrar.ts';

export type OfferingParts = ToolRegistrarParts & SourceParts;

/** What servers offer to one audience. */
export class Offering {
  readonly audience: Audience;
  readonly tools: ToolRegistrar;
  readonly sources: SourceRegistrar;
  readonly #partial: PartialLists;

  constructor(audience: Audience, parts: OfferingParts) {
    this.audience = audience;
    this.tools = new ToolRegistrar(audience, parts);
    this.sources = new SourceRegistrar(audience, parts);
    this.#partial = new PartialLists(parts.log, parts.emit);
  }

  /** A server, or what it lists to the audience, has changed. */
  update(server: OfferingServer): void {
    this.tools.update(server);
    this.sources.update(server);
    this.#partial.update(server);
  }

  /** @param request of the audience; absent: one without lists of its own */
  report(server: string, request?: InboundRequest): ToolReport {
    const report = this.tools.report(server, request);
    const odd = [...report.odd, ...this.sources.odd(server)];
    const takenEntries = (): readonly string[] =>
      SECTIONS.flatMap((section) =>
        this.sources.taken(section, server, request).map((name) => `${NOUNS[section]} ${name}`),
      );
    return { ...report, odd, takenEntries, partialLists: this.#partial.of(server) };
  }

  /** What is not read of the lists, by server. */
  gaps(): ReturnType<PartialLists['all']> {
    return this.#partial.all();
  }

  /** Withdraws everything. */
  clear(): void {
    this.tools.clear();
    this.sources.clear();
    this.#partial.clear();
  }
}
