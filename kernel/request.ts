import type { Bus } from './bus.ts';
import type { InboundRequest, Reply, RequestFacts, RequestGate } from './contracts/request.ts';

/** The only place where a request begins. */
export class Gate implements RequestGate {
  readonly #bus: Bus;
  constructor(bus: Bus) {
    this.#bus = bus;
  }

  async open(facts: RequestFacts): Promise<InboundRequest | Reply> {
    const request: InboundRequest = Object.assign(facts, {
      caller: undefined,
      toolset: undefined,
      sessionId: undefined,
    });
    const { onRequest } = this.#bus.hooks;
    if (!onRequest.isUsed()) return request;
    return (await onRequest.promise(request)) ?? request;
  }
}
