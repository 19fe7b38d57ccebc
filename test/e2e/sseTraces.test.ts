/* eslint-disable @typescript-eslint/no-deprecated -- HTTP+SSE itself is deprecated */
import { expect } from 'chai';
import { createServer } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { listenLocally } from '../conformance/listen.ts';
import { eventually, startGateway } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { relayServer } from '../support/relayServer.ts';

const traceOf = (digit: string): string => `00-${digit.repeat(32)}-${'b'.repeat(16)}-01`;

/** @returns the url of a server of HTTP+SSE */
async function hostOverSse(): Promise<string> {
  const open = new Map<string, SSEServerTransport>();
  const server = createServer((req, res) => {
    const session = new URL(req.url ?? '', 'http://localhost').searchParams.get('sessionId');
    const known = open.get(session ?? '');
    if (known !== undefined) void known.handlePostMessage(req, res);
    else {
      const transport = new SSEServerTransport('/message', res);
      open.set(transport.sessionId, transport);
      void relayServer().connect(transport);
    }
  });
  const listening = await listenLocally(server);
  defer(async () => {
    await Promise.all([...open.values()].map((transport) => transport.close()));
    await listening.close();
  });
  return `${listening.url}/sse`;
}

describe('e2e: traces over HTTP+SSE', () => {
  it('come from the headers of a message unless _meta has one, and reach a server in headers', async () => {
    const relay = { type: 'sse', url: await hostOverSse() };
    const gateway = await startGateway({
      files: { 'config.yaml': '{}', 'mcpservers/relay.yaml': JSON.stringify(relay) },
    });
    defer(() => gateway.stop());
    const connected = (): boolean => gateway.log.some(({ text }) => text === 'server connected');
    await eventually(connected, 'the server', 10_000);
    const client = new Client({ name: 'application', version: '1' });
    const requestInit = { headers: { traceparent: traceOf('a') } };
    await client.connect(new SSEClientTransport(new URL(`${gateway.url()}/sse`), { requestInit }));
    defer(() => client.close());
    const received = async (_meta: Readonly<Record<string, unknown>>): Promise<string> => {
      const params = { name: 'call_tool', arguments: { name: 'x_relay_headers', arguments: {} }, _meta };
      return JSON.stringify(await client.callTool(params));
    };
    expect(await received({})).include(traceOf('a'));
    expect(await received({ traceparent: traceOf('c') }))
      .include(traceOf('c'))
      .and.not.include(traceOf('a'));
  });
});
