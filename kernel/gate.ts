import { randomBytes } from 'node:crypto';
import type { Bus } from './bus.ts';
import type { InboundRequest, Reply, RequestFacts, RequestGate, Toolset } from './contracts/request.ts';

/** The only place where a request begins. */
export class Gate implements RequestGate {
  readonly #bus: Bus;
  readonly #process = randomBytes(2).toString('hex');
  #count = 0;
  constructor(bus: Bus) {
    this.#bus = bus;
  }

  async open(facts: RequestFacts): Promise<InboundRequest | Reply> {
    const id = `${this.#process}-${(++this.#count).toString(36)}`;
    const own = Object.assign(facts, { id, caller: undefined, sessionId: undefined, [NARROWED]: undefined });
    const request = Object.defineProperty(own, 'toolset', TOOLSET) as typeof own & InboundRequest;
    const { generation } = this.#bus;
    const { onRequest } = generation.hooks;
    if (!onRequest.isUsed()) return request;
    generation.enter();
    try {
      return (await onRequest.promise(request)) ?? request;
    } finally {
      generation.leave();
    }
  }
}

const NARROWED = Symbol('narrowed');
interface Narrowed {
  [NARROWED]: Toolset | undefined;
}

/** Plugins may set it several times in any order; a tool once excluded from a request stays excluded. */
const TOOLSET: PropertyDescriptor & ThisType<Narrowed> = {
  enumerable: true,
  get() {
    return this[NARROWED];
  },
  set(toolset: Toolset | undefined) {
    this[NARROWED] = intersection(this[NARROWED], toolset);
  },
};

/** Allows what both allow. The toolset that a client declared comes first, because clients are shown that one. */
function intersection(one: Toolset | undefined, other: Toolset | undefined): Toolset | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [first, second] = rankOf(one) <= rankOf(other) ? [one, other] : [other, one];
  return { ...first, within: intersection(first.within, second) ?? second };
}

function rankOf({ declaredBy }: Toolset): number {
  if (declaredBy === undefined) return 2;
  return declaredBy === 'header' ? 0 : 1;
}
