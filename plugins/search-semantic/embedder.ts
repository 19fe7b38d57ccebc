/** What a text is: models may treat them differently. */
export type TextKind = 'tool' | 'query';

/** Makes vectors of texts. */
export interface Embedder {
  /** Changes with whatever changes the vectors of tools. */
  id(): string | Promise<string>;
  /** @returns a vector for each text, in their order, all of one length
   *  @throws Error whose message has no secret, an EmbedFault if it is known when to try again */
  embed(texts: readonly string[], kind: TextKind, signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close?(): Promise<void>;
}

export class EmbedFault extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
