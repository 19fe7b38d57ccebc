/** CPU of the gate for a request whose access token was just used, with and without sign-in, in this process. */
import { RequestGate, isReply } from '../../kernel/index.ts';
import type { RequestFacts } from '../../kernel/index.ts';
import { startAuthServer } from '../support/authServer.ts';
import { runEnds } from '../support/cleanup.ts';
import { bootGateway } from '../support/gateway.ts';
import type { Gateway } from '../support/gateway.ts';
import { median } from './median.ts';

const WARM_UP_CALLS = 50_000;
const CALLS = 100_000;
const ROUNDS = 7;
const NO_LIMITS = { perAddress: 10_000_000, perClient: 10_000_000, perPerson: 10_000_000 };

export interface BearerCost {
  /** µs of CPU per request. */
  readonly withSignIn: number;
  readonly without: number;
}

export async function measureBearer(): Promise<BearerCost> {
  try {
    const auth = await startAuthServer({ config: { rateLimits: NO_LIMITS } });
    const { access } = await auth.tokens();
    const files = { 'config.yaml': 'aggregator: { port: 0 }', 'state/.keep': '' };
    const builtIns = ['http', 'front', 'transport-http', 'transport-sse', 'metatools', 'toolsets'];
    const open = await bootGateway({ files, builtIns });
    const authorization = `Bearer ${access}`;
    const costs = { withSignIn: [] as number[], without: [] as number[] };
    for (const { gateway } of [auth, { gateway: open }])
      await cpuUsPerCall(gateway, authorization, WARM_UP_CALLS);
    for (let round = 0; round < ROUNDS; round += 1) {
      costs.withSignIn.push(await cpuUsPerCall(auth.gateway, authorization, CALLS));
      costs.without.push(await cpuUsPerCall(open, authorization, CALLS));
    }
    return { withSignIn: median(costs.withSignIn), without: median(costs.without) };
  } finally {
    await runEnds();
  }
}

/** @throws Error if a request is refused */
async function cpuUsPerCall({ kernel }: Gateway, authorization: string, calls: number): Promise<number> {
  const gate = kernel.registry.get(RequestGate.id) as RequestGate;
  const begun = process.cpuUsage();
  for (let call = 0; call < calls; call += 1) {
    const request = await gate.open(new Facts(authorization));
    if (isReply(request)) throw new Error(`refused: ${request.status}`);
  }
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / calls;
}

class Facts implements RequestFacts {
  readonly transport = 'http';
  readonly access = 'caller';
  readonly method = 'POST';
  readonly path = '/mcp';
  readonly preset = undefined;
  readonly remoteAddress = '127.0.0.1';
  readonly #authorization: string;
  constructor(authorization: string) {
    this.#authorization = authorization;
  }
  header(name: string): string | undefined {
    return name === 'authorization' ? this.#authorization : undefined;
  }
  isRepeated(): boolean {
    return false;
  }
}
