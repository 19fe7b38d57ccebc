import { HttpListener } from '../../plugins/contracts/http.ts';
import type { JsonObject } from '../../kernel/index.ts';
import { transportContract } from '../contract/index.ts';
import type { TestGateway, TransportClient } from '../contract/index.ts';
import { messagesIn } from '../contract/mcpClient.ts';

describe('plugin transport-http', () => {
  transportContract(() => ({
    name: 'transport-http',
    plugins: { http: true, 'transport-http': true },
    connect: (gateway) => Promise.resolve(connect(gateway)),
  }));
});

function connect(gateway: TestGateway): TransportClient {
  const received: JsonObject[] = [];
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  return {
    received,
    send: async (body) => {
      const url = `${gateway.get(HttpListener).url() ?? ''}/mcp`;
      const answer = await fetch(url, { method: 'POST', headers, body });
      const opened = answer.headers.get('mcp-session-id');
      if (opened !== null) headers['mcp-session-id'] = opened;
      received.push(...(await messagesIn(answer)));
    },
    close: () => Promise.resolve(),
  };
}
