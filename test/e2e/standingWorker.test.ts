import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

/** Its tool stops another process, and tells all something 10,500 times. */
const FLOOD = `
import { one } from 'pegboard';
import { setImmediate as turn } from 'node:timers/promises';
const apply = (scope) => {
  scope.addTool({
    name: 'flood',
    kind: 'meta',
    description: 'Tells much',
    inputSchema: { type: 'object', properties: { pid: { type: 'number' } } },
    invoke: async ({ pid }) => {
      if (process.env.PEGBOARD_WORKER) return { content: [{ type: 'text', text: 'not here' }] };
      process.kill(pid, 'SIGSTOP');
      for (let at = 0; at < 10_500; at += 1) {
        scope.get(one('worker-line')).tell({ topic: 'flood', at });
        if (at % 100 === 0) await turn();
      }
      return { content: [{ type: 'text', text: 'told' }] };
    },
  });
  scope.onStart(() => void scope.log.info('began', { pid: process.pid }));
};
export const plugin = { name: 'flood', api: 1, configSchema: {}, uses: [one('worker-line')], apply };
`;

describe('e2e: a worker that stands still', function () {
  this.timeout(60_000);

  it('is killed and started again before what waits for it fills the memory', async () => {
    const directory = makeDirectory({
      'flood.mjs': FLOOD,
      'config.yaml': JSON.stringify({ plugins: { flood: { module: './flood.mjs' } } }),
    });
    const pegboard = await servePegboard(directory.path, ['--workers', '2']);
    const began = await pegboard.logged('began');
    const { pid } = pegboard.lines.find(({ text, worker }) => text === 'began' && worker === 1) ?? began;
    const client = await McpClient.connect(pegboard.url, { headers: { connection: 'close' } });
    await until(async () => textOf(await client.callMeta('flood', { pid })) !== 'not here', {
      what: 'a call at the first process',
    });
    expect(await pegboard.logged('worker takes no messages in; it is killed')).include({ worker: 1 });
    await pegboard.logged('worker is ready');
  });
});
