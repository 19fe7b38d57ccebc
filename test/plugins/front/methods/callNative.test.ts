import { expect } from 'chai';
import { STAGE, definePlugin, textResult } from '../../../../kernel/index.ts';
import { McpResourceSource } from '../../../../plugins/contracts/mcp.ts';
import { startEdge } from '../../../support/edge.ts';
import { McpClient } from '../../../support/mcpClient.ts';

/** Reads any uri, except that its guard refuses `a://shut`. */
const shelf = definePlugin({
  name: 'test-shelf',
  api: 1,
  configSchema: { type: 'object' },
  provides: [McpResourceSource],
  apply: (scope) => {
    scope.provide(McpResourceSource, {
      resources: () => [],
      templates: () => [],
      read: (uri) => Promise.resolve(`{"contents":[{"uri":${JSON.stringify(uri)}, "n":1.0}]}`),
    });
    scope.tap(
      'onCall',
      ({ tool, args }) =>
        tool.name === 'resources/read' && args['uri'] === 'a://shut'
          ? textResult('the shelf is shut', true)
          : undefined,
      STAGE.admit,
    );
  },
});

describe('front: resources and prompts read by clients', () => {
  it('pass the guards of calls, and are answered as their source gave them', async () => {
    const { url } = await startEdge({ plugin: shelf });
    const client = await McpClient.connect(url);
    const read = { jsonrpc: '2.0', id: 9, method: 'resources/read', params: { uri: 'a://open' } };
    expect((await client.post(read)).text).include('{"contents":[{"uri":"a://open", "n":1.0}]}');
    const refused = await client
      .request('resources/read', { uri: 'a://shut' })
      .catch((error: unknown) => error);
    expect(refused).instanceOf(Error).property('message').equal('the shelf is shut');
  });
});
