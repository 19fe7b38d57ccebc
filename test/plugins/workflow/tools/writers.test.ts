import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startGateway } from '../../../contract/index.ts';
import type { TestGateway } from '../../../contract/index.ts';
import { definePlugin } from '../../../../kernel/index.ts';
import { ResourceStore } from '../../../../plugins/contracts/definitions.ts';
import type { StoredDefinition } from '../../../../plugins/contracts/definitions.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { identify } from '../../../support/identify.ts';
import { McpClient, textOf } from '../../../support/mcpClient.ts';

const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'toolsets', 'access', 'operators'],
  ...['core-config', 'core-mcpservers', 'core-services', 'workflow', 'upstream', 'deny'],
];
const CONFIG = `
access:
  - groups: [authors]
    toolset: ['tool:core_workflow_create', 'tool:core_workflow_update', 'tool:core_workflow_validate', 'tool:core_service_list', 'workflow:w']
    operator: define
  - groups: [admins]
    toolset: ['preset:full']
    operator: define
  - groups: [sales]
    toolset: ['preset:full']
plugins:
  test-identify: { module: ./identify.mjs }
`;

/** Definitions in memory, whose writers the store judges: everybody may write. */
const judging = definePlugin({
  name: 'test-store',
  api: 1,
  configSchema: { type: 'object' },
  provides: [ResourceStore],
  apply(scope) {
    const stored = new Map<string, StoredDefinition>();
    const put = (kind: string, one: StoredDefinition): Promise<void> => {
      stored.set(`${kind}/${one.name}`, one);
      return Promise.resolve();
    };
    scope.provide(ResourceStore, {
      mode: 'test',
      judgesWriters: true,
      list: () => Promise.resolve([...stored.values()]),
      get: (kind, name) => Promise.resolve(stored.get(`${kind}/${name}`)),
      create: put,
      replace: put,
      delete: () => Promise.resolve(),
    });
    scope.tap('onConfigLoad', (draft) => {
      const resources = [...stored].map(([key, one]) => ({
        ...one,
        kind: key.slice(0, key.indexOf('/')),
        origin: { locate: () => ({}) },
      }));
      return { ...draft, resources: [...draft.resources, ...resources] };
    });
  },
});

describe('plugins/workflow: writers', () => {
  let gateway: TestGateway;
  const start = async (builtIns: readonly string[], plugins = ''): Promise<void> => {
    const files = {
      'config.yaml': CONFIG + plugins,
      'identify.mjs': moduleOf(identify),
      'store.mjs': moduleOf(judging),
    };
    gateway = await startGateway({ files, builtIns });
  };
  afterEach(() => gateway.stop());
  const as = async (group: string) => {
    const headers = { 'x-caller': `https://idp.example ${group} ${group}` };
    const client = await McpClient.connect(gateway.url(), { headers });
    return async (name: string, args: object = {}): Promise<string> =>
      textOf(await client.callMeta('call_tool', { name, arguments: args }));
  };
  const using = (tool: string, args: object = {}): object => ({
    name: 'w',
    steps: [{ id: 'a', tool, args, store: true }],
  });

  it('get no more by a workflow than they have', async () => {
    await start([...BUILT_INS, 'store-file']);
    const author = await as('authors');
    const file = join(gateway.directory, 'stolen');
    const evil = { name: 'evil', type: 'stdio', command: ['touch', file], autoStart: true };
    expect(await author('core_mcpserver_create', evil)).contain('tool not found');
    const written = using('core_mcpserver_create', evil);
    for (const tool of ['core_workflow_create', 'core_workflow_validate'])
      expect(await author(tool, written))
        .contain('step a may not call what its writer may not call')
        .and.contain('tool core_mcpserver_create is outside the toolset');
    const condition = { tool: 'core_mcpserver_create', args: evil };
    const steps = [{ id: 'a', tool: 'core_service_list', condition }];
    expect(await author('core_workflow_create', { name: 'w', steps })).contain('may not call');
    expect(await author('core_workflow_create', using('x_later_tool'))).contain('may not call');
    expect(existsSync(file)).equal(false);

    expect(await author('core_workflow_create', using('core_service_list'))).contain('created successfully');
    expect(await author('workflow_w')).contain('"status":"completed"');
    const updated = await author('core_workflow_update', written);
    expect(updated).contain('failed to update workflow: step a may not call');
  });

  it('that may call all tools may name one that is not there yet', async () => {
    await start([...BUILT_INS, 'store-file']);
    const admin = await as('admins');
    expect(await admin('core_workflow_create', using('x_later_tool'))).contain('created successfully');
  });

  it('who may only use core tools, where the store judges who writes, cannot write operators’ steps', async () => {
    await start(BUILT_INS, '  test-store: { module: ./store.mjs }\n');
    const anyone = await as('sales');
    const text = await anyone('core_workflow_create', using('core_config_get'));
    expect(text).contain('may not call').and.contain('are for operators');
    const names = await anyone('core_workflow_create', using('core_workflow_list'));
    expect(names).contain('created successfully');
  });

  it('are remembered with what they have written, until another writes it', async () => {
    await start([...BUILT_INS, 'store-file']);
    const [author, admin] = [await as('authors'), await as('admins')];
    await author('core_workflow_create', using('core_service_list'));
    expect(await admin('core_workflow_get', { name: 'w' })).contain(
      '"registeredBy":{"issuer":"https://idp.example","subject":"authors"}',
    );
    await admin('core_workflow_update', { name: 'w', description: 'anew' });
    expect(await admin('core_workflow_get', { name: 'w' })).contain('"subject":"admins"');
    const server = { name: 's', type: 'stdio', command: ['true'] };
    await admin('core_mcpserver_create', server);
    expect(await admin('core_mcpserver_get', { name: 's' })).contain('"registeredBy":{"issuer"');
  });
});
