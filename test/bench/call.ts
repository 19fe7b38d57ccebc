/** The measured call, and the form of its correct answer. */
import type { Answer, Client } from './client.ts';
import { ECHO_PREFIX } from './echo.ts';

export type CallKind = 'echo' | 'big';

const TEXT = 'sixty bytes of text come back from the other side: 12';
const READY_TIMEOUT_MS = 15_000;
const RETRY_MS = 50;

/** The message around its id; ids differ but all have the same length. */
export function callTemplate(
  kind: CallKind,
  server = 'up',
): { readonly head: string; readonly tail: string } {
  const args = kind === 'echo' ? { text: TEXT } : {};
  const params = { name: 'call_tool', arguments: { name: `x_${server}_${kind}`, arguments: args } };
  return {
    head: '{"jsonrpc":"2.0","id":',
    tail: `,"method":"tools/call","params":${JSON.stringify(params)}}`,
  };
}

/** Calls until the tool answers. @throws Error with the last answer when it never does, or the answer is wrong */
export async function waitUntilCallable(client: Client, kind: CallKind, server?: string): Promise<Answer> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  const id = 1_000_000_000;
  const { head, tail } = callTemplate(kind, server);
  const message: unknown = JSON.parse(`${head}${id}${tail}`);
  for (;;) {
    const answer = await client.post(message);
    const fault = faultOf(answer, kind, id);
    if (fault === undefined) return answer;
    if (Date.now() > deadline) throw new Error(`${client.url}: ${fault}: ${answer.text.slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function faultOf({ status, text }: Answer, kind: CallKind, id: number): string | undefined {
  if (status !== 200) return `HTTP status ${status}`;
  let message: {
    readonly id?: unknown;
    readonly result?: { readonly content?: readonly { readonly text?: unknown }[] };
  };
  try {
    message = JSON.parse(text) as typeof message;
  } catch {
    return 'not a JSON answer';
  }
  if (message.id !== id) return 'wrong id';
  const got = message.result?.content?.[0]?.text;
  if (typeof got !== 'string') return 'no text in the result';
  if (kind === 'echo') return got === ECHO_PREFIX + TEXT ? undefined : 'wrong text';
  return got.length > 9_000 && got.startsWith('row 1: ') ? undefined : 'not the 10 KiB text';
}
