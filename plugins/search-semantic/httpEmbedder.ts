import { isObject } from 'pegboard';
import type { Env, Log, Settings } from 'pegboard';
import { guardedFetch } from 'pegboard/net';
import type { GuardedFetch } from 'pegboard/net';
import { fillReferences } from '../kit/secrets/references.ts';
import { fetchTrust } from '../kit/tls/fetchTrust.ts';
import type { SearchSemanticConfig } from './config.ts';
import { EmbedFault } from './embedder.ts';
import type { Embedder, TextKind } from './embedder.ts';

export interface HttpParts {
  readonly config: () => SearchSemanticConfig;
  readonly directory: () => string;
  readonly network: () => Settings['aggregator'];
  readonly env?: Env;
  readonly log?: Log;
}

/** Vectors of an address that speaks as OpenAI's does.
 *  Source: https://platform.openai.com/docs/api-reference/embeddings/create */
export class HttpEmbedder implements Embedder {
  readonly #parts: HttpParts;
  readonly #trust: ReturnType<typeof fetchTrust>;

  constructor(parts: HttpParts) {
    this.#parts = parts;
    const { network, directory, log } = parts;
    const extraCaFile = (): string | undefined => network().extraCaFile;
    this.#trust = fetchTrust({ extraCaFile, directory, ...(log && { log }) });
  }

  id(): string {
    const { model, dimensions, toolPrefix } = this.#parts.config();
    const { origin, pathname } = new URL(this.#filled().url);
    return JSON.stringify([origin, pathname, model, dimensions, toolPrefix]);
  }

  async embed(
    texts: readonly string[],
    kind: TextKind,
    signal?: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const { url, apiKey } = this.#filled();
    const { model, dimensions, toolPrefix, queryPrefix } = this.#parts.config();
    const prefix = kind === 'tool' ? toolPrefix : queryPrefix;
    const response = await this.#fetch(kind)(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey !== '' && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({
        model,
        input: texts.map((text) => prefix + text),
        ...(dimensions !== undefined && { dimensions }),
      }),
      signal: signal ?? null,
    });
    const { host } = new URL(url);
    if (!response.ok) throw await refusalOf(response, host);
    return vectorsIn(await response.json().catch(() => undefined), texts.length, host);
  }

  /** @throws Error if a reference cannot be filled in */
  #filled(): FilledAddress {
    const { config, directory, env = process.env } = this.#parts;
    const filled = filledAddress(config(), directory(), env);
    const [fault] = filled.faults;
    if (fault !== undefined) throw new Error(`${fault.name} ${fault.message}`);
    return filled;
  }

  #fetch(kind: TextKind): GuardedFetch {
    const { allowPrivateIP, timeoutMs, queryTimeoutMs, maxResponseBytes } = this.#parts.config();
    return guardedFetch({
      allowPrivate: allowPrivateIP,
      allowHttp: allowPrivateIP ? 'always' : 'never',
      timeoutMs: kind === 'tool' ? timeoutMs : queryTimeoutMs,
      maxBytes: maxResponseBytes,
      proxies: this.#parts.network,
      trust: this.#trust,
    });
  }
}

interface FilledAddress {
  readonly url: string;
  /** Empty if there is none. */
  readonly apiKey: string;
  readonly faults: readonly { readonly name: string; readonly message: string }[];
}
/** Address and key with their references filled in. */
export function filledAddress(
  { url = '', apiKey = '' }: SearchSemanticConfig,
  directory: string,
  env: Env,
): FilledAddress {
  const { values, faults } = fillReferences({ url, apiKey }, directory, env);
  return { url: values['url'] ?? '', apiKey: values['apiKey'] ?? '', faults };
}

/** The provider's own code is shown, not its words, which may quote the key. */
async function refusalOf(response: Response, host: string): Promise<EmbedFault> {
  const body: unknown = await response.json().catch(() => undefined);
  const error = isObject(body) ? body['error'] : undefined;
  const codes = isObject(error) ? [error['code'], error['type']] : [error];
  const code = codes.find((one): one is string => typeof one === 'string' && /^[\w.-]{1,80}$/.test(one));
  const seconds = Number(response.headers.get('retry-after') ?? NaN);
  return new EmbedFault(
    `${host} answers ${response.status}${code === undefined ? '' : ` ${code}`}`,
    Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined,
  );
}

/** @throws Error if there is not one for each text */
function vectorsIn(body: unknown, count: number, host: string): readonly Float32Array[] {
  const data = isObject(body) && Array.isArray(body['data']) ? (body['data'] as unknown[]) : [];
  const vectors: Float32Array[] = [];
  for (const [place, item] of data.entries()) {
    if (!isObject(item) || !Array.isArray(item['embedding'])) continue;
    const vector = Float32Array.from(item['embedding'] as number[]);
    vectors[typeof item['index'] === 'number' ? item['index'] : place] = vector;
  }
  const length = vectors[0]?.length ?? 0;
  const isWhole = vectors.length === count && Array.from(vectors).every((one) => isVector(one, length));
  if (isWhole) return vectors;
  throw new Error(
    `${host} answers without a vector for each text, all of one length; is it an address of embeddings?`,
  );
}

function isVector(vector: Float32Array | undefined, length: number): boolean {
  return vector !== undefined && length > 0 && vector.length === length && vector.every(Number.isFinite);
}
