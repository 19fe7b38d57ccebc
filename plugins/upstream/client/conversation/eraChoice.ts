import { GatewayError, isGatewayError, isObject } from 'pegboard';
import type { CallResult, Client } from 'pegboard';
import { rawMember } from '../../../kit/text/rawJson.ts';
import { ALL_TOPICS } from '../options.ts';
import type { Era } from '../options.ts';
import type { LastEra } from '../revision/lastEra.ts';
import { MODERN_REVISION } from '../rpc/dialect.ts';
import type { RequestOptions } from '../rpc/pending.ts';
import type { Requests } from '../rpc/requests.ts';
import type { RpcText } from '../rpc/rpcText.ts';
import { unableToAsk } from '../rpc/unableToAsk.ts';
import type { Unable } from '../rpc/unableToAsk.ts';

/** Requests during which a server may ask. Source: MCP 2026-07-28, Supported Requests */
const MAY_ASK: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** Longer results are not searched: the words of a server about an era are one sentence. */
const MAX_SAID_CHARS = 2_000;

type WholeCall = readonly [what: string, text: RpcText, options: RequestOptions];

export interface EraChoiceParts {
  readonly server: string;
  readonly requests: Requests;
  readonly lastEra: LastEra;
  readonly redact: (text: string) => string;
  /** Whether the connection of the older era takes requests of the newer one, too. */
  readonly isDual: () => boolean;
  /** It was found out in which era a tool can ask. */
  readonly learned: () => void;
}

/** Sends each call in the era in which its server can ask its client: that of the client, until the server has said that it is the
 *  other one for that tool. A request of the newer era needs no session, so one connection carries both (D142). */
export class EraChoice {
  readonly #parts: EraChoiceParts;

  constructor(parts: EraChoiceParts) {
    this.#parts = parts;
  }

  call(what: string, text: RpcText, options: RequestOptions): Promise<CallResult> {
    const { requests, isDual } = this.#parts;
    if ((requests.era === 'legacy' && !isDual()) || !mayBeAsked(text, options.client))
      return requests.call(what, text, options);
    return this.#call([what, text, options], false);
  }

  async #call(call: WholeCall, isAgain: boolean): Promise<CallResult> {
    const { requests, isDual, lastEra, learned } = this.#parts;
    const [what, text, options] = call;
    const era = isDual() ? (lastEra.asks(keyOf(text)) ?? eraOf(options.client)) : requests.era;
    try {
      const result = await requests.call(what, text, { ...options, asModern: era === 'modern' });
      const said = errorIn(result);
      if (said === undefined || unableToAsk(era, said) === undefined) return result;
      throw this.#error(call, said);
    } catch (error) {
      const said = isGatewayError(error) ? error.details.serverMessage : undefined;
      const unable = said === undefined ? undefined : unableToAsk(era, said);
      if (said === undefined || unable === undefined) throw error;
      if (!isDual()) throw this.#error(call, said, CURE);
      lastEra.setAsks(keyOf(text), unable.era);
      learned();
      if (!isAgain && (unable.isRepeatable || options.isRepeatable === true)) return this.#call(call, true);
      throw this.#error(call, said, nextTime(unable));
    }
  }

  #error([what]: WholeCall, said: string, next = ''): GatewayError {
    const { server, redact } = this.#parts;
    const told = redact(said);
    const message = `${what} of server ${server} failed: ${next === '' ? told : `${told}; ${next}`}`;
    return new GatewayError('UPSTREAM_ERROR', message, { details: { server, serverMessage: told } });
  }
}

const CURE =
  'it can ask in older revisions only, and there only if it keeps sessions: set revision: legacy in its definition';

function nextTime({ era }: Unable): string {
  const revision = era === 'modern' ? MODERN_REVISION : 'an older revision';
  return `from now on it is called in ${revision}, in which it can ask; check the effect of this call before calling again`;
}

function mayBeAsked({ method }: RpcText, client: Client | undefined): boolean {
  if (client === undefined || !MAY_ASK.has(method)) return false;
  return ALL_TOPICS.some((topic) => client.capabilities[topic] !== undefined);
}

/** Clients up to 2025-11-25 have sessions. */
function eraOf(client: Client | undefined): Era {
  return client?.hasSession === false ? 'modern' : 'legacy';
}

function keyOf({ method, name = '' }: RpcText): string {
  return `${method} ${name}`;
}

/** The first text of a result that is an error; undefined for any other result. */
function errorIn(result: CallResult): string | undefined {
  const { json } = result;
  if (json.length > MAX_SAID_CHARS || rawMember(json, 'isError') !== 'true') return undefined;
  const { content } = result.value() as { readonly content: unknown };
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return isObject(first) && typeof first['text'] === 'string' ? first['text'] : undefined;
}
