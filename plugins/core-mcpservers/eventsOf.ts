import { textOf } from './probe.ts';
import type { Answer, Probe } from './probe.ts';

export interface StreamEvent {
  readonly event: string;
  readonly data: string;
}

/** The events of a stream as they come. Source: HTML, Server-sent events. */
export async function* eventsOf(answer: Answer, probe: Probe): AsyncGenerator<StreamEvent> {
  let rest = '';
  for await (const piece of textOf(answer, probe)) {
    const blocks = (rest + piece).split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield readBlock(block);
  }
}

function readBlock(block: string): StreamEvent {
  const valueOf = (field: string): readonly string[] =>
    block
      .split(/\r\n|\n|\r/)
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  return { event: valueOf('event').at(-1) ?? 'message', data: valueOf('data').join('\n') };
}
