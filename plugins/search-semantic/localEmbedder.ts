import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SearchSemanticConfig } from './config.ts';
import type { Embedder, TextKind } from './embedder.ts';
import { folderFault, modelIn, runtimeFault, runtimeFor } from './localModel.ts';
import type { EmbedJob, WorkerAnswer, WorkerSetup } from './worker.ts';

/** The bundle has the worker beside the plugin's index.js, the sources and the compiled tree have it beside this file. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);

interface Waiting {
  readonly done: (vectors: readonly Float32Array[]) => void;
  readonly failed: (error: Error) => void;
}
interface Running {
  readonly worker: Worker;
  readonly id: string;
  readonly waiting: Map<number, Waiting>;
}

/** Vectors of a model in a folder, made in a thread of its own. It starts with the first text, and anew after it has died. */
export class LocalEmbedder implements Embedder {
  readonly #config: () => SearchSemanticConfig;
  readonly #directory: () => string;
  #running: Promise<Running> | undefined;
  #worker: Worker | undefined;
  #last = 0;
  #isClosed = false;

  constructor(config: () => SearchSemanticConfig, directory: () => string) {
    this.#config = config;
    this.#directory = directory;
  }

  async id(): Promise<string> {
    return JSON.stringify([(await this.#open()).id, this.#config().toolPrefix]);
  }

  async embed(
    texts: readonly string[],
    kind: TextKind,
    signal?: AbortSignal,
  ): Promise<readonly Float32Array[]> {
    const { worker, waiting } = await this.#open();
    const { toolPrefix, queryPrefix, timeoutMs, queryTimeoutMs } = this.#config();
    const [prefix, ms] = kind === 'tool' ? [toolPrefix, timeoutMs] : [queryPrefix, queryTimeoutMs];
    const job: EmbedJob = { number: ++this.#last, kind, texts: texts.map((text) => prefix + text) };
    signal?.throwIfAborted();
    let end = (): void => undefined;
    const made = new Promise<readonly Float32Array[]>((done, failed) => {
      waiting.set(job.number, { done, failed });
      end = () => failed(new Error(`the model took longer than ${ms} ms, or was not waited for`));
      worker.postMessage(job);
    });
    // Node 20 may collect AbortSignal.any of AbortSignal.timeout before it fires.
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    return made.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      waiting.delete(job.number);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // It may still load its model.
    await this.#worker?.terminate();
  }

  #open(): Promise<Running> {
    if (this.#isClosed) return Promise.reject(new Error('the plugin stops'));
    this.#running ??= this.#start().catch((error: unknown) => {
      this.#running = undefined;
      throw error;
    });
    return this.#running;
  }

  #start(): Promise<Running> {
    const { folder = '', maxTokens, threads } = this.#config();
    const directory = this.#directory();
    const fault = folderFault(folder, directory) ?? runtimeFault(directory);
    const model = modelIn(folder, directory);
    const runtime = runtimeFor(directory);
    if (fault !== undefined || model === undefined || runtime === undefined)
      return Promise.reject(new Error(fault));
    const setup: WorkerSetup = { model, folder: resolve(directory, folder), runtime, maxTokens, threads };
    const worker = new Worker(ENTRY, { workerData: setup });
    this.#worker = worker;
    const waiting = new Map<number, Waiting>();
    return new Promise((ready, failed) => {
      const died = (error: Error): void => {
        failed(error);
        // A later one may run already.
        if (this.#worker === worker) this.#running = undefined;
        for (const one of waiting.values()) one.failed(error);
        waiting.clear();
      };
      worker.on('error', died);
      worker.on('exit', () => died(new Error('the thread of the model has ended')));
      worker.on('message', (answer: WorkerAnswer) => {
        if ('id' in answer) ready({ worker, id: answer.id, waiting });
        else if (answer.number === undefined) {
          failed(new Error('fault' in answer ? answer.fault : ''));
          void worker.terminate();
        } else {
          const one = waiting.get(answer.number);
          waiting.delete(answer.number);
          if ('vectors' in answer) one?.done(answer.vectors);
          else one?.failed(new Error(answer.fault));
        }
      });
    });
  }
}
