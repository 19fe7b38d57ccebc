import { expect } from 'chai';
import fc from 'fast-check';
import { listenerUrl } from '../support/edge.ts';
import { bootGateway } from '../support/gateway.ts';
import type { Gateway } from '../support/gateway.ts';
import { McpClient, RpcError, textOf } from '../support/mcpClient.ts';
import { until } from '../support/until.ts';
import { SHELF } from '../plugins/upstream/support.ts';

type Kind = 'tool' | 'resource' | 'template' | 'prompt';
interface Known {
  readonly kind: Kind;
  readonly server: string;
  /** The name or uri that clients use. */
  readonly name: string;
  /** The argument of its call, read, get or completion. */
  readonly used: string;
}
const SERVERS = ['abe', 'bob', 'cid'];
const KNOWN: readonly Known[] = SERVERS.flatMap((server): readonly Known[] => [
  { kind: 'tool', server, name: `x_${server}_lend`, used: `x_${server}_lend` },
  { kind: 'resource', server, name: `own://${server}`, used: `own://${server}` },
  { kind: 'template', server, name: `page://${server}/{number}`, used: `page://${server}/7` },
  { kind: 'prompt', server, name: `x_${server}_tell`, used: `x_${server}_tell` },
]);

const PRESETS = {
  abes: { include: [{ server: 'abe' }] },
  'no-bob': { include: [{ preset: 'full' }], exclude: [{ server: 'bob' }] },
  tools: { include: [{ pattern: '*' }, { tool: 'x_abe_lend' }, { workflow: 'w' }, { label: 'a=b' }] },
  writing: { include: [{ preset: 'full' }], exclude: [{ readOnly: true }] },
};

/** Whether a selector selects an item, written from the interface and the READMEs, not from the code. */
function selects(selector: string, { kind, server, name }: Known): boolean {
  const [what, which] = selector.split(':');
  if (what === 'server') return server === which;
  if (what === 'tool') return kind === 'tool' && name === which;
  switch (which) {
    case 'full':
      return true;
    case 'read-only':
      return kind !== 'tool';
    case 'abes':
      return server === 'abe';
    case 'no-bob':
      return server !== 'bob';
    case 'tools':
    case 'writing':
      return kind === 'tool';
    default:
      return false;
  }
}
const SELECTORS = [
  ...['server:abe', 'server:bob', 'server:absent', 'tool:x_abe_lend', 'tool:x_bob_tell'],
  ...[
    'preset:none',
    'preset:full',
    'preset:read-only',
    ...Object.keys(PRESETS).map((name) => `preset:${name}`),
  ],
];

/** Names that each pattern of `deny` denies. */
const DENIALS: Readonly<Record<string, readonly (readonly [string, (item: Known) => boolean])[]>> = {
  tools: [
    ['x_bob_*', ({ kind, server }) => kind === 'tool' && server === 'bob'],
    ['*', ({ kind }) => kind === 'tool'],
  ],
  resources: [
    ['own://*', ({ kind }) => kind === 'resource'],
    ['page://abe/*', ({ kind, server }) => kind === 'template' && server === 'abe'],
  ],
  prompts: [['x_cid_tell', ({ kind, server }) => kind === 'prompt' && server === 'cid']],
  servers: [
    ['abe', ({ server }) => server === 'abe'],
    ['[bc]*', ({ server }) => server !== 'abe'],
  ],
};

