import type { Bus } from './bus.ts';
import { isReply } from './contracts/request.ts';
import type { InboundRequest, Reply, RequestFacts, RequestGate } from './contracts/request.ts';
import { GatewayError } from './errors.ts';

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
    const { generation } = this.#bus;
    const { onRequest } = generation.hooks;
    if (!onRequest.isUsed()) return request;
    generation.enter();
    try {
      return checked(await onRequest.promise(request)) ?? request;
    } finally {
      generation.leave();
    }
  }
}

/** Anything but a reply would be taken for a request that has passed every guard. */
function checked(answer: Reply | undefined): Reply | undefined {
  if (answer === undefined || (typeof answer === 'object' && isReply(answer))) return answer;
  throw new GatewayError('PLUGIN_CONTRACT', 'an onRequest tap answered with something that is no reply');
}
