import { parentPort } from 'node:worker_threads';
import { examine } from './examine.ts';
import { SelectFault, select } from './select.ts';
import type { AskedText } from './textPage.ts';

/** Work on a text, whose parts are sent before it. */
export type Job =
  | { readonly run: 'examine'; readonly maxIds: number; readonly maxBytes: number }
  | { readonly run: 'select'; readonly path: string; readonly asked: AskedText };
export type Answer<T> =
  { readonly value: T } | { readonly fault: string; readonly kind: 'caller' | 'size' | 'other' };

const parts: string[] = [];

// The thread that started it ends it, so it never closes the port itself.
parentPort?.on('message', (message: string | Job) => {
  if (typeof message === 'string') parts.push(message);
  else parentPort?.postMessage(answer(message));
});

function answer(job: Job): Answer<unknown> {
  try {
    const text = parts.join('');
    return {
      value:
        job.run === 'examine' ? examine(text, job.maxIds, job.maxBytes) : select(text, job.path, job.asked),
    };
  } catch (error) {
    const kind = error instanceof SelectFault ? 'caller' : error instanceof RangeError ? 'size' : 'other';
    return { fault: (error as Error).message, kind };
  }
}
