import { openStream, send } from './rawHttp.ts';
import type { OpenStream, RawAnswer } from './rawHttp.ts';
import { until } from './until.ts';

export interface SseClient {
  readonly stream: OpenStream;
  readonly path: string;
  readonly post: (body: unknown, headers?: Record<string, string>) => Promise<RawAnswer>;
}

/** Opens a stream of the older transport. @param headers of all its requests
 *  @param postAt another process to post to */
export async function connectSse(
  url: string,
  headers: Record<string, string> = {},
  postAt = url,
): Promise<SseClient> {
  const stream = await openStream(`${url}/sse`, { headers });
  await until(() => stream.text().includes('\n\n'), { what: 'the endpoint event' });
  const [, endpoint = ''] = /^event: endpoint\ndata: (.*)$/m.exec(stream.text()) ?? [];
  const { pathname, search } = new URL(endpoint, `${url}/sse`);
  const path = pathname + search;
  const post: SseClient['post'] = (body, more = {}) =>
    send(postAt + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...more },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { stream, path, post };
}
