import type { Audience } from './claims.ts';
import type { OfferingServer } from './offeringServer.ts';
import { SourceRegistrar } from './sourceRegistrar.ts';
import type { SourceParts } from './sourceRegistrar.ts';
import { ToolRegistrar } from './toolRegistrar.ts';
import type { ToolParts } from './toolRegistrar.ts';

export type OfferingParts = ToolParts & SourceParts;

/** What servers offer to one audience. */
export class Offering {
  readonly audience: Audience;
  readonly tools: ToolRegistrar;
  readonly sources: SourceRegistrar;

  constructor(audience: Audience, parts: OfferingParts) {
    this.audience = audience;
    this.tools = new ToolRegistrar(audience, parts);
    this.sources = new SourceRegistrar(audience, parts);
  }

  /** A server, or what it lists to the audience, has changed. */
  update(server: OfferingServer): void {
    this.tools.update(server);
    this.sources.update(server);
  }

  /** Withdraws everything. */
  clear(): void {
    this.tools.clear();
    this.sources.clear();
  }
}
