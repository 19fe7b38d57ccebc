import {
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  createMcpHandler,
} from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { EraFixture, OLDER, respond } from '../plugins/upstream/eraFixture.ts';
import { defer } from '../support/cleanup.ts';
import { hostHandler } from '../support/hostHandler.ts';
import { post, stateless } from '../support/stateless.ts';
import { TalkingClient } from '../support/talkingClient.ts';

const uri = 'test://a';

/** URL of a server of the SDK, which gives a missing resource the code of 2026-07-28 in each revision. */
async function sdkServer(legacy: 'reject' | 'stateless'): Promise<string> {
  const make = (): McpServer => {
    const server = new McpServer({ name: 'shelf', version: '1' });
    const template = new ResourceTemplate('test://{name}', { list: undefined });
    server.registerResource('shelf', template, {}, ({ href }) => {
      throw new ResourceNotFoundError(href);
    });
    return server;
  };
  const server = await hostHandler(createMcpHandler(make, { legacy }));
  defer(() => server.close());
  return server.url;
}

async function olderServer(): Promise<string> {
  const server = await EraFixture.start({ speaks: [OLDER], capabilities: { resources: {} } });
  server.instead = ({ id, method }, res) =>
    method === 'resources/read' &&
    respond(res, 200, {
      jsonrpc: '2.0',
      id,
      error: { code: -32002, message: 'Resource not found', data: { uri } },
    });
  return server.url;
}

describe('e2e: a resource that a server does not have', () => {
  for (const [what, revision, start] of [
    ['2026-07-28', 'modern', () => sdkServer('reject')],
    ['2025-11-25', 'legacy', olderServer],
    ['2025-11-25 with the code of 2026-07-28', 'legacy', () => sdkServer('stateless')],
  ] as const)
    describe(`of ${what}`, () => {
      let gateway: TestGateway;
      before(async () => {
        const definition = { type: 'streamable-http', url: await start(), revision };
        gateway = await startGateway({ files: { 'mcpservers/shelf.yaml': JSON.stringify(definition) } });
        defer(() => gateway.stop());
        await eventually(() => gateway.log.find(({ text }) => text === 'server connected'), 'shelf');
      });

      it('is reported to a client of 2025-11-25 with the code of that revision, and its uri', async () => {
        const client = await TalkingClient.connect(gateway.url());
        const { error } = await client.request('resources/read', { uri }).answer();
        expect(error?.code, JSON.stringify(error)).equal(-32002);
        expect(error?.data).include({ uri });
      });

      it('is reported to a client of 2026-07-28 with the code of that revision, and its uri', async () => {
        const answer = await post(gateway.url(), stateless('resources/read', { uri }));
        const { error } = JSON.parse(answer.text) as { error?: { code: number; data?: object } };
        expect(error?.code, answer.text).equal(-32602);
        expect(error?.data).include({ uri });
      });
    });
});
