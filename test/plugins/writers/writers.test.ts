import { expect } from 'chai';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';

const WRITING = ['core_workflow_create', 'core_workflow_update'];
const configOf = (ofAuthors: readonly string[]): string => `
access:
  - groups: [authors]
    toolset: ${JSON.stringify([...WRITING, ...ofAuthors].map((name) => `tool:${name}`))}
    operator: define
  - groups: [users]
    toolset: ['preset:full']
  - groups: [admins]
    toolset: ['preset:full']
    operator: define
plugins:
  test-identify: { module: ./identify.mjs }
`;
const ALLOWED = configOf(['core_service_list']);
const WORKFLOW = { name: 'w', steps: [{ id: 'a', tool: 'core_service_list', args: {} }] };

describe('plugins/writers', () => {
  let directory: Directory;
  let gateway: TestGateway;
  const start = async (): Promise<void> => {
    gateway = await startGateway({ directory: directory.path, builtIns: 'all' });
  };
  beforeEach(async () => {
    directory = makeDirectory({ 'config.yaml': ALLOWED, 'identify.mjs': moduleOf(identify) });
    await start();
  });
  afterEach(() => gateway.stop());

  const as = async (subject: string, group: string) => {
    const headers = { 'x-caller': `https://idp.example ${subject} ${group}` };
    const client = await McpClient.connect(gateway.url(), { headers });
    return async (name: string, args: object = {}): Promise<string> =>
      textOf(await client.callMeta('call_tool', { name, arguments: args }));
  };
  const written = async (workflow: object = WORKFLOW): Promise<void> => {
    const ann = await as('ann', 'authors');
    expect(await ann('core_workflow_create', workflow)).contain('created successfully');
    expect(await run()).contain('"status":"completed"');
  };
  const run = async (): Promise<string> => (await as('bob', 'users'))('workflow_w');

  it('refuse a step whose tool its writer may not call any more, by the configuration', async () => {
    await written();
    directory.replace('config.yaml', configOf([]));
    await gateway.control.reload();
    expect(await run())
      .contain('workflow_w may not call core_service_list for its writer ann: ')
      .and.contain('outside the toolset')
      .and.contain(
        'takes the workflow over by changing it, or by removing the annotation pegboard.dev/registered-by',
      );
    directory.replace('config.yaml', ALLOWED);
    await gateway.control.reload();
    expect(await run()).contain('"status":"completed"');
  });

  it('refuse it as soon as its writer is seen without the group, and no longer when with it', async () => {
    await written();
    await as('ann', 'guests');
    expect(await run()).contain('for its writer ann: no entry of access');
    await as('ann', 'authors');
    expect(await run()).contain('"status":"completed"');
  });

  it('judge conditions too', async () => {
    const condition = { tool: 'core_service_list', args: {}, expect: { success: true } };
    const steps = [{ id: 'a', tool: 'core_workflow_update', condition, args: { name: 'nothing' } }];
    const ann = await as('ann', 'authors');
    await ann('core_workflow_create', { name: 'w', steps });
    directory.replace('config.yaml', configOf([]));
    await gateway.control.reload();
    expect(await run()).contain('may not call core_service_list for its writer ann');
  });

  it('remember people over a restart, and refuse for those of whom nothing is known', async () => {
    await written();
    await gateway.stop();
    await start();
    expect(await run()).contain('"status":"completed"');
    await gateway.stop();
    await rm(join(directory.path, 'state'), { recursive: true });
    await start();
    expect(await run()).contain('is not known before their next request');
    await as('ann', 'authors');
    expect(await run()).contain('"status":"completed"');
  });

  it('leave a workflow alone that an operator has taken over or written in a file', async () => {
    await written();
    const admin = await as('root', 'admins');
    await admin('core_workflow_update', { name: 'w', description: 'mine' });
    directory.replace('workflows/own.yaml', JSON.stringify({ steps: WORKFLOW.steps }));
    directory.replace('config.yaml', configOf([]));
    await gateway.control.reload();
    expect(await run()).contain('"status":"completed"');
    expect(await (await as('bob', 'users'))('workflow_own')).contain('"status":"completed"');
  });

  it('do not judge whether a server is there', async () => {
    directory.replace('config.yaml', configOf(['x_gone_tool']));
    await gateway.control.reload();
    const steps = [{ id: 'a', tool: 'x_gone_tool', args: {}, allow_failure: true }];
    await (
      await as('ann', 'authors')
    )('core_workflow_create', { name: 'w', steps });
    expect(await run()).not.contain('may not call');
  });
});
