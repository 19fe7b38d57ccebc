import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { JsonObject } from '../../kernel/index.ts';
import { listenLocally } from '../conformance/listen.ts';
import { GENERATE_CONTENT, MESSAGES, RESPONSES } from './dialects.ts';
import type { Dialect, Offered, Turn } from './dialects.ts';

/** The model's next turn. */
export interface Step {
  /** End of a tool's name, because the client adds a prefix. */
  readonly tool: string;
  readonly args: JsonObject | ((lastResult: string) => JsonObject);
  /** Awaited before the model answers. */
  readonly before?: () => Promise<void>;
}
export interface ModelApi {
  readonly url: string;
  /** Our tools in the first request that offers any tool. */
  readonly first: readonly Offered[];
  /** Texts of the results that the client has sent so far. */
  readonly results: readonly string[];
  close(): Promise<void>;
}

/** Claude Code asks how long a result is before it shows it. */
const CHARS_OF_A_TOKEN = 4;
const DIALECTS = [MESSAGES, RESPONSES, GENERATE_CONTENT];

/** A model that follows its script, one step after each result, in any of the three dialects.
 *  @param isOurs whether a tool that a client offers belongs to the gateway */
export async function startModelApi(
  script: readonly Step[],
  isOurs: (tool: Offered) => boolean,
): Promise<ModelApi> {
  let first: readonly Offered[] | undefined;
  let results: readonly string[] = [];
  const nextTurn = async (dialect: Dialect, body: JsonObject): Promise<Turn> => {
    const tools = dialect.toolsOf(body);
    if (tools.length === 0) return { text: 'scripted' };
    const ours = tools.filter(isOurs);
    first ??= ours;
    const brought = dialect.resultsOf(body);
    if (brought.length > results.length) results = brought;
    const step = script[brought.length];
    if (step === undefined) return { text: 'done' };
    const tool = tools.find(({ name }) => name.endsWith(step.tool));
    if (tool === undefined) return { text: `${step.tool} is not offered` };
    await step.before?.();
    const { args } = step;
    return {
      id: `call_${brought.length}`,
      tool,
      args: typeof args === 'function' ? args(brought.at(-1) ?? '') : args,
    };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const dialect = DIALECTS.find(({ path }) => path.test(pathname));
    if (pathname.endsWith('/count_tokens')) {
      const tokens = Math.ceil(JSON.stringify(await json(request)).length / CHARS_OF_A_TOKEN);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ input_tokens: tokens }));
      return;
    }
    if (request.method !== 'POST' || dialect === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const body = (await json(request)) as JsonObject;
    const turn = await nextTurn(dialect, body);
    const isStream = body['stream'] === true || searchParams.get('alt') === 'sse';
    if (!isStream && dialect.wholeOf !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(dialect.wholeOf(turn)));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of dialect.eventsOf(turn)) {
      const name = typeof event['type'] === 'string' ? `event: ${event['type']}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`the model failed: ${String(error)}\n`);
      response.destroy();
    });
  });
  const listening = await listenLocally(server);
  return {
    url: listening.url,
    get first() {
      return first ?? [];
    },
    get results() {
      return results;
    },
    close: () => listening.close(),
  };
}
