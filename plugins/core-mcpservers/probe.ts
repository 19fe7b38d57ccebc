import type { Readable } from 'node:stream';
import { messageOf } from 'pegboard';
import type { Agent } from 'undici';

type Method = 'GET' | 'POST' | 'DELETE';

export interface Probe {
  readonly url: string;
  /** Sent as they are: no references are filled. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends everything that the probe does. */
  readonly signal: AbortSignal;
  readonly agent: Agent;
  readonly timeoutSeconds: number;
  /** No more of an answer is read. */
  readonly maxBytes: number;
  /** What somebody says who may repeat what was sent, as others may read it. */
  readonly shown: (text: string) => string;
}
export interface Answer {
  readonly status: number;
  readonly ok: boolean;
  /** Mcp-Session-Id */
  readonly session: string | undefined;
  /** Media type without parameters, in lower case. */
  readonly type: string;
  readonly body: Readable;
}

/** A redirect is an answer: headers go to the url that the caller named and nowhere else. */
export async function send(
  { url, headers, signal, agent }: Probe,
  init: {
    readonly method: Method;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  const answer = await agent.request({
    ...init,
    origin,
    path: `${pathname}${search}`,
    headers: { ...headers, ...init.headers },
    signal,
  });
  const { statusCode: status, headers: fields, body } = answer;
  const [type = ''] = String(fields['content-type'] ?? '').split(';', 1);
  const session = fields['mcp-session-id'];
  return {
    status,
    ok: status >= 200 && status < 300,
    session: typeof session === 'string' ? session : undefined,
    type: type.trim().toLowerCase(),
    body,
  };
}

/** Ends an answer whose body nobody reads. */
export function discard({ body }: Answer): void {
  body.on('error', () => undefined).destroy();
}

/** The body as text, piece by piece, up to maxBytes; whoever stops early ends it. */
export async function* textOf({ body }: Answer, { maxBytes }: Probe): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    yield decoder.decode(chunk, { stream: true });
    if (bytes > maxBytes) return;
  }
}

export async function readHead(answer: Answer, probe: Probe): Promise<string> {
  let text = '';
  for await (const piece of textOf(answer, probe)) text += piece;
  return text;
}

/** Why a probe has no answer. */
export function causeOf(error: unknown, { signal, timeoutSeconds, shown }: Probe): string {
  if (signal.aborted) return `no answer within ${timeoutSeconds} s`;
  return shown(messageOf(error)) || 'the connection failed';
}
