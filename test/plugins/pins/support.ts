import { join } from 'node:path';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { askCore } from '../../support/coreTools.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import type { Gateway } from '../../support/gateway.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';
import { ROOT } from '../../support/sources.ts';
import { serveHere } from '../../support/serveHere.ts';
import { until } from '../../support/until.ts';

const CHANGING = join(ROOT, 'test/plugins/pins/changing.mjs');

const ADMIN = { enabled: true, port: 0 };

export type Declared = Readonly<Record<string, unknown>>;
export interface ServerDeclares {
  readonly tools?: readonly Declared[];
  readonly prompts?: readonly Declared[];
  readonly resources?: readonly Declared[];
  readonly resourceTemplates?: readonly Declared[];
  readonly instructions?: string;
  readonly serverInfo?: Declared;
}
/** One entry of core_pins_list. */
export interface Pending extends JsonObject {
  readonly name: string;
  readonly kind: string;
  readonly hash: string;
  readonly state: string;
  readonly held: string;
  readonly widens: readonly string[];
}
export interface PinnedGateway {
  readonly gateway: Gateway & { readonly url: string };
  readonly directory: Directory;
  readonly client: McpClient;
  /** The server declares something else; resolves once the gateway has read it. @param prefix its toolPrefix, if it has one */
  readonly declare: (server: string, next: ServerDeclares, prefix?: string) => Promise<void>;
  readonly pending: () => Promise<readonly Pending[]>;
  readonly accept: (name: string, hash: string, refuse?: boolean) => Promise<JsonObject>;
}

export const TOOL = {
  name: 'safe',
  description: 'Reads one note.',
  inputSchema: { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] },
  annotations: { readOnlyHint: true },
};

/** A directory whose servers declare this. */
export function changingServers(
  servers: Readonly<Record<string, ServerDeclares>>,
  config: JsonObject = {},
  more: Readonly<Record<string, JsonObject>> = {},
  page = 1000,
  local = 'define',
): Directory {
  const directory = makeDirectory({
    'config.yaml': JSON.stringify({
      aggregator: { admin: ADMIN },
      operators: { local },
      plugins: { pins: { config } },
    }),
  });
  for (const [name, declares] of Object.entries(servers)) {
    directory.write(`${name}.json`, JSON.stringify(declares));
    const command = [process.execPath, CHANGING, directory.at(`${name}.json`), String(page)];
    directory.write(
      `mcpservers/${name}.yaml`,
      JSON.stringify({ type: 'stdio', command, autoStart: true, ...more[name] }),
    );
  }
  return directory;
}

/** A gateway on such a directory, once all its tools are known. */
export async function pinnedGateway(directory: Directory, path = '/mcp'): Promise<PinnedGateway> {
  const gateway = await serveHere(directory);
  const client = await McpClient.connect(gateway.url, { path });
  const isKnown = (name: string): boolean => gateway.kernel.catalogue.shared(name) !== undefined;
  let marks = 0;
  const declare: PinnedGateway['declare'] = async (server, next, prefix = server) => {
    const mark = `mark${(marks += 1)}`;
    const tools = [...(next.tools ?? []), { name: mark, inputSchema: { type: 'object' } }];
    directory.replace(`${server}.json`, JSON.stringify({ ...next, tools }));
    await until(() => isKnown(`x_${prefix}_${mark}`), { what: `${server} is read again` });
  };
  await until(async () => {
    const { services } = (await askCore(gateway, 'core_service_list')) as { services: readonly JsonObject[] };
    return services.every(({ state }) => state === 'running');
  });
  return {
    gateway,
    directory,
    client,
    declare,
    pending: async () => (await askCore(gateway, 'core_pins_list'))['pins'] as readonly Pending[],
    accept: (name, hash, refuse = false) => askCore(gateway, 'core_pins_accept', { name, hash, refuse }),
  };
}

/** The text of the answer to a call, or of the refusal. */
export async function called(client: McpClient, name: string, args: JsonObject = {}): Promise<string> {
  return textOf(await client.callTool(name, args));
}

/** The same with its members in another order, all the way down. */
export function shuffled(value: unknown, order: () => number): unknown {
  if (Array.isArray(value)) return value.map((one) => shuffled(one, order));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [order(), key, shuffled(one, order)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => a - b).map(([, key, one]) => [key, one]));
}
export { until };
