import {
  Client as NewerClient,
  StreamableHTTPClientTransport as NewerTransport,
} from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import { EraFixture, OLDER, answer } from '../plugins/upstream/eraFixture.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import type { ClientResult } from '../support/mcpClient.ts';
import { listenerUrl } from '../support/edge.ts';
import { bootGateway } from '../support/gateway.ts';
import type { Gateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

type Json = Readonly<Record<string, unknown>>;
const LISTS = {
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
};
type List = keyof typeof LISTS;

const PROMPT = { name: 'p' };
const RESOURCE = { uri: 'r://r', name: 'r' };
const TEMPLATE = { uriTemplate: 't://{x}', name: 't' };
const annotated = (annotations: unknown): Json => ({ ...RESOURCE, annotations });
const asking = (argument: unknown): Json => ({ ...PROMPT, arguments: [{ name: 'sound' }, argument] });

/** An odd entry, and whether it is offered without its odd members. */
const KINDS: Readonly<Record<string, readonly [List, unknown, boolean]>> = {
  'a prompt whose description is null': ['prompts', { ...PROMPT, description: null }, true],
  'a prompt whose title is null': ['prompts', { ...PROMPT, title: null }, true],
  'a prompt whose arguments are null': ['prompts', { ...PROMPT, arguments: null }, true],
  'a prompt whose arguments are an object': ['prompts', { ...PROMPT, arguments: { city: {} } }, true],
  'a prompt with an argument without a name': ['prompts', asking({ description: 'd' }), true],
  'a prompt with an argument that is required "true"': [
    'prompts',
    asking({ name: 'a', required: 'true' }),
    true,
  ],
  'a prompt without a name': ['prompts', { description: 'd' }, false],
  'a resource whose name is a number': ['resources', { ...RESOURCE, name: 5 }, false],
  'a resource whose size is a text': ['resources', { ...RESOURCE, size: '12' }, true],
  'a resource whose audience is a text': ['resources', annotated({ audience: 'user' }), true],
  'a resource with an icon without src': [
    'resources',
    { ...RESOURCE, icons: [{ mimeType: 'image/png' }] },
    true,
  ],
  // Kept aside until the code stood.
  'a resource whose title is null': ['resources', { ...RESOURCE, title: null }, true],
  'a resource whose mimeType is null': ['resources', { ...RESOURCE, mimeType: null }, true],
  'a resource whose annotations are null': ['resources', { ...RESOURCE, annotations: null }, true],
  'a resource whose _meta is null': ['resources', { ...RESOURCE, _meta: null }, true],
  'a resource whose priority is 5': ['resources', annotated({ priority: 5 }), true],
  'a resource that was modified yesterday': ['resources', annotated({ lastModified: 'yesterday' }), true],
  'a resource whose icons are an object': ['resources', { ...RESOURCE, icons: { src: 'a' } }, true],
  'a resource without a name': ['resources', { uri: 'r://r' }, false],
  'a prompt with an argument that is required null': ['prompts', asking({ name: 'a', required: null }), true],
  'a template without a name': ['resourceTemplates', { uriTemplate: 't://{x}' }, false],
  'a template whose description is null': ['resourceTemplates', { ...TEMPLATE, description: null }, true],
  // Never reported, all made up.
  'a prompt that is null': ['prompts', null, false],
  'a prompt that is a list': ['prompts', [PROMPT], false],
  'a prompt with an argument that is null': ['prompts', asking(null), true],
  'a prompt with an argument whose name is null': ['prompts', asking({ name: null, title: 5 }), true],
  'a resource whose uri is null': ['resources', { ...RESOURCE, uri: null }, false],
  'a resource whose _meta is a list': ['resources', { ...RESOURCE, _meta: [] }, true],
  'a resource with an icon that is null': ['resources', { ...RESOURCE, icons: [null] }, true],
  'a resource with sizes as a text': [
    'resources',
    { ...RESOURCE, icons: [{ src: 's', sizes: '48x48' }] },
    true,
  ],
  'a resource with a day that does not exist': [
    'resources',
    annotated({ lastModified: '2025-02-29T00:00:00Z' }),
    true,
  ],
  'a resource for the system': ['resources', annotated({ audience: ['system'] }), true],
  'a template with a negative priority': [
    'resourceTemplates',
    { ...TEMPLATE, annotations: { priority: -0.1 } },
    true,
  ],
  'a template whose title is an object': ['resourceTemplates', { ...TEMPLATE, title: { en: 'T' } }, true],
};

/** All names that the official SDKs list, of all servers. */
async function listed(url: string): Promise<Readonly<Record<List, readonly string[]>>[]> {
  const older = new Client({ name: 'older', version: '1' });
  await older.connect(new StreamableHTTPClientTransport(new URL(url)));
  const newer = new NewerClient(
    { name: 'newer', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await newer.connect(new NewerTransport(new URL(url)));
  const all = [older, newer].map(async (client) => {
    const [{ prompts }, { resources }, { resourceTemplates }] = [
      await client.listPrompts(),
      await client.listResources(),
      await client.listResourceTemplates(),
    ];
    await client.close();
    const names = (entries: readonly { readonly name: string }[]): readonly string[] =>
      entries.map(({ name }) => name);
    return {
      prompts: names(prompts),
      resources: names(resources),
      resourceTemplates: names(resourceTemplates),
    };
  });
  return Promise.all(all);
}

describe('e2e: a server with odd entries', () => {
  let gateway: Gateway;
  let client: McpClient;
  let lists: Partial<Record<List, readonly unknown[]>>;
  let odd: EraFixture;
  let round = 0;

  const serverOf = async (entries: () => typeof lists): Promise<EraFixture> => {
    const capabilities = { tools: {}, prompts: {}, resources: {} };
    const server = await EraFixture.start({ speaks: [OLDER], capabilities });
    server.instead = (received, res) => {
      const list = (Object.keys(LISTS) as List[]).find((one) => LISTS[one] === received.method);
      if (list !== undefined) answer(received, res, { [list]: entries()[list] ?? [] });
      return list !== undefined;
    };
    return server;
  };
  const define = async (name: string, { url }: EraFixture): Promise<void> => {
    const definition = { type: 'streamable-http', url: `${url}?${round}`, revision: 'legacy' };
    gateway.directory.write(`mcpservers/${name}.yaml`, JSON.stringify(definition));
    await gateway.pipeline.reload();
  };
  /** The odd server lists the entry and a sound one from now on. @returns its metadata */
  const offer = async (list: List, entry: unknown): Promise<Json> => {
    round += 1;
    const name = `sound${round}`;
    const sound = {
      prompts: { name },
      resources: { uri: `s://${name}`, name },
      resourceTemplates: { uriTemplate: `s://${name}/{s}`, name },
    };
    lists = { [list]: [entry, sound[list]] };
    await define('odd', odd);
    await until(async () => JSON.stringify(await client.request(LISTS[list])).includes(name), { what: name });
    const record = textOf(await client.callTool('core_service_status', { name: 'odd' }));
    return (JSON.parse(record) as { metadata: Json }).metadata;
  };

  before(async () => {
    gateway = await bootGateway({
      builtIns: 'all',
      files: { 'config.yaml': 'aggregator: { port: 0 }\n', 'state/.keep': '', 'mcpservers/.keep': '' },
    });
    client = await McpClient.connect(listenerUrl(gateway));
    odd = await serverOf(() => lists);
    const good = {
      prompts: [{ name: 'good' }],
      resources: [{ uri: 'good://a', name: 'good' }],
      resourceTemplates: [{ uriTemplate: 'good://{x}', name: 'good' }],
    };
    await define('fine', await serverOf(() => good));
    await until(async () => JSON.stringify(await client.request('prompts/list')).includes('good'), {
      what: 'the good server',
    });
  });

  for (const [kind, [list, entry, isOffered]] of Object.entries(KINDS))
    it(`leaves the lists of others whole: ${kind}`, async () => {
      const metadata = await offer(list, entry);
      for (const names of await listed(`${listenerUrl(gateway)}/mcp`)) {
        for (const one of Object.keys(LISTS) as List[])
          expect(names[one].join()).match(/\bx_fine_good\b|\bgood\b/);
        expect(names[list].join()).include(`sound${round}`);
        const oddOnes = names[list].filter((name) => /^(r|t|x_odd_p)$/.test(name));
        expect(oddOnes).lengthOf(isOffered ? 1 : 0);
      }
      expect(metadata['malformedEntries']).lengthOf(1);
      expect(String(metadata['malformedEntries'])).match(isOffered ? /; dropped$/ : /; left out$/);
    });

  it('its results reach a client of the SDK mended, or as an error that names server and place', async () => {
    const called = async (result: Json): Promise<unknown> => {
      const { instead } = odd;
      odd.instead = (received, res) => {
        if (received.method !== 'tools/call') return instead(received, res);
        answer(received, res, result);
        return true;
      };
      const older = new Client({ name: 'older', version: '1' });
      await older.connect(new StreamableHTTPClientTransport(new URL(`${listenerUrl(gateway)}/mcp`)));
      const told = await older.callTool({ name: 'call_tool', arguments: { name: 'x_odd_echo' } });
      await older.close();
      odd.instead = instead;
      return told;
    };
    await offer('prompts', { ...PROMPT, title: null });
    const text = { type: 'text', text: 'a' };
    expect(await called({ content: ['a'], structuredContent: null, _meta: null })).deep.equal({
      content: [text],
    });
    const { isError, content } = (await called({
      content: [text, { type: 'image' }],
    })) as ClientResult;
    expect(isError).equal(true);
    expect(content[0]?.['text']).match(
      /^tool echo of server odd .*: result\.content\[1\]\.data is missing; it may have run/,
    );
  });
});
