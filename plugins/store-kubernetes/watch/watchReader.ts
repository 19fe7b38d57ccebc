import { isObject } from 'pegboard';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import { LineSplitter } from '../../kit/text/lineSplitter.ts';
import { KubeError, errorOfStatus } from '../api/kubeError.ts';
import type { KubeObject } from '../api/kubeObject.ts';

/** Objects have at most 3 MB. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
}

/** Parses the stream of a watch: a JSON object per line. */
export class WatchReader {
  readonly #lines: LineSplitter;
  readonly #take: (event: WatchEvent) => void;

  constructor(take: (event: WatchEvent) => void) {
    this.#take = take;
    this.#lines = new LineSplitter(
      () => MAX_LINE_BYTES,
      (line) => this.#read(line),
      () => {
        throw unreadable(`a line of more than ${MAX_LINE_BYTES} bytes`);
      },
    );
  }

  /** @throws KubeError `unreadable` for anything else, and the one of an ERROR event */
  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  #read(line: string): void {
    if (line.trim() === '') return;
    const event = jsonIn(line);
    if (!isObject(event) || !isObject(event['object'])) throw unreadable('a line that is not an event');
    const { type, object } = event;
    if (type === 'ERROR') throw errorOfStatus(object);
    // Later versions may have further types.
    if (!isType(type)) return;
    const { metadata } = object;
    if (!isObject(metadata) || typeof metadata['resourceVersion'] !== 'string')
      throw unreadable(`${type} of an object without resourceVersion`);
    if (type !== 'BOOKMARK' && typeof metadata['name'] !== 'string')
      throw unreadable(`${type} of an object without name`);
    this.#take({ type, object: object as unknown as KubeObject });
  }
}

function isType(type: unknown): type is WatchEvent['type'] {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' || type === 'BOOKMARK';
}

function unreadable(what: string): KubeError {
  return new KubeError('unreadable', `the watch has sent ${what}`);
}
