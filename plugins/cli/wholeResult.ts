import type { CallToolResult as Result } from '@modelcontextprotocol/client';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from './failure.ts';

const PAGE_CHARS = 100_000;

interface Pages {
  meta(name: string, args: JsonObject): Promise<Result>;
}

/** The result with its whole text: one over the budget was cut by the gateway, and is read page by page. @throws Failure */
export async function wholeResult(gateway: Pages, result: Result): Promise<Result> {
  const [note, head, ...others] = result.content;
  const handle = handleIn(note);
  if (handle === undefined || head?.type !== 'text') return result;
  let text = '';
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const page: Result = await gateway.meta('get_result', { handle, offset, limit: PAGE_CHARS });
    const [facts, part] = page.content;
    if (page.isError === true || facts?.type !== 'text' || part?.type !== 'text')
      throw new Failure('the rest of the result is not stored any more; call the tool again');
    text += part.text;
    const { truncated, next_offset: next } = JSON.parse(facts.text) as JsonObject;
    offset = truncated === true && typeof next === 'number' ? next : undefined;
  }
  return { ...result, content: [{ type: 'text', text }, ...others] };
}

function handleIn(note: Result['content'][number] | undefined): string | undefined {
  if (note?.type !== 'text' || !note.text.startsWith('{\n  "truncated": true,')) return undefined;
  const value: unknown = JSON.parse(note.text);
  return isObject(value) && typeof value['handle'] === 'string' ? value['handle'] : undefined;
}
