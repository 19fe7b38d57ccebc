import { expect } from 'chai';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { HttpFixture } from '../plugins/upstream/httpFixture.ts';
import { McpClient } from '../support/mcpClient.ts';

describe('e2e: a tool that its server has added without announcing it', () => {
  let server: HttpFixture;
  let gateway: TestGateway;
  let client: McpClient;
  beforeEach(async () => {
    server = new HttpFixture();
    await server.listen();
    gateway = await startGateway({
      files: {
        'config.yaml': '{}',
        'mcpservers/s.yaml': JSON.stringify({ type: 'streamable-http', url: server.url }),
      },
    });
    await eventually(() => gateway.log.some(({ text }) => text === 'server connected'), 'server');
    client = await McpClient.connect(gateway.url());
  });
  afterEach(async () => {
    await gateway.stop();
    await server.kill();
  });

  it('can be called, and described, because its server is asked once more', async () => {
    server.tools = [...server.tools, 'added'];
    expect((await client.callTool('x_s_added')).isError).equal(undefined);
    expect(server.count('tools/list')).equal(2);
  });

  it('is looked for once in 10 s, for any number of calls to unknown names of the server', async () => {
    const calls = Array.from({ length: 20 }, (_, at) => client.callTool(`x_s_none_${at % 3}`));
    for (const answer of await Promise.all(calls)) {
      expect(answer.isError).equal(true);
      expect(JSON.stringify(answer.content)).include('tool not found');
    }
    server.tools = [...server.tools, 'added'];
    expect(JSON.stringify(await client.callTool('x_s_added'))).include('tool not found: x_s_added');
    await client.callTool('x_other_added').catch(() => undefined);
    expect(server.count('tools/list')).equal(2);
  });
});
