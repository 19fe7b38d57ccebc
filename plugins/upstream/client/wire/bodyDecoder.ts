import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** Some servers leave out the header of deflate. Source: RFC 9110 §8.4.1.2 */
const inflater = ([first = 0]: Buffer): Transform =>
  (first & 0x0f) === 8 ? createInflate() : createInflateRaw();

/** Opens the decoder of a body that begins with these bytes, by content encoding. Source: RFC 9110 §8.4.1 */
const OPENERS: ReadonlyMap<string, (first: Buffer) => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  ['deflate', inflater],
]);

export interface BodyListener {
  /** A piece of the decoded body: small, however large the body becomes. */
  readonly data: (piece: Buffer) => void;
  /** No more should be written until `drained()`. */
  readonly full: () => void;
  readonly drained: () => void;
  /** The body is complete. */
  readonly end: () => void;
  /** The body is cut short, or not in its encoding. */
  readonly failed: (error: Error) => void;
}

/** Decodes a body as it arrives. After `destroy()` only `drained()` is called, if it is still due. */
export class BodyDecoder {
  readonly #open: (first: Buffer) => Transform;
  readonly #listener: BodyListener;
  /** Opened by the first bytes: a body without any is complete in each encoding. */
  #stream: Transform | undefined;
  #isFull = false;

  private constructor(open: (first: Buffer) => Transform, listener: BodyListener) {
    this.#open = open;
    this.#listener = listener;
  }

  /** @returns undefined for an encoding that is not decoded here */
  static forEncoding(encoding: string, listener: BodyListener): BodyDecoder | undefined {
    const open = OPENERS.get(encoding.toLowerCase());
    return open && new BodyDecoder(open, listener);
  }

  /** Whether the whole body was written. */
  get hasAll(): boolean {
    return this.#stream?.writableEnded === true;
  }

  write(chunk: Buffer): void {
    const stream = (this.#stream ??= this.#begin(chunk));
    if (stream.destroyed || stream.write(chunk) || this.#isFull) return;
    this.#isFull = true;
    this.#listener.full();
  }

  end(): void {
    if (this.#stream === undefined) this.#listener.end();
    else if (!this.#stream.destroyed) this.#stream.end();
  }

  pause(): void {
    this.#stream?.pause();
  }
  resume(): void {
    this.#stream?.resume();
  }

  /** Safe to call twice. */
  destroy(): void {
    this.#stream?.destroy();
  }

  #begin(first: Buffer): Transform {
    const { data, end, failed } = this.#listener;
    const drained = (): void => {
      if (this.#isFull) this.#listener.drained();
      this.#isFull = false;
    };
    return this.#open(first)
      .on('data', data)
      .on('end', end)
      .on('error', failed)
      .on('drain', drained)
      .on('close', drained);
  }
}
