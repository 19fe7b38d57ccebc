import type { JsonObject } from '../../kernel/index.ts';
import type { Agent } from './clients.ts';
import { Home } from './home.ts';
import { startModelApi } from './modelApi.ts';
import type { ModelApi, Step } from './modelApi.ts';
import { permissionOf } from './readmeLines.ts';
import type { Instruction } from './readmeLines.ts';

/** A call of a gateway's own tool. */
export function step(tool: string, args: JsonObject): Step {
  return { tool, args };
}
export function callOf(name: string, args: JsonObject): Step {
  return step('call_tool', { name, arguments: args });
}

interface PlayOptions {
  /** Default: a new one. */
  readonly home?: Home;
  /** Adds the gateway; none for a home that has it. */
  readonly connect?: Instruction;
  /** Lets it run tools without asking, by the README's lines, if it would ask. */
  readonly isPermitted?: boolean;
  /** Awaited when everything else is in place. */
  readonly prepare?: () => Promise<void>;
}

/** One run of a client, whose model follows the script. */
export async function play(
  client: Agent,
  script: readonly Step[],
  { home = new Home(client), connect, isPermitted = false, prepare }: PlayOptions,
): Promise<{ readonly api: ModelApi; readonly output: string }> {
  const { ours = /pegboard/ } = client;
  const api = await startModelApi(script, ({ name, namespace = '' }) => ours.test(namespace + name));
  const env = client.modelEnv(api.url);
  try {
    for (const [file, text] of Object.entries(client.settings?.(api.url) ?? {})) home.add(file, text);
    const asks = isPermitted && client.refusal !== undefined;
    const permission: Instruction = asks ? permissionOf(client.name) : { line: '' };
    const words = 'line' in permission ? permission.line : '';
    const isFlag = words.startsWith('--');
    if (connect !== undefined)
      if ('line' in connect) await home.type(isFlag ? `${connect.line} ${words}` : connect.line, env);
      else home.add(connect.file, connect.lines);
    if ('file' in permission) home.add(permission.file, permission.lines);
    await prepare?.();
    const [command = '', ...args] = client.ask(api.url);
    const start = words === '' || isFlag ? [command] : words.split(' ');
    const { text } = await home.run([...start, ...args], env);
    return { api, output: text };
  } finally {
    await api.close();
  }
}

/** Expects one result per text, containing it. @throws Error with the client's output */
export function expectIn(results: readonly string[], texts: readonly string[], output: string): void {
  const missing = texts.findIndex((text, at) => results[at]?.includes(text) !== true);
  if (missing < 0) return;
  const got = results[missing] ?? 'nothing; the client ended';
  throw new Error(`result ${missing + 1} lacks "${texts[missing] ?? ''}", it is ${got}\n${output}`);
}

/** Expects the tools of the gateway that the model is to see at once, each with its schema.
 *  @returns their number and size @throws Error if the client hides some of them, or shows more */
export function expectOffered({ offered }: Agent, { first }: ModelApi, output: string): string {
  const names = first.map(({ name }) => name);
  if (names.length !== offered) {
    const found = `the first request offers ${names.length} of our tools, not ${offered}`;
    throw new Error(`${found}: ${names.join(' ')}\n${output}`);
  }
  const bare = first.filter(({ entry }) => !JSON.stringify(entry).includes('"properties"'));
  if (bare.length > 0) throw new Error(`${bare[0]?.name ?? ''} is offered without its schema`);
  const bytes = Buffer.byteLength(JSON.stringify(first.map(({ entry }) => entry)));
  return `${names.length} of our tools in its first request, ${bytes} bytes`;
}
