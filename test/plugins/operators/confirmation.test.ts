import {
  Client as NewerClient,
  StreamableHTTPClientTransport as NewerTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { defer } from '../../support/cleanup.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';

type Action = 'accept' | 'decline' | 'cancel';
interface Asker {
  readonly asked: string[];
  call(name: string, args: object): Promise<string>;
}
const EVIL = { name: 'evil', type: 'stdio', command: ['bash', '-c', 'id > /tmp/pwned'], autoStart: false };
const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'toolsets', 'operators', 'store-file'],
  ...[
    'core-config',
    'core-events',
    'core-mcpservers',
    'core-services',
    'workflow',
    'upstream',
    'settings-file',
  ],
];

/** A client of an official SDK whose person does `action`. */
const CLIENTS: Readonly<Record<string, (url: string, action: Action) => Promise<Asker>>> = {
  '2025-11-25': async (url, action) => {
    const asked: string[] = [];
    const client = new OlderClient({ name: 'agent', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action, content: {} };
    });
    await client.connect(new OlderTransport(new URL(`${url}/mcp`)));
    defer(() => client.close());
    return { asked, call: async (name, args) => told(await client.callTool(callOf(name, args))) };
  },
  '2026-07-28': async (url, action) => {
    const asked: string[] = [];
    const client = new NewerClient(
      { name: 'agent', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action, content: {} };
    });
    await client.connect(new NewerTransport(new URL(`${url}/mcp`)));
    defer(() => client.close());
    return { asked, call: async (name, args) => told(await client.callTool(callOf(name, args))) };
  },
};
const callOf = (name: string, args: object) => ({
  name: 'call_tool',
  arguments: { name, arguments: { ...args } },
});
function told(result: object): string {
  const { content } = result as { readonly content: readonly { readonly text: string }[] };
  return content.map(({ text }) => text).join('\n');
}

describe('operators: an agent that changes the gateway', () => {
  const start = async (config = '', files: Record<string, string> = {}): Promise<TestGateway> => {
    const gateway = await startGateway({ files: { 'config.yaml': config, ...files }, builtIns: BUILT_INS });
    defer(() => gateway.stop());
    return gateway;
  };
  const exists = (gateway: TestGateway, name: string): boolean =>
    existsSync(join(gateway.directory, `mcpservers/${name}.yaml`));

  for (const [revision, connect] of Object.entries(CLIENTS))
    describe(`with a client of ${revision} that can ask`, () => {
      it('does so once the person has agreed, who has seen the exact command', async () => {
        const gateway = await start();
        const agent = await connect(gateway.url(), 'accept');
        expect(await agent.call('core_mcpserver_create', EVIL)).contain('"evil"');
        expect(agent.asked).have.length(1);
        expect(agent.asked[0]).contain('core_mcpserver_create').and.contain('"id > /tmp/pwned"');
        expect(exists(gateway, 'evil')).equal(true);
      });

      for (const action of ['decline', 'cancel'] as const)
        it(`changes nothing if the person answers ${action}`, async () => {
          const gateway = await start();
          const agent = await connect(gateway.url(), action);
          expect(await agent.call('core_mcpserver_create', EVIL)).contain(
            'has not agreed to core_mcpserver_create',
          );
          expect(exists(gateway, 'evil')).equal(false);
        });

      it('needs no question to look and to operate', async () => {
        const agent = await connect((await start()).url(), 'decline');
        await agent.call('core_mcpserver_list', {});
        await agent.call('core_config_get', {});
        await agent.call('core_service_restart', { name: 'none' });
        expect(agent.asked).deep.equal([]);
      });

      it('is asked about what a step of a workflow does', async () => {
        const step = { id: 'make', tool: 'core_mcpserver_create', args: EVIL };
        const files = { 'workflows/w.yaml': JSON.stringify({ name: 'w', steps: [step] }) };
        const gateway = await start('', files);
        const agent = await connect(gateway.url(), 'decline');
        expect(await agent.call('workflow_w', {})).contain('has not agreed');
        expect(exists(gateway, 'evil')).equal(false);
      });
    });

  it('does not confirm what cannot be seen', async () => {
    const gateway = await start();
    const agent = await CLIENTS['2025-11-25']!(gateway.url(), 'accept');
    const reordered = { ...EVIL, args: ['\u202emoc.live'] };
    expect(await agent.call('core_mcpserver_create', reordered)).contain('invisible characters');
    expect(agent.asked).deep.equal([]);
  });

  it('does not confirm what is too long to be read', async () => {
    const gateway = await start();
    const agent = await CLIENTS['2025-11-25']!(gateway.url(), 'accept');
    const long = { ...EVIL, args: ['x'.repeat(5_000)] };
    expect(await agent.call('core_mcpserver_create', long)).contain('too long to be confirmed');
    expect(agent.asked).deep.equal([]);
    expect(exists(gateway, 'evil')).equal(false);
  });

  it('is served if its client cannot ask, with a warning and an event', async () => {
    const gateway = await start();
    const client = await McpClient.connect(gateway.url());
    await client.callTool('core_mcpserver_create', EVIL);
    expect(exists(gateway, 'evil')).equal(true);
    expect(gateway.log.map(({ text }) => text)).include(
      'an agent changes the gateway, and its client cannot ask first',
    );
    expect(textOf(await client.callTool('core_events', { reason: 'ChangedUnasked' }))).contain('"evil"');
  });

  it('is refused then with ask, with the other ways', async () => {
    const gateway = await start('operators: { local: ask }');
    const client = await McpClient.connect(gateway.url());
    expect(textOf(await client.callTool('core_mcpserver_create', EVIL))).contain('pegboard add');
    expect(exists(gateway, 'evil')).equal(false);
  });

  it('is never asked with define', async () => {
    const gateway = await start('operators: { local: define }');
    const agent = await CLIENTS['2026-07-28']!(gateway.url(), 'decline');
    await agent.call('core_mcpserver_create', EVIL);
    expect(agent.asked).deep.equal([]);
    expect(exists(gateway, 'evil')).equal(true);
  });

  it('is not the command line, which the person has typed', async () => {
    const gateway = await start('operators: { local: ask }');
    const client = await McpClient.connect(gateway.url(), { headers: { 'x-pegboard-client': 'cli' } });
    await client.callTool('core_mcpserver_create', EVIL);
    expect(exists(gateway, 'evil')).equal(true);
  });
});
