import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import * as tokenizers from '@huggingface/tokenizers';
import type { TextKind } from './embedder.ts';

/** What the thread works with. */
export interface WorkerSetup {
  /** Absolute paths. */
  readonly model: string;
  readonly folder: string;
  /** File URL of onnxruntime-node or onnxruntime-web. */
  readonly runtime: string;
  readonly maxTokens: number;
  readonly threads: number;
}
export interface EmbedJob {
  readonly number: number;
  readonly kind: TextKind;
  readonly texts: readonly string[];
}
/** The first message says that the model is loaded; its `id` is a digest of what decides on the vectors. */
export type WorkerAnswer =
  | { readonly id: string }
  | { readonly number: number; readonly vectors: readonly Float32Array[] }
  | { readonly number?: number; readonly fault: string };

interface Tensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}
interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>;
}
/** The part of onnxruntime that is used, of which both packages have the same. */
interface Runtime {
  readonly env?: { readonly wasm?: { numThreads?: number } };
  readonly InferenceSession: {
    create(model: Uint8Array, options: Readonly<Record<string, unknown>>): Promise<Session>;
  };
  readonly Tensor: new (type: string, data: BigInt64Array, dims: readonly number[]) => Tensor;
}
interface Tokenizer {
  encode(text: string): { readonly ids: readonly number[] };
}
/** Its own types cannot be resolved by Node's rules. */
const { Tokenizer } = tokenizers as unknown as {
  readonly Tokenizer: new (tokenizer: object, config: object) => Tokenizer;
};
interface Model {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly tokenizer: Tokenizer;
  readonly takesFirst: boolean;
  readonly maxTokens: number;
}

/** Texts that are run together, so that a query waits for few of them. */
const AT_ONCE = 4;

/** Queries come before batches of tools, also before the rest of one. */
class Jobs {
  readonly #model: Promise<Model>;
  readonly #waiting: EmbedJob[] = [];
  #isBusy = false;

  constructor(model: Promise<Model>) {
    this.#model = model;
    // Each job is told why there is no model.
    model.catch(() => undefined);
  }

  async add(job: EmbedJob): Promise<void> {
    this.#waiting.push(job);
    if (this.#isBusy) return;
    this.#isBusy = true;
    await this.#runQueries();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      await this.#run(next);
    this.#isBusy = false;
  }

  async #runQueries(): Promise<void> {
    for (;;) {
      const at = this.#waiting.findIndex(({ kind }) => kind === 'query');
      const [query] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (query === undefined) return;
      await this.#run(query);
    }
  }

  async #run({ number, kind, texts }: EmbedJob): Promise<void> {
    try {
      const model = await this.#model;
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += AT_ONCE) {
        vectors.push(...(await vectorsOf(texts.slice(at, at + AT_ONCE), model)));
        // Messages that have come meanwhile.
        await turn();
        if (kind === 'tool') await this.#runQueries();
      }
      answer({ number, vectors });
    } catch (error) {
      answer({ number, fault: textOf(error) });
    }
  }
}

const answer = (message: WorkerAnswer): void => parentPort?.postMessage(message);
const loaded = load(workerData as WorkerSetup);
const jobs = new Jobs(loaded.then(({ model }) => model));
loaded.then(({ id }) => answer({ id })).catch((error: unknown) => answer({ fault: textOf(error) }));
// The thread that started it ends it, so it never closes the port itself.
parentPort?.on('message', (job: EmbedJob) => void jobs.add(job));

async function load({
  model: path,
  folder,
  runtime: url,
  maxTokens,
  threads,
}: WorkerSetup): Promise<{ readonly id: string; readonly model: Model }> {
  const module = (await import(url)) as Runtime & { readonly default?: Runtime };
  const runtime = module.default ?? module;
  if (runtime.env?.wasm !== undefined) runtime.env.wasm.numThreads = threads;
  const [bytes, tokens] = [readFileSync(path), readFileSync(join(folder, 'tokenizer.json'))];
  const pooling = jsonAt(join(folder, '1_Pooling/config.json'));
  const options = { intraOpNumThreads: threads, interOpNumThreads: 1, logSeverityLevel: 3 };
  const session = await runtime.InferenceSession.create(bytes, options);
  const takesFirst = pooling['pooling_mode_cls_token'] === true;
  const tokenizer = new Tokenizer(
    JSON.parse(tokens.toString()) as object,
    jsonAt(join(folder, 'tokenizer_config.json')),
  );
  const digest = createHash('sha256').update(bytes).update(tokens);
  const id = digest.update(JSON.stringify([takesFirst, maxTokens])).digest('base64url');
  return { id, model: { runtime, session, tokenizer, takesFirst, maxTokens } };
}

async function vectorsOf(texts: readonly string[], model: Model): Promise<readonly Float32Array[]> {
  const { runtime, session, tokenizer, maxTokens, takesFirst } = model;
  const all = texts.map((text) => {
    const { ids } = tokenizer.encode(text);
    // The last one marks the end.
    return ids.length > maxTokens ? [...ids.slice(0, maxTokens - 1), ...ids.slice(-1)] : ids;
  });
  const longest = Math.max(...all.map(({ length }) => length));
  const dims = [all.length, longest];
  const filled = (numberAt: (id: number) => number): Tensor => {
    const numbers = new BigInt64Array(all.length * longest);
    for (const [row, ids] of all.entries())
      for (const [column, id] of ids.entries()) numbers[row * longest + column] = BigInt(numberAt(id));
    return new runtime.Tensor('int64', numbers, dims);
  };
  const feeds = {
    input_ids: filled((id) => id),
    attention_mask: filled(() => 1),
    ...(session.inputNames.includes('token_type_ids') && { token_type_ids: filled(() => 0) }),
  };
  const outputs = await session.run(feeds);
  const { data, dims: shape } =
    outputs['sentence_embedding'] ??
    outputs['last_hidden_state'] ??
    outputs[session.outputNames[0] ?? ''] ??
    {};
  const size = shape?.at(-1) ?? 0;
  if (!(data instanceof Float32Array) || size === 0) throw new Error('the model gives no vectors of float32');
  if (shape?.length === 2) return all.map((_, row) => data.slice(row * size, (row + 1) * size));
  return all.map((ids, row) => {
    const count = takesFirst ? 1 : ids.length;
    const from = row * longest * size;
    return meanOf(data.subarray(from, from + count * size), size);
  });
}

/** The sum is enough: only the direction counts. */
function meanOf(rows: Float32Array, size: number): Float32Array {
  const sum = new Float32Array(size);
  for (const [at, number] of rows.entries()) sum[at % size] = (sum[at % size] ?? 0) + number;
  return sum;
}

function jsonAt(path: string): Record<string, unknown> {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>) : {};
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
