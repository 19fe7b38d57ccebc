import { readFile } from 'node:fs/promises';
import type { Invocation, JsonObject } from 'pegboard';
import { cacheFile } from '../cacheFile.ts';
import { optionsOf } from '../commonOptions.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { writePrivate } from '../files.ts';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import type { Request } from './messages.ts';
import { standInResult } from './standIn.ts';

/** Clients take a server for broken that does not answer initialize within some seconds. */
const PATIENCE_MS = 1_000;
const MAX_CHARS = 1_000_000;

/** What a client sees of a gateway that has not been reached yet: the tools that it had last, whose calls wait. */
export class Away {
  readonly #file: string;
  #since: number | undefined;
  #isOver = false;
  #tools: Promise<readonly unknown[]> | undefined;
  #kept = '';
  #reason = '';

  constructor(invocation: Invocation, endpoint: NamedEndpoint) {
    const { toolset } = optionsOf(invocation);
    this.#file = cacheFile(invocation, 'tools', `${endpoint.url} ${toolset ?? ''}`);
  }

  /** Whether answer() is to be asked instead of the gateway. */
  get isActive(): boolean {
    return this.#since !== undefined && Date.now() >= this.#since + PATIENCE_MS;
  }

  /** The gateway could not be reached. @param reason what to do */
  begin(reason: string): void {
    if (!this.#isOver) this.#since ??= Date.now();
    this.#reason = reason;
  }

  /** It has been reached: from now on requests wait for it, also if it is away again. */
  end(): void {
    this.#isOver = true;
    this.#since = undefined;
  }

  /** @returns undefined for a request that has to wait */
  async answer(request: Request): Promise<JsonObject | undefined> {
    const instructions = `${this.#reason}. Calls of tools wait for it for some seconds.`;
    return standInResult(request, { tools: await (this.#tools ??= this.#read()), instructions });
  }

  /** Remembers the tools of a gateway, for the next start without it. */
  async keep(tools: unknown): Promise<void> {
    const text = JSON.stringify(tools);
    if (!Array.isArray(tools) || text === this.#kept || text.length > MAX_CHARS) return;
    this.#kept = text;
    // Without a cache folder there are none until the gateway is reached.
    await writePrivate(this.#file, text).catch(() => undefined);
  }

  async #read(): Promise<readonly unknown[]> {
    const known = jsonIn(await readFile(this.#file, 'utf8').catch(() => ''));
    return Array.isArray(known) ? (known as unknown[]) : [];
  }
}
