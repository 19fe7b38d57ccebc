import type { JsonObject } from '../../kernel/index.ts';
import type { Client } from './clients.ts';
import { Home } from './home.ts';
import { startModelApi } from './modelApi.ts';
import type { ModelApi, Step } from './modelApi.ts';
import { permissionOf } from './readmeLines.ts';

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
  /** Command line that adds the gateway; none for a home that has it. */
  readonly connect?: string;
  /** Lets it run tools without asking, by the README's lines. */
  readonly isPermitted?: boolean;
}

/** One run of a client, whose model follows the script. */
export async function play(
  client: Client,
  script: readonly Step[],
  { home = new Home(client), connect, isPermitted = false }: PlayOptions,
): Promise<{ readonly api: ModelApi; readonly output: string }> {
  const api = await startModelApi(script, ({ name, namespace = '' }) => /pegboard/.test(namespace + name));
  const env = client.modelEnv(api.url);
  try {
    const permission = isPermitted ? permissionOf(client.name) : undefined;
    const flag = permission !== undefined && 'flag' in permission ? ` ${permission.flag}` : '';
    if (connect !== undefined) await home.type(connect + flag, env);
    if (permission !== undefined && 'file' in permission) home.append(permission.file, permission.lines);
    const { text } = await home.run(client.ask(api.url), env);
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
