import { ConfigControl, HIDDEN, isObject, messageOf } from 'pegboard';
import type { Call, JsonObject, KernelEvent, Scope, Tool } from 'pegboard';
import { hiderOf, isSecretName } from 'pegboard/kit';
import type { Hide } from 'pegboard/contracts';
import { traceIdOf } from '../kit/calls/traceIdOf.ts';
import { outcomeOf } from '../kit/metrics/outcomeOf.ts';
import { hiddenJson } from '../kit/secrets/hiddenJson.ts';
import { secretsIn } from '../kit/secrets/secretsIn.ts';
import { CallSecrets } from '../contracts/secrets.ts';
import type { CallHistoryConfig } from './config.ts';
import type { KeptCall } from './keptCall.ts';

type Ended = KernelEvent<'call.settled' | 'call.refused'>;

/** A call that has ended and is still to be written; of one that went well, it holds neither arguments nor result. */
export interface PendingCall {
  readonly at: number;
  readonly ms: number;
  readonly name: string;
  readonly tool: Tool | undefined;
  readonly code: string;
  readonly bytes: number | undefined;
  readonly client: string | undefined;
  readonly request: Call['request'];
  readonly meta: Call['meta'];
  /** Texts of others, searched for secrets only when the line is written. */
  readonly texts: PendingTexts | undefined;
}
interface PendingTexts {
  readonly call: Pick<Call, 'tool' | 'request' | 'parent'> | undefined;
  readonly args: JsonObject;
  readonly keepsContent: boolean;
  readonly error: unknown;
  /** The result as JSON text. */
  readonly json: string | undefined;
}

const LEFT_OUT = '[too large]';

/** Makes entries of events: what costs time, hiding secrets, is done apart from the call. */
export class CallReader {
  readonly #scope: Scope<unknown>;
  readonly #config: () => CallHistoryConfig;
  #ofServers: Hide | undefined;

  constructor(scope: Scope<unknown>, config: () => CallHistoryConfig) {
    this.#scope = scope;
    this.#config = config;
  }

  /** Definitions have changed. */
  forget(): void {
    this.#ofServers = undefined;
  }

  /** Takes what an entry needs; it runs on the path of each call, so it builds nothing. */
  begin(event: Ended): PendingCall {
    const { content } = this.#config();
    const at = Date.now();
    if (event.type === 'call.refused') {
      const { name, args, request, meta, parent, error } = event;
      const code = outcomeOf({ outcome: 'error', error });
      const call = parent && { tool: parent.tool, request, parent };
      const texts = { call, args, keepsContent: content, error, json: undefined };
      return {
        at,
        ms: 0,
        name,
        tool: undefined,
        code,
        bytes: undefined,
        client: undefined,
        request,
        meta,
        texts,
      };
    }
    const { call, ms } = event;
    const { tool, args, request, meta } = call;
    const code = outcomeOf(event);
    const json = event.outcome === 'ok' ? event.result.json : undefined;
    const error = event.outcome === 'error' ? event.error : undefined;
    const texts = code === 'ok' && !content ? undefined : { call, args, keepsContent: content, error, json };
    const bytes = json === undefined ? undefined : Buffer.byteLength(json);
    const client = call.client?.program;
    return { at, ms, name: tool.name, tool, code, bytes, client, request, meta, texts };
  }

  finish(pending: PendingCall): KeptCall {
    const facts = factsOf(pending);
    const { texts } = pending;
    if (texts === undefined) return facts;
    const hide = this.#hiderFor(texts);
    const error = textOfFailure(facts.code, texts);
    const { args, json, keepsContent } = texts;
    return {
      ...facts,
      ...(error !== undefined && { error: this.#cut(hide(error)) }),
      ...(keepsContent && { args: this.#cut(hiddenJson(JSON.stringify(args), hide) ?? LEFT_OUT) }),
      ...(keepsContent && json !== undefined && { result: this.#cut(hiddenJson(json, hide) ?? LEFT_OUT) }),
    };
  }

  /** Hides the secrets of all servers, because one may receive another's; those of the call; and secret arguments. */
  #hiderFor({ call, args }: PendingTexts): Hide {
    this.#ofServers ??= this.#serversHider();
    const ofArguments = hiderOf(
      Object.entries(args).flatMap(([name, value]) =>
        typeof value === 'string' && value !== HIDDEN && isSecretName(name)
          ? [{ name: 'password', text: value }]
          : [],
      ),
    );
    const sources = call === undefined ? [] : this.#scope.all(CallSecrets);
    const ofCall = sources.flatMap((source) => (call && source.hiderFor(call)) ?? []);
    return [this.#ofServers, ofArguments, ...ofCall].reduce(
      (first, next) => (text) => next(first(text)),
      (text) => text,
    );
  }

  #serversHider(): Hide {
    const control = this.#scope.get(ConfigControl);
    return hiderOf(control.resources('MCPServer').flatMap(({ spec }) => secretsIn(spec, control.directory)));
  }

  #cut(text: string): string {
    const { maxContentChars } = this.#config();
    return text.length > maxContentChars ? `${text.slice(0, maxContentChars)}…` : text;
  }
}

/** Names of refused tools are any text. */
const MAX_NAME_CHARS = 512;
/** Longer texts are not searched for secrets, and so not kept. */
const MAX_ERROR_CHARS = 1_000_000;

function factsOf({ at, ms, name, tool, code, bytes, client, request, meta }: PendingCall): KeptCall {
  const { id, transport, sessionId, caller } = request;
  const trace = traceIdOf(meta);
  const email = caller?.claims?.['email'];
  return {
    at,
    ms: Math.round(ms),
    tool: name.slice(0, MAX_NAME_CHARS),
    code,
    request: id,
    transport,
    ...(tool === undefined ? { isRefused: true } : { kind: tool.kind }),
    ...(tool?.server !== undefined && { server: tool.server }),
    ...(bytes !== undefined && { bytes }),
    ...(client !== undefined && { client }),
    ...(sessionId !== undefined && { session: sessionId }),
    ...(caller !== undefined && { subject: caller.subject }),
    ...(caller?.issuer !== undefined && { issuer: caller.issuer }),
    ...(typeof email === 'string' && { email }),
    ...(trace !== undefined && { trace }),
  };
}

function textOfFailure(
  code: string,
  { error, json }: Pick<PendingTexts, 'error' | 'json'>,
): string | undefined {
  if (code === 'ok') return undefined;
  if (json === undefined) return messageOf(error).slice(0, MAX_ERROR_CHARS);
  if (json.length > MAX_ERROR_CHARS) return LEFT_OUT;
  const result: unknown = JSON.parse(json);
  const content = isObject(result) ? [result['content']].flat().filter(isObject) : [];
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
