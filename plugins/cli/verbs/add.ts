import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { definitionNameFault, messageOf } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { createPrivate } from '../files.ts';
import { fileText, namesIn } from '../definitions/plainDefinition.ts';
import { fromServerJson } from '../definitions/fromServerJson.ts';
import type { Described } from '../definitions/fromServerJson.ts';
import { fileOf } from '../definitions/fileOf.ts';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { progressTo } from '../progressTo.ts';
import { endpointOf } from '../endpointOf.ts';
import { Failure, NoGateway, SIGN_IN_NEEDED } from '../failure.ts';
import { Gateway, textOf } from '../gateway.ts';
import { allPages } from '../kinds.ts';
import { printList, printObject } from '../output/print.ts';
import { verb } from '../verb.ts';

interface AddOptions {
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly transport?: string;
}

export const add = verb({
  name: 'add',
  summary: 'add an MCP server and print its tools',
  parameters: [
    { name: '<name>', description: 'name of the server; a server.json has one itself' },
    {
      name: '[target...]',
      description: 'the command, after --; or the URL; or a server.json of the MCP registry',
    },
  ],
  options: [
    { flags: '--header <key=value>', description: 'HTTP header for the URL', isList: true },
    { flags: '--env <key=value>', description: 'environment variable of the command', isList: true },
    {
      flags: '--transport <type>',
      description: 'transport of the URL, instead of asking it',
      choices: ['streamable-http', 'sse'],
    },
  ],
  examples: [
    'pegboard add git -- uvx mcp-server-git',
    "pegboard add tracker https://mcp.example.com/mcp --header 'Authorization=${env:TRACKER_TOKEN}'",
    "pegboard add ./server.json --env 'API_KEY=${env:API_KEY}'",
  ],
  run: async (invocation) => {
    const wanted = await wantedServer(invocation);
    const fault = definitionNameFault(wanted.name);
    if (fault !== undefined) throw new Failure(fault);
    try {
      return await Gateway.connected(invocation, (gateway) => addTo(gateway, wanted, invocation));
    } catch (error) {
      if (!(error instanceof NoGateway) || !(await endpointOf(invocation)).isOwn) throw error;
      return writeDefinition(wanted, invocation);
    }
  },
});

/** The server as it was typed; a remote one without `type` if that has to be found out. @throws Failure */
async function wantedServer(invocation: Invocation): Promise<Described> {
  const [name = '', ...target] = invocation.args;
  const { header, env: variables, transport } = optionsOf<AddOptions>(invocation);
  const headers = pairs(header ?? [], '--header', /[=:]/);
  const env = pairs(variables ?? [], '--env', /=/);
  const [first] = target;
  const only = target.length === 1 ? first : undefined;
  const file = [first === undefined ? name : only].find((word) => word?.endsWith('.json') === true);
  if (file !== undefined) {
    const described = fromServerJson(await textIn(file), file, { env, headers });
    return first === undefined ? described : { ...described, name };
  }
  if (first === undefined) throw new Failure(missingText(name));
  const hasHeaders = Object.keys(headers).length > 0;
  const hasEnv = Object.keys(env).length > 0;
  if (only !== undefined && /^[a-z][a-z0-9+.-]*:\/\//i.test(only)) {
    if (!/^https?:/i.test(only) || !URL.canParse(only))
      throw new Failure(`${only} is not a URL of an MCP server; it begins with http:// or https://`);
    if (hasEnv) throw new Failure('--env is for a command; a URL takes --header');
    const type = transport === undefined ? {} : { type: transport };
    return { name, spec: { ...type, url: only, ...(hasHeaders && { headers }) } };
  }
  if (hasHeaders || transport !== undefined)
    throw new Failure('--header and --transport are for a URL; a command takes --env');
  return { name, spec: { type: 'stdio', command: target, ...(hasEnv && { env }) } };
}

function missingText(name: string): string {
  if (/^https?:/i.test(name)) return `a name is missing; use: pegboard add <name> ${name}`;
  return `what is ${name}? use: pegboard add ${name} -- <command>, or: pegboard add ${name} <url>`;
}

async function textIn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure(`${file} cannot be read: ${messageOf(error)}`);
  });
}

function pairs(list: readonly string[], flag: string, sign: RegExp): Record<string, string> {
  const entries = list.map((pair) => {
    const at = pair.search(sign);
    // The value may be a secret.
    if (at < 1) throw new Failure(`${flag} is written as ${flag} key=value`);
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

async function addTo(gateway: Gateway, wanted: Described, invocation: Invocation): Promise<number> {
  const { name } = wanted;
  const say = progressTo(invocation);
  if ((await namesIn(gateway, SERVER_KIND)).includes(name))
    throw new Failure(
      `a server ${name} exists already; choose another name, change it with: pegboard edit server ${name}, or remove it with: pegboard remove ${name}`,
    );
  const type = wanted.spec['type'] ?? (await transportOf(wanted.spec, gateway, say));
  const created = await gateway.readCore('core_mcpserver_create', {
    name,
    ...wanted.spec,
    type,
    autoStart: true,
  });
  for (const warning of (created['warnings'] ?? []) as string[]) say(`warning: ${warning}`);
  say(`added ${name}; waiting for its tools`);
  const started = await gateway.call('core_service_start', { name });
  if (started.isError === true) {
    const { state, error } = await gateway.readCore('core_service_status', { name });
    const why = typeof error === 'string' ? error : textOf(started);
    const fix = `change it with: pegboard edit server ${name}, or remove it with: pegboard remove ${name}`;
    throw new Failure(
      `${name} is added, but does not start: ${why}; ${fix}`,
      state === 'auth_required' ? SIGN_IN_NEEDED : 1,
    );
  }
  printList(
    invocation,
    'tools',
    await allPages((page) => gateway.read('filter_tools', { toolset: [`server:${name}`], ...page }), 'tools'),
    [
      { title: 'name', value: 'name' },
      { title: 'summary', value: 'summary' },
    ],
  );
  return 0;
}

/** What answers at the URL; streamable-http if nothing does. */
async function transportOf(
  { url, headers = {} }: JsonObject,
  gateway: Gateway,
  say: (words: string) => void,
): Promise<string> {
  // The probe sends headers as they are, so references stay at home.
  const plain = Object.entries(headers as JsonObject).filter(([, value]) => !String(value).includes('${'));
  const found = await gateway.readCore('core_mcpserver_detect', {
    url,
    headers: Object.fromEntries(plain),
  });
  const { transport, detail } = found;
  if (transport === 'sse' || transport === 'streamable-http') {
    say(`${transport} answers at ${String(found['url'])}`);
    return transport;
  }
  say(`the transport is not known, streamable-http is taken: ${String(detail)}`);
  return 'streamable-http';
}

/** No gateway runs, so the file is written as the gateway would write it. */
async function writeDefinition({ name, spec }: Described, invocation: Invocation): Promise<number> {
  const { directory } = invocation;
  const existing = await fileOf(directory, SERVER_KIND, name);
  if (existing !== undefined)
    throw new Failure(
      `a server ${name} exists already in ${existing}; choose another name, or edit the file`,
    );
  const file = join(directory, SERVER_KIND.folder, `${name}.yaml`);
  const type = spec['type'] ?? 'streamable-http';
  await createPrivate(file, fileText({ kind: SERVER_KIND, name, spec: { type, ...spec, autoStart: true } }));
  progressTo(invocation)(`wrote ${file}; no gateway runs yet, start it with: pegboard serve`);
  if (optionsOf(invocation).output !== 'table') printObject(invocation, { name, file }, name);
  return 0;
}