interface Trial {
  readonly header: readonly string[] | undefined;
  readonly path: string | undefined;
  readonly denied: readonly (readonly [key: string, at: number])[];
}
const trials: fc.Arbitrary<Trial> = fc.record({
  header: fc.option(fc.subarray(SELECTORS, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  path: fc.option(fc.constantFrom('none', 'full', 'read-only', ...Object.keys(PRESETS)), {
    nil: undefined,
    freq: 2,
  }),
  denied: fc.subarray(
    Object.entries(DENIALS).flatMap(([key, all]) => all.map((_, at) => [key, at] as const)),
    { maxLength: 2 },
  ),
});

function mayBeSeen(item: Known, { header, path, denied }: Trial): boolean {
  if (denied.some(([key, at]) => DENIALS[key]?.[at]?.[1](item))) return false;
  if (path !== undefined && !selects(`preset:${path}`, item)) return false;
  return header === undefined || header.some((selector) => selects(selector, item));
}

function settingsOf(denied: Trial['denied']): string {
  const deny: Record<string, string[]> = {};
  for (const [key, at] of denied) (deny[key] ??= []).push(DENIALS[key]?.[at]?.[0] ?? '');
  const plugins = denied.length === 0 ? {} : { deny: { config: deny } };
  return JSON.stringify({ aggregator: { port: 0 }, toolsetPresets: PRESETS, plugins });
}

async function start(): Promise<Gateway> {
  const shelves = SERVERS.map((name) => {
    const command = [process.execPath, SHELF, name];
    return [`mcpservers/${name}.yaml`, JSON.stringify({ type: 'stdio', autoStart: true, command })] as const;
  });
  const files = { 'config.yaml': settingsOf([]), 'state/.keep': '', ...Object.fromEntries(shelves) };
  const gateway = await bootGateway({ files, builtIns: 'all' });
  await until(() => SERVERS.every((name) => gateway.kernel.catalogue.shared(`x_${name}_lend`) !== undefined));
  return gateway;
}

/** The listed names, by the native lists and by the meta-tools. */
async function listed(client: McpClient, kind: Kind): Promise<readonly (readonly string[])[]> {
  const [method, key, meta] = (
    {
      tool: ['', 'name', 'list_tools'],
      resource: ['resources/list', 'uri', 'list_resources'],
      template: ['resources/templates/list', 'uriTemplate', 'list_resources'],
      prompt: ['prompts/list', 'name', 'list_prompts'],
    } as const
  )[kind];
  const names = (entries: unknown): string[] =>
    (entries as readonly Record<string, unknown>[]).flatMap((one) => (key in one ? [String(one[key])] : []));
  const text = textOf(await client.callMeta(meta));
  const told = /^No (resources|prompts)/.test(text) ? [] : (JSON.parse(text) as object);
  const byMeta = names('tools' in told ? told.tools : told);
  if (method === '') return [byMeta];
  const [native] = Object.values(await client.request(method)).filter(Array.isArray);
  return [byMeta, names(native)];
}

/** Tries every way to use an item: true for success, false for a refusal. */
async function uses(client: McpClient, { kind, name, used }: Known): Promise<readonly boolean[]> {
  const native = (method: string, params: object): Promise<boolean> =>
    client.request(method, { ...params }).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RpcError && /denied|outside the toolset/.test(error.message)) return false;
        throw error;
      },
    );
  const meta = async (tool: string, args: object): Promise<boolean> => {
    const result = await client.callMeta(tool, { ...args });
    if (result.isError === true && !/denied|outside|not found/.test(textOf(result)))
      throw new Error(textOf(result));
    return result.isError !== true;
  };
  const argument = { name: 'number', value: '' };
  switch (kind) {
    case 'tool':
      return [await meta('call_tool', { name }), await meta('describe_tool', { name })];
    case 'prompt':
      return [
        await native('prompts/get', { name }),
        await meta('get_prompt', { name }),
        await meta('describe_prompt', { name }),
        await native('completion/complete', { ref: { type: 'ref/prompt', name }, argument }),
      ];
    case 'resource':
      return [
        await native('resources/read', { uri: used }),
        await meta('get_resource', { uri: used }),
        await meta('describe_resource', { uri: used }),
        await native('resources/subscribe', { uri: used }),
      ];
    case 'template':
      return [
        await native('resources/read', { uri: used }),
        await meta('get_resource', { uri: used }),
        await native('resources/subscribe', { uri: used }),
        await native('completion/complete', { ref: { type: 'ref/resource', uri: name }, argument }),
      ];
  }
}

describe('e2e: narrowing of a request', function () {
  this.timeout(60_000);

  it('applies to tools, resources, templates and prompts alike, in lists, reads, completion and subscriptions', async () => {
    const gateway = await start();
    const url = listenerUrl(gateway);
    await fc.assert(
      fc.asyncProperty(trials, async (trial) => {
        gateway.directory.write('config.yaml', settingsOf(trial.denied));
        expect((await gateway.pipeline.reload()).applied).to.equal(true);
        const client = await clientOf(url, trial);
        for (const kind of ['tool', 'resource', 'template', 'prompt'] as const) {
          const items = KNOWN.filter((item) => item.kind === kind);
          const names = items.filter((item) => mayBeSeen(item, trial)).map(({ name }) => name);
          for (const list of await listed(client, kind))
            expect(list.filter((name) => items.some((item) => item.name === name)).sort()).to.deep.equal(
              names,
            );
          for (const item of items)
            expect(new Set(await uses(client, item)), item.name).to.deep.equal(
              new Set([mayBeSeen(item, trial)]),
            );
        }
        const said = String(client.initialized['instructions']);
        for (const server of SERVERS) {
          const isShown = KNOWN.some((item) => item.server === server && mayBeSeen(item, trial));
          if (!isShown) expect(said).not.to.contain(`the shelf ${server}`);
        }
        await client.end();
      }),
      { numRuns: 20 },
    );
  });
});

function clientOf(url: string, { header, path }: Pick<Trial, 'header' | 'path'>): Promise<McpClient> {
  const headers = header === undefined ? undefined : { 'x-service-toolset': header.join(', ') };
  const options = { ...(headers && { headers }), ...(path !== undefined && { path: `/mcp/t/${path}` }) };
  return McpClient.connect(url, options);
}
