import { GatewayError } from 'pegboard';
import type { Call, CallResult, Caller, Next } from 'pegboard';
import { InFlight } from '../../kit/limits/inFlight.ts';
import { isOf } from './ownerIn.ts';

/** One running call. */
export interface RunningCall {
  readonly id: number;
  readonly tool: string;
  readonly server?: string;
  /** The id of its session, as in the log. */
  readonly session?: string;
  readonly caller?: string;
  /** RFC 3339 */
  readonly since: string;
  readonly ageMs: number;
}
interface Running {
  readonly call: Call;
  readonly startedAt: number;
}

/** The calls under way. */
export class CallsUnderWay {
  readonly #running = new InFlight<Running>();

  /** A tap of onCall. */
  async follow(call: Call, next: Next): Promise<CallResult> {
    this.#running.put(call.id, { call, startedAt: Date.now() });
    try {
      return await next();
    } finally {
      this.#running.delete(call.id);
    }
  }

  get size(): number {
    return this.#running.size;
  }

  /** The oldest first; of calls that make others, only those others: `call_tool` is not shown beside its tool.
   *  @param sessionId only those of that session */
  all(sessionId?: string): readonly RunningCall[] {
    const running = this.#running.values();
    const parents = new Set(running.map(({ call }) => call.parent?.id));
    return running
      .filter(({ call }) => !parents.has(call.id) && call.request.transport !== 'admin')
      .filter(({ call }) => sessionId === undefined || call.request.sessionId === sessionId)
      .map(factsOf);
  }

  /** Those of clients without sessions, as of revision 2026-07-28. @param owner as ownerIn() says */
  withoutSession(owner?: Caller): readonly RunningCall[] {
    const isMine = ({ id }: RunningCall): boolean => isOf(this.#running.get(id)?.call.request.caller, owner);
    return this.all().filter((one) => one.session === undefined && isMine(one));
  }

  /** @param owner as ownerIn() says @throws GatewayError REQUEST_NOT_FOUND if it has ended, also for a call of others */
  cancel(id: number, owner?: Caller): RunningCall {
    const running = this.#running.get(id);
    if (running === undefined || !isOf(running.call.request.caller, owner))
      throw new GatewayError('REQUEST_NOT_FOUND', 'this call is not under way any more');
    const who = owner === undefined ? 'the operator' : 'its person';
    running.call.cancel.cancel(`${who} cancelled it on the admin page`);
    return factsOf(running);
  }
}

function factsOf({ call, startedAt }: Running): RunningCall {
  const { id, tool, request } = call;
  return {
    id,
    tool: tool.name,
    ...(tool.server !== undefined && { server: tool.server }),
    ...(request.sessionId !== undefined && { session: request.sessionId }),
    ...(request.caller !== undefined && { caller: request.caller.subject }),
    since: new Date(startedAt).toISOString(),
    ageMs: Date.now() - startedAt,
  };
}
