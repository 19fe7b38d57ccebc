import { createHash } from 'node:crypto';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { ANYONE, ToolTable, messageOf } from 'pegboard';
import type { Scope, Tool } from 'pegboard';
import { doubledMs } from '../kit/limits/doubledMs.ts';
import { setNewest } from '../kit/limits/setNewest.ts';
import type { SearchSemanticConfig } from './config.ts';
import { EmbedFault } from './embedder.ts';
import type { Embedder } from './embedder.ts';
import { KeptVectors } from './keptVectors.ts';
import { toolText } from './toolText.ts';
import { vectorOf } from './vector.ts';
import type { Vector } from './vector.ts';

/** Servers announce several changes in a row. */
const SETTLE_MS = 200;
const MAX_RETRY_MS = 300_000;
/** Tools whose texts are read and digested between two pauses. */
const READ_AT_ONCE = 50;
const MAX_NOTICED = 10_000;

/** Tools of one text, which have no vector yet. */
interface Wanted {
  readonly hash: string;
  readonly text: string;
  readonly tools: Tool[];
}

/** The vectors of tools, made in the background: of those that requests without an identity see, and of those that searches met. A text
 *  that was embedded once is not embedded again while it is known here or in the vault. */
export class ToolVectors {
  readonly #scope: Scope<SearchSemanticConfig>;
  readonly #embedder: Embedder;
  readonly #kept: KeptVectors;
  readonly #ofTool = new WeakMap<Tool, Vector>();
  /** Those of digests of model and text, the longest unused first. */
  readonly #ofText = new Map<string, Vector>();
  readonly #noticed = new Set<Tool>();
  /** Tools beyond the bound. */
  #beyond = new WeakSet<Tool>();
  readonly #stop = new AbortController();
  #working: Promise<void> | undefined;
  #isStale = false;
  #isStarted = false;
  #waiting = 0;
  #hasWarned = false;

  constructor(scope: Scope<SearchSemanticConfig>, embedder: Embedder) {
    this.#scope = scope;
    this.#embedder = embedder;
    this.#kept = new KeptVectors(scope);
  }

  get size(): number {
    return this.#ofText.size;
  }
  /** Texts that have no vector yet. */
  get waiting(): number {
    return this.#waiting;
  }

  of(tool: Tool): Vector | undefined {
    return this.#ofTool.get(tool);
  }

  /** A search met a tool without a vector. */
  notice(tools: readonly Tool[]): void {
    const before = this.#noticed.size;
    for (const tool of tools)
      if (this.#noticed.size < MAX_NOTICED && !this.#beyond.has(tool)) this.#noticed.add(tool);
    if (this.#noticed.size > before) this.refresh();
  }

  start(): void {
    this.#isStarted = true;
    this.refresh();
  }

  /** The catalogue has changed. Returns at once. */
  refresh(): void {
    this.#isStale = true;
    if (!this.#isStarted || this.#stop.signal.aborted) return;
    this.#working ??= this.#work().finally(() => (this.#working = undefined));
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    const { log, config } = this.#scope;
    let failures = 0;
    while (this.#isStale && !signal.aborted) {
      try {
        await pause(SETTLE_MS, undefined, { signal, ref: false });
        this.#isStale = false;
        await this.#embedAll();
        failures = 0;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        failures += 1;
        this.#isStale = true;
        const asked = error instanceof EmbedFault ? error.retryAfterMs : undefined;
        const ms = Math.min(
          MAX_RETRY_MS,
          Math.max(doubledMs(failures, config.retryMs, MAX_RETRY_MS), asked ?? 0),
        );
        log[failures === 1 ? 'warn' : 'debug']('tools cannot be embedded; searches go by words', {
          reason: messageOf(error),
          retryMs: ms,
        });
        await pause(ms, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #embedAll(): Promise<void> {
    const began = performance.now();
    const wanted = await this.#wanted(this.#tools(), await this.#embedder.id());
    await this.#kept.read();
    const missing: Wanted[] = [];
    this.#waiting = wanted.length;
    for (const one of wanted) {
      const kept = await this.#kept.get(one.hash);
      if (kept === undefined) missing.push(one);
      else this.#set(one, kept);
    }
    // Texts of one length together: shorter ones would be filled up to the longest.
    missing.sort((a, b) => a.text.length - b.text.length);
    const { batchSize } = this.#scope.config;
    for (let at = 0; at < missing.length; at += batchSize)
      await this.#embed(missing.slice(at, at + batchSize));
    if (missing.length > 0)
      this.#scope.log.info('tools embedded', {
        texts: missing.length,
        ms: Math.round(performance.now() - began),
      });
    await this.#kept.prune((hash) => this.#ofText.has(hash));
  }

  async #embed(batch: readonly Wanted[]): Promise<void> {
    const texts = batch.map(({ text }) => text);
    const vectors = await this.#embedder.embed(texts, 'tool', this.#stop.signal);
    for (const [at, one] of batch.entries()) {
      const numbers = vectors[at];
      if (numbers === undefined) continue;
      const vector = vectorOf(numbers);
      this.#set(one, vector);
      await this.#kept.set(one.hash, vector);
    }
  }

  #set({ hash, tools }: Wanted, vector: Vector): void {
    setNewest(this.#ofText, [hash, vector], this.#scope.config.maxTools);
    for (const tool of tools) this.#ofTool.set(tool, vector);
    this.#waiting -= 1;
  }

  #tools(): readonly Tool[] {
    const { maxTools } = this.#scope.config;
    const tools = [...new Set([...this.#scope.get(ToolTable).visibleTo(ANYONE), ...this.#noticed])];
    this.#noticed.clear();
    if (tools.length > maxTools && !this.#hasWarned) {
      this.#hasWarned = true;
      const fix = 'raise plugins.search-semantic.config.maxTools';
      this.#scope.log.warn('further tools are found by words only', { tools: tools.length, maxTools, fix });
    }
    this.#beyond = new WeakSet(tools.slice(maxTools));
    return tools.slice(0, maxTools);
  }

  /** The texts without a vector, read in pieces. */
  async #wanted(tools: readonly Tool[], model: string): Promise<readonly Wanted[]> {
    const { maxTextChars, maxTools } = this.#scope.config;
    const wanted = new Map<string, Wanted>();
    for (const [at, tool] of tools.entries()) {
      if (at % READ_AT_ONCE === READ_AT_ONCE - 1) await turn();
      this.#stop.signal.throwIfAborted();
      const text = toolText(tool, maxTextChars);
      const hash = createHash('sha256').update(`${model}\0${text}`).digest('base64url');
      const known = this.#ofText.get(hash);
      if (known !== undefined) {
        // Texts that tools have now are the last ones to be dropped.
        setNewest(this.#ofText, [hash, known], maxTools);
        this.#ofTool.set(tool, known);
      } else {
        const same = wanted.get(hash);
        if (same === undefined) wanted.set(hash, { hash, text, tools: [tool] });
        else same.tools.push(tool);
      }
    }
    return [...wanted.values()];
  }
}
