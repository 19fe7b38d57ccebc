import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Answer, Job } from './worker.ts';

/** The bundle has the worker beside the plugin's index.js, the sources and the compiled tree have it beside this file. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
const MAX_MB = 512;
/** Writing deeply nested JSON takes a deep stack. */
const LIMITS = { stackSizeMb: 32, maxOldGenerationSizeMb: MAX_MB };

/** Work that took too long, too much memory, or is refused for the caller's own mistake. */
export class WorkerFault extends Error {
  readonly isCallers: boolean;

  constructor(message: string, isCallers = false) {
    super(message);
    this.isCallers = isCallers;
  }
}

/** The caller whose turn a job takes, and how long it may run. */
interface Share {
  readonly sharer: string;
  readonly ms: number;
}

/** Runs jobs on large texts apart from the event loop, one at a time and one of each sharer in turn, each in a thread of its own that
 *  ends with it. */
export class InWorker {
  /** Jobs that wait, by sharer; the sharer that is next is first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;
  readonly #stop = new AbortController();

  /** @param parts of the text that the job is about @throws WorkerFault */
  async run<T>(job: Job, parts: AsyncIterable<string> | Iterable<string>, { sharer, ms }: Share): Promise<T> {
    await this.#turnOf(sharer);
    try {
      return await this.#run(job, parts, ms);
    } finally {
      this.#goOn();
    }
  }

  end(): void {
    this.#stop.abort(new WorkerFault('was ended, because the plugin stops'));
  }

  #turnOf(sharer: string): Promise<void> | undefined {
    if (this.#isBusy) {
      return new Promise((resolve) => {
        this.#waiting.set(sharer, [...(this.#waiting.get(sharer) ?? []), resolve]);
      });
    }
    this.#isBusy = true;
    return undefined;
  }
  #goOn(): void {
    const [[sharer, [begin, ...later]] = ['', []]] = this.#waiting;
    this.#waiting.delete(sharer);
    if (later.length > 0) this.#waiting.set(sharer, later);
    this.#isBusy = begin !== undefined;
    begin?.();
  }

  async #run<T>(job: Job, parts: AsyncIterable<string> | Iterable<string>, ms: number): Promise<T> {
    this.#stop.signal.throwIfAborted();
    const late = AbortSignal.timeout(ms);
    const signal = AbortSignal.any([late, this.#stop.signal]);
    const worker = new Worker(ENTRY, { resourceLimits: LIMITS });
    // Without a listener, running out of memory while it is being ended would end this process.
    worker.on('error', () => undefined);
    try {
      const [answered] = await Promise.all([once(worker, 'message', { signal }), send(worker, parts, job)]);
      const [answer] = answered as [Answer<T>];
      if ('value' in answer) return answer.value;
      if (answer.kind === 'other') throw new Error(answer.fault);
      throw answer.kind === 'caller' ? new WorkerFault(answer.fault, true) : tooLarge();
    } catch (error) {
      if (this.#stop.signal.aborted) throw this.#stop.signal.reason;
      if (late.aborted)
        throw new WorkerFault(`took longer than ${ms} ms (plugins.metatools.config.workerMs)`);
      throw (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error;
    } finally {
      await worker.terminate();
    }
  }
}

async function send(
  worker: Worker,
  parts: AsyncIterable<string> | Iterable<string>,
  job: Job,
): Promise<void> {
  for await (const part of parts) worker.postMessage(part);
  worker.postMessage(job);
}

function tooLarge(): WorkerFault {
  return new WorkerFault(`took more than ${MAX_MB} MB of memory`);
}
