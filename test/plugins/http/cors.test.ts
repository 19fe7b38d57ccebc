import { expect } from 'chai';
import { callBody, initialize, initializeBody, MCP_HEADERS, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { send } from '../../support/rawHttp.ts';
import type { RawAnswer } from '../../support/rawHttp.ts';

const ORIGIN = 'https://app.example.com';
const WANTED = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'content-type,mcp-protocol-version',
};

describe('http: web pages of other origins', () => {
  let edge: Edge;
  beforeEach(async () => {
    edge = await startEdge({ plugins: { http: { config: { allowedOrigins: [ORIGIN] } } } });
  });

  const preflight = (origin: string, path = '/mcp'): Promise<RawAnswer> =>
    send(`${edge.url}${path}`, { method: 'OPTIONS', headers: { origin, ...WANTED } });
  const corsOf = ({ headers }: RawAnswer): readonly string[] =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'vary');

  it('learn by preflight what they may send when their origin is allowed', async () => {
    for (const path of ['/mcp', '/mcp/t/read-only', '/sse', '/message']) {
      const answer = await preflight(ORIGIN, path);
      expect(answer.status, path).equal(204);
      expect(answer.headers).include({
        'access-control-allow-origin': ORIGIN,
        'access-control-max-age': '7200',
        vary: 'Origin',
      });
      const { 'access-control-allow-methods': methods, 'access-control-allow-headers': headers } =
        answer.headers;
      expect(String(methods).split(', ')).include.members(['GET', 'POST', 'DELETE']);
      expect(String(headers).split(', ')).include.members([
        'authorization',
        'content-type',
        'last-event-id',
        'mcp-protocol-version',
        'mcp-session-id',
        'x-service-toolset',
      ]);
    }
  });

  it('read the session id and the answers of a session, refusals and streams included', async () => {
    const headers = { ...MCP_HEADERS, origin: ORIGIN };
    const opened = await send(`${edge.url}/mcp`, { method: 'POST', headers, body: initializeBody() });
    const handle = String(opened.headers['mcp-session-id']);
    const called = await send(`${edge.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': handle },
      body: JSON.stringify(callBody('echo')),
    });
    const refused = await send(`${edge.url}/mcp`, { method: 'POST', headers, body: 'no json' });
    const missing = await send(`${edge.url}/nowhere`, { headers });
    expect([opened.status, called.status, refused.status, missing.status]).deep.equal([200, 200, 400, 404]);
    for (const answer of [opened, called, refused, missing])
      expect(answer.headers).include({
        'access-control-allow-origin': ORIGIN,
        'access-control-expose-headers': 'mcp-session-id, www-authenticate, dpop-nonce',
        vary: 'Origin',
      });
  });

  it('are refused when their origin is another one, or of this machine and not listed', async () => {
    for (const [origin, status] of [
      ['https://evil.com', 403],
      ['https://app.example.com.evil.com', 403],
      ['http://localhost:3000', 403],
    ] as const) {
      const answer = await preflight(origin);
      expect(answer.status, origin).equal(status);
      expect(corsOf(answer), origin).deep.equal([]);
    }
    const headers = { ...MCP_HEADERS, origin: edge.url };
    const served = await send(`${edge.url}/mcp`, { method: 'POST', headers, body: initializeBody() });
    expect(served.status).equal(200);
    expect(corsOf(served)).deep.equal([]);
  });

  it('of this machine are served like others once they are listed, live', async () => {
    const origin = 'http://localhost:6274';
    expect((await preflight(origin)).status).equal(403);
    await edge.configure({ plugins: { http: { config: { allowedOrigins: [origin] } } } });
    expect((await preflight(origin)).headers['access-control-allow-origin']).equal(origin);
    expect((await preflight(ORIGIN)).status).equal(403);
  });

  it('change nothing for clients that are not web pages', async () => {
    const handle = await initialize(edge.url);
    const headers = { ...MCP_HEADERS, 'mcp-session-id': handle };
    const body = JSON.stringify(callBody('echo'));
    const answer = await send(`${edge.url}/mcp`, { method: 'POST', headers, body });
    expect(corsOf(answer)).deep.equal([]);
  });
});
