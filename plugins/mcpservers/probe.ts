import { messageOf } from 'pegboard';

export interface Probe {
  readonly url: string;
  /** Sent as they are: no references are filled. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends everything that the probe does. */
  readonly signal: AbortSignal;
  readonly timeoutSeconds: number;
  /** No more of an answer is read. */
  readonly maxBytes: number;
}
export interface Answer {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  /** Media type without parameters, in lower case. */
  readonly type: string;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** A redirect is an answer: headers go to the url that the caller named and nowhere else. */
export async function send(
  { url, headers, signal }: Probe,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): Promise<Answer> {
  const response = await fetch(url, {
    ...init,
    headers: { ...headers, ...init.headers },
    signal,
    redirect: 'manual',
  });
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  const { status, ok, body } = response;
  return { status, ok, headers: response.headers, type: type.trim().toLowerCase(), body };
}

/** The body as text, piece by piece, up to maxBytes; whoever stops early ends it. */
export async function* textOf({ body }: Answer, { maxBytes }: Probe): AsyncGenerator<string> {
  if (body === null) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const chunk of body) {
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
export function causeOf(error: unknown, { signal, timeoutSeconds }: Probe): string {
  if (signal.aborted) return `no answer within ${timeoutSeconds} s`;
  const { cause } = error as { readonly cause?: unknown };
  return messageOf(cause ?? error) || 'the connection failed';
}
