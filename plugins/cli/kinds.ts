import { didYouMean, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { compileGlob } from '../kit/text/glob.ts';
import { Failure } from './failure.ts';
import type { Gateway } from './gateway.ts';
import { cellOf } from './output/print.ts';
import type { Column } from './output/print.ts';

/** How a gateway's things of one kind are listed and read. */
export interface Kind {
  readonly name: string;
  readonly plural: string;
  readonly aliases?: readonly string[];
  /** The first one is the name that `get` takes. */
  readonly columns: readonly Column[];
  list(gateway: Gateway): Promise<readonly JsonObject[]>;
  get(gateway: Gateway, name: string): Promise<JsonObject>;
}

const PAGE = 500;
const MAX_CELL_CHARS = 160;
const NAME: Column = { title: 'name', value: 'name' };
const DESCRIPTION: Column = { title: 'description', value: 'description' };

/** A cell is one short line; what a server wrote before it died is shown by get. */
function brief(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  const [own = ''] = text.split(/; it(?: began with|s last words): /);
  return own.length > MAX_CELL_CHARS ? `${own.slice(0, MAX_CELL_CHARS)}…` : own;
}

/** Follows the pages to the end. */
export async function allPages(
  read: (page: { limit: number; offset: number }) => Promise<JsonObject>,
  member: string,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  for (;;) {
    const page = await read({ limit: PAGE, offset: items.length });
    const more = itemsIn(page, member);
    items.push(...more);
    if (more.length === 0 || (page['truncated'] !== true && page['has_more'] !== true)) return items;
  }
}

function itemsIn(answer: JsonObject, member: string): readonly JsonObject[] {
  const items = answer[member] ?? answer['items'];
  return Array.isArray(items) ? items.filter((item) => isObject(item)) : [];
}

const TOOL: Kind = {
  name: 'tool',
  plural: 'tools',
  columns: [
    NAME,
    { title: 'server', value: 'server' },
    { title: 'kind', value: 'kind', isWide: true },
    { title: 'summary', value: 'summary' },
  ],
  list: (gateway) => allPages((page) => gateway.read('list_tools', page), 'tools'),
  get: (gateway, name) => gateway.read('describe_tool', { name, full: true }),
};
const SERVER: Kind = {
  name: 'server',
  plural: 'servers',
  aliases: ['mcpserver', 'mcpservers'],
  columns: [
    NAME,
    { title: 'type', value: 'type' },
    { title: 'state', value: 'state' },
    { title: 'health', value: 'health' },
    { title: 'tools', value: 'toolsCount' },
    { title: 'session', value: 'sessionStatus', isWide: true },
    { title: 'error', value: ({ error, progress }) => brief(error ?? progress) },
  ],
  list: async (gateway) => itemsIn(await gateway.readCore('core_mcpserver_list'), 'mcpServers'),
  get: (gateway, name) => gateway.readCore('core_mcpserver_get', { name }),
};
const SERVICE: Kind = {
  name: 'service',
  plural: 'services',
  columns: [
    NAME,
    { title: 'type', value: 'service_type' },
    { title: 'state', value: 'state' },
    { title: 'health', value: 'health' },
    {
      title: 'error',
      value: ({ error, metadata }) => brief(error ?? (isObject(metadata) ? metadata['progress'] : undefined)),
    },
  ],
  list: async (gateway) => itemsIn(await gateway.readCore('core_service_list'), 'services'),
  get: (gateway, name) => gateway.readCore('core_service_status', { name }),
};
const WORKFLOW: Kind = {
  name: 'workflow',
  plural: 'workflows',
  columns: [NAME, { title: 'available', value: 'available' }, DESCRIPTION],
  list: async (gateway) => itemsIn(await gateway.readCore('core_workflow_list'), 'workflows'),
  get: (gateway, name) => gateway.readCore('core_workflow_get', { name }),
};
const EXECUTION: Kind = {
  name: 'execution',
  plural: 'executions',
  aliases: ['workflow-execution', 'workflow-executions'],
  columns: [
    { title: 'id', value: 'execution_id' },
    { title: 'workflow', value: 'workflow_name' },
    { title: 'status', value: 'status' },
    { title: 'started', value: 'started_at' },
    { title: 'ms', value: 'duration_ms' },
  ],
  list: (gateway) => allPages((page) => gateway.readCore('core_workflow_execution_list', page), 'executions'),
  get: (gateway, name) => gateway.readCore('core_workflow_execution_get', { execution_id: name }),
};
const RESOURCE: Kind = {
  name: 'resource',
  plural: 'resources',
  columns: [
    { title: 'uri', value: ({ uri, uriTemplate }) => uri ?? uriTemplate },
    { title: 'type', value: 'mimeType', isWide: true },
    { title: 'name', value: 'name' },
    DESCRIPTION,
  ],
  list: async (gateway) => itemsIn(await gateway.read('list_resources'), 'resources'),
  get: async (gateway, word) => {
    const known = await RESOURCE.list(gateway);
    const template = known.find((one) => one['uriTemplate'] === word);
    if (template !== undefined) return template;
    const isUri = known.some((one) => one['uri'] === word);
    const named = isUri ? [] : known.filter((one) => one['name'] === word);
    const uris = named.map((one) => nameIn(RESOURCE, one));
    if (uris.length > 1)
      throw new Failure(`several are named ${word}; give the uri of one: ${uris.join(', ')}`);
    return named[0]?.['uriTemplate'] === undefined
      ? gateway.read('describe_resource', { uri: uris[0] ?? word })
      : named[0];
  },
};
const PROMPT: Kind = {
  name: 'prompt',
  plural: 'prompts',
  columns: [NAME, DESCRIPTION],
  list: async (gateway) => itemsIn(await gateway.read('list_prompts'), 'prompts'),
  get: (gateway, name) => gateway.read('describe_prompt', { name }),
};
const PRESET: Kind = {
  name: 'preset',
  plural: 'presets',
  aliases: ['toolsetpreset', 'toolsetpresets'],
  columns: [NAME, { title: 'built in', value: 'built_in' }, DESCRIPTION],
  list: async (gateway) =>
    itemsIn(await gateway.read('filter_tools', { include_presets: true, limit: 1 }), 'presets'),
  get: async (gateway, name) => {
    const presets = await PRESET.list(gateway);
    const found = presets.find((preset) => preset['name'] === name);
    if (found !== undefined) return found;
    throw new Failure(`there is no preset ${name}; see: pegboard list presets`);
  },
};

export const KINDS: readonly Kind[] = [
  ...[TOOL, SERVER, SERVICE, WORKFLOW, EXECUTION, RESOURCE, PROMPT, PRESET],
];

/** @param word singular or plural @throws Failure with the nearest kind */
export function kindOf(word: string): Kind {
  const namesOf = ({ name, plural, aliases = [] }: Kind): readonly string[] => [name, plural, ...aliases];
  const found = KINDS.find((kind) => namesOf(kind).includes(word.toLowerCase()));
  if (found !== undefined) return found;
  const names = KINDS.map(({ name }) => name).join(', ');
  const fix = didYouMean(word, KINDS.flatMap(namesOf), `use ${names}`);
  throw new Failure(`there is nothing of kind ${word}; ${fix}`);
}

/** What `get` takes for it. */
export function nameIn({ columns }: Kind, item: JsonObject): string {
  return cellOf(item, columns[0]?.value ?? 'name');
}

export interface ItemFilter {
  readonly server?: string;
  readonly filter?: string;
  readonly label?: readonly string[];
}

/** Keeps items of a server, with a name that matches a glob, with labels. @throws Failure for a label without `=` */
export function filtered(
  items: readonly JsonObject[],
  { server, filter, label = [] }: ItemFilter,
  kind: Kind,
): readonly JsonObject[] {
  const isNamed = filter === undefined ? undefined : compileGlob(filter);
  const labels = label.map((text) => {
    const [name = '', value] = text.split('=', 2);
    if (value === undefined) throw new Failure(`--label ${text}: write it as name=value`);
    return [name, value] as const;
  });
  return items.filter((item) => {
    const own = isObject(item['labels']) ? item['labels'] : {};
    return (
      (server === undefined || item['server'] === server) &&
      (isNamed === undefined || isNamed(nameIn(kind, item))) &&
      labels.every(([name, value]) => own[name] === value)
    );
  });
}
