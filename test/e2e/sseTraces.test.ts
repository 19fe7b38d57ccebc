/* eslint-disable @typescript-eslint/no-deprecated -- HTTP+SSE itself is deprecated */
import { expect } from 'chai';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { eventually, startGateway } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { hostOverSse } from '../support/hostOverSse.ts';
import { relayServer } from '../support/relayServer.ts';

const traceOf = (digit: string): string => `00-${digit.repeat(32)}-${'b'.repeat(16)}-01`;

describe('e2e: traces over HTTP+SSE', () => {
  it('come from the headers of a message unless _meta has one, and reach a server in headers', async () => {
    const relay = { type: 'sse', url: await hostOverSse(relayServer) };
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
