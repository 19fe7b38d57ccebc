// Sends many large calls at once from several sessions, and tells its parent how they ended: a process of its own, so that what it
// does itself delays no other client.
import { fileURLToPath } from 'node:url';
import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';

export const FLOODER = fileURLToPath(import.meta.url);
const CALLERS = 20;
const RESULT_BYTES = 9_000_000;
/** Size of an argument: with the rest of the message just below plugins.http.config.maxBodyBytes. */
const BODY_BYTES = 4_000_000;

/** How calls ended → how many. */
export type Tally = Readonly<Record<string, number>>;

async function outcomeOf(call: Promise<Awaited<ReturnType<McpClient['callTool']>>>): Promise<string> {
  try {
    const { isError, _meta } = await call;
    if (isError !== true) return 'answered';
    const error = (_meta as { 'pegboard.dev/error'?: { code?: string } } | undefined)?.['pegboard.dev/error'];
    return error?.code ?? 'an error without a code';
  } catch (error) {
    // 408: on a busy machine this process itself is too slow with a head or a body.
    return /\b(503|408)\b/.exec(String(error))?.[0] ?? String(error).slice(0, 200);
  }
}

async function flood(url: string, results: number, bodies: number): Promise<Tally> {
  const clients = await Promise.all(Array.from({ length: CALLERS }, () => mcpClient(url)));
  const text = 'y'.repeat(BODY_BYTES);
  const large = (name: string, count: number, args: object): Promise<string>[] =>
    Array.from({ length: count }, (_, at) =>
      outcomeOf((clients[at % CALLERS] as McpClient).callTool(name, args as never)),
    );
  const ended = await Promise.all([
    ...large('x_large_large', results, { bytes: RESULT_BYTES }),
    ...large('x_large_size', bodies, { text }),
  ]);
  const tally: Record<string, number> = {};
  for (const how of ended) tally[how] = (tally[how] ?? 0) + 1;
  return tally;
}

if (process.argv[1] === FLOODER) {
  const [url = '', results, bodies] = process.argv.slice(2);
  const tally = await flood(url, Number(results), Number(bodies));
  process.send?.(tally, () => process.exit(0));
}
