import { setImmediate as turn } from 'node:timers/promises';
import { ConfigControl, HIDDEN, isObject, jsonText, messageOf, pathBelow } from 'pegboard';
import type { Call, KernelEvent, Scope, Tool } from 'pegboard';
import { hiderOf, isSecretName } from 'pegboard/kit';
import type { Hide, Secret } from 'pegboard/contracts';
import { traceIdOf } from '../kit/calls/traceIdOf.ts';
import { outcomeOf } from '../kit/metrics/outcomeOf.ts';
import { hiddenJson, MAX_LEVELS, MAX_SEARCHED_CHARS } from '../kit/secrets/hiddenJson.ts';
import { secretsOfServers } from '../kit/secrets/secretsIn.ts';
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
  /** The arguments as JSON text; undefined if they are too large to be searched for secrets. */
  readonly args: string | undefined;
  readonly keepsContent: boolean;
  /** What was thrown instead of a result. */
  readonly error: string | undefined;
  /** The result as JSON text. */
  readonly json: string | undefined;
}

const LEFT_OUT = '[too large]';
const MAX_FORMER = 1_000;

/** Makes entries of events: what costs time, hiding secrets, is done apart from the call. */
export class CallReader {
  readonly #scope: Scope<unknown>;
  readonly #config: () => CallHistoryConfig;
  /** Secrets, the latest last; former ones too, which a server that still runs may have. */
  readonly #ofServers = new Map<string, Secret>();

  constructor(scope: Scope<unknown>, config: () => CallHistoryConfig) {
    this.#scope = scope;
    this.#config = config;
  }

  /** Takes what an entry needs; it runs on the path of each call, so it builds nothing. */
  begin(event: Ended): PendingCall {
    const { content } = this.#config();
    const at = Date.now();
    if (event.type === 'call.refused') {
      const { name, args, request, meta, parent, error } = event;
      const code = outcomeOf({ outcome: 'error', error });
      const call = parent && { tool: parent.tool, request, parent };
      const texts = {
        call,
        args: searchable(args),
        keepsContent: content,
        error: messageOf(error),
        json: undefined,
      };
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
    const error = event.outcome === 'error' ? messageOf(event.error) : undefined;
    const texts =
      code === 'ok' && !content
        ? undefined
        : { call, args: searchable(args), keepsContent: content, error, json };
    const bytes = json === undefined ? undefined : Buffer.byteLength(json);
    const client = call.client?.program;
    return { at, ms, name: tool.name, tool, code, bytes, client, request, meta, texts };
  }

  /** In turns, because a long text takes its time. */
  async finish(calls: readonly PendingCall[]): Promise<readonly KeptCall[]> {
    // Anew each time: the file of a secret may have changed.
    let ofServers: Hide | undefined;
    const entries: KeptCall[] = [];
    for (const call of calls) {
      if (call.texts !== undefined) {
        await turn();
        ofServers ??= this.#serversHider();
      }
      entries.push(this.#entry(call, ofServers));
    }
    return entries;
  }

  #entry(pending: PendingCall, ofServers: Hide | undefined): KeptCall {
    const facts = factsOf(pending);
    const { texts } = pending;
    if (texts === undefined || ofServers === undefined) return facts;
    const { args, json, keepsContent } = texts;
    const hide = this.#hiderFor(texts, ofServers);
    const hidden = (text: string | undefined): string =>
      (text !== undefined && hide && hiddenJson(text, hide)) || LEFT_OUT;
    const error = textOfFailure(facts.code, texts);
    return {
      ...facts,
      ...(error !== undefined && { error: hide === undefined ? LEFT_OUT : this.#hiddenStart(error, hide) }),
      ...(keepsContent && { args: this.#cut(hidden(args)) }),
      ...(keepsContent && json !== undefined && { result: this.#cut(hidden(json)) }),
    };
  }

  /** Hides the secrets of all servers, because one may receive another's; those of the call; and secret arguments.
   *  @returns undefined if these cannot be told */
  #hiderFor({ call, args }: PendingTexts, ofServers: Hide): Hide | undefined {
    const secrets = args === undefined ? undefined : secretArguments(args);
    if (secrets === undefined) return undefined;
    const sources = call === undefined ? [] : this.#scope.all(CallSecrets);
    const ofCall = sources.flatMap((source) => (call && source.hiderFor(call)) ?? []);
    return [ofServers, hiderOf(secrets), ...ofCall].reduce(
      (first, next) => (text) => next(first(text)),
      (text) => text,
    );
  }

  #serversHider(): Hide {
    const current = secretsOfServers(this.#scope.get(ConfigControl));
    for (const secret of current) {
      const key = JSON.stringify([secret.name, secret.text]);
      this.#ofServers.delete(key);
      this.#ofServers.set(key, secret);
    }
    for (const key of this.#ofServers.keys())
      if (this.#ofServers.size > current.length + MAX_FORMER) this.#ofServers.delete(key);
    return hiderOf([...this.#ofServers.values()]);
  }

  /** As much as is kept of a text, which may be far longer. */
  #hiddenStart(text: string, hide: Hide): string {
    const end = this.#config().maxContentChars + MARGIN_CHARS;
    if (text.length <= end) return this.#cut(hide(text));
    // The end of the part may be half a secret, which nothing would hide: it goes with the margin.
    return this.#cut(`${hide(text.slice(0, end)).slice(0, -MARGIN_CHARS)}…`);
  }

  #cut(text: string): string {
    const { maxContentChars } = this.#config();
    return text.length > maxContentChars ? `${text.slice(0, maxContentChars)}…` : text;
  }
}

/** No secret is longer, however it is encoded. */
const MARGIN_CHARS = 65_536;
/** Names of refused tools are any text. */
const MAX_NAME_CHARS = 512;
/** Bounds on the secret arguments of one call: hiding more would hold up other calls. */
const MAX_SECRETS = 1_000;
const MAX_SECRET_CHARS = 20_000;

function searchable(args: unknown): string | undefined {
  const text = jsonText(args);
  return text === undefined || text.length > MAX_SEARCHED_CHARS ? undefined : text;
}

/** Strings and numbers below secret names. @returns undefined if they are too deep or too many to be hidden */
function secretArguments(json: string): readonly Secret[] | undefined {
  const args: unknown = JSON.parse(json);
  if (pathBelow(args, MAX_LEVELS) !== undefined) return undefined;
  const texts = new Set<string>();
  const search = (value: unknown, isSecret: boolean): void => {
    if (Array.isArray(value)) for (const part of value) search(part, isSecret);
    else if (isObject(value))
      for (const [name, part] of Object.entries(value)) search(part, isSecret || isSecretName(name));
    else if (isSecret && (typeof value === 'string' || typeof value === 'number')) texts.add(String(value));
  };
  search(args, false);
  texts.delete(HIDDEN);
  const chars = [...texts].reduce((sum, { length }) => sum + length, 0);
  if (texts.size > MAX_SECRETS || chars > MAX_SECRET_CHARS) return undefined;
  return [...texts].map((text) => ({ name: 'password', text }));
}

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
  if (json === undefined) return error;
  if (json.length > MAX_SEARCHED_CHARS) return LEFT_OUT;
  const result: unknown = JSON.parse(json);
  const content = isObject(result) ? [result['content']].flat().filter(isObject) : [];
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
