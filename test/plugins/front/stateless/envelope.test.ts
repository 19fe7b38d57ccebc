import { expect } from 'chai';
import { Agent, request } from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { callBody, initialize, MCP_HEADERS, startEdge } from '../../../support/edge.ts';
import type { RpcMessage } from '../../../support/mcpClient.ts';
import { send } from '../../../support/rawHttp.ts';
import type { Edge } from '../../../support/edge.ts';
import { post, stateless, STATELESS, statelessCall } from '../../../support/stateless.ts';
import type { StatelessRequest } from '../../../support/stateless.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/** The request with other `_meta`. */
function withMeta({ body, headers }: StatelessRequest, _meta: object): StatelessRequest {
  return { headers, body: { ...body, params: { ...body.params, _meta } } };
}

function onOneSocket(
  agent: Agent,
  url: string,
  headers: OutgoingHttpHeaders,
  body: unknown,
): Promise<RpcMessage> {
  return new Promise((resolve, reject) => {
    const req = request(`${url}/mcp`, { method: 'POST', agent, headers }, (res) => {
      text(res).then((json) => resolve(JSON.parse(json) as RpcMessage), reject);
    });
    req.once('error', reject);
    req.end(JSON.stringify(body));
  });
}

describe('front, revision 2026-07-28: the envelope of a request', () => {
  let edge: Edge;
  before(async () => {
    edge = await startEdge();
  });

  it('is refused with -32602 and 400 when a required part is missing', async () => {
    const call = statelessCall('echo');
    for (const meta of [
      {},
      { [CAPABILITIES]: {} },
      { [VERSION]: STATELESS },
      { [VERSION]: STATELESS, [CAPABILITIES]: [] },
      { [VERSION]: 5, [CAPABILITIES]: {} },
      { [VERSION]: STATELESS, [CAPABILITIES]: {}, 'io.modelcontextprotocol/logLevel': 'loud' },
    ]) {
      const answer = await post(edge.url, withMeta(call, meta));
      expect(answer.status, JSON.stringify(meta)).equal(400);
      expect(answer.json()).include({ id: 1 });
      expect(answer.json().error).include({ code: -32602 });
      expect(answer.json().error?.message).include('io.modelcontextprotocol/');
    }
  });

  it('with another revision is answered with the supported revisions', async () => {
    const call = withMeta(statelessCall('echo'), { [VERSION]: '2099-01-01', [CAPABILITIES]: {} });
    const answer = await post(edge.url, call, { 'mcp-protocol-version': '2099-01-01' });
    expect(answer.status).equal(400);
    expect(answer.json().error).deep.equal({
      code: -32022,
      message: 'Unsupported protocol version',
      data: { supported: [STATELESS], requested: '2099-01-01' },
    });
  });

  for (const [header, values] of Object.entries({
    'mcp-protocol-version': [undefined, '2025-11-25'],
    'mcp-method': [undefined, 'tools/list', 'TOOLS/CALL'],
    'mcp-name': [undefined, 'slow', '=?base64?c2xvdw==?=', '=?base64?ZW!Nobw==?=', '=?base64?ZWNobw?='],
  })) {
    it(`is refused with -32020 and 400 when the header ${header} is missing or differs from the body`, async () => {
      for (const value of values) {
        const answer = await post(edge.url, statelessCall('echo'), { [header]: value });
        expect(answer.status, value).equal(400);
        expect(answer.json()).include({ id: 1 });
        expect(answer.json().error).include({ code: -32020 });
        expect(answer.json().error?.message.toLowerCase()).include(header);
      }
    });
  }

  it('may name a tool in base64, and carry a session id of an older revision', async () => {
    const encoded = `=?base64?${Buffer.from('echo').toString('base64')}?=`;
    const answer = await post(edge.url, statelessCall('echo'), {
      'mcp-name': encoded,
      'mcp-session-id': 'gone',
      'last-event-id': 'gone_1',
    });
    expect(answer.status).equal(200);
    expect(answer.headers).not.property('mcp-session-id');
    expect(answer.json().result).property('content');
  });

  it('needs no Mcp-Name when its method names no object', async () => {
    const answer = await post(edge.url, stateless('tools/list', { '': 'x', name: 'y' }), {
      'mcp-name': undefined,
    });
    expect(answer.status, answer.text).equal(200);
  });

  it('is accepted by POST only: GET and DELETE are answered 405', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { accept: 'text/event-stream', 'mcp-protocol-version': STATELESS };
      const answer = await send(`${edge.url}/mcp`, { method, headers });
      expect(answer.status, method).equal(405);
      expect(answer.headers, method).include({ allow: 'POST' });
      expect(answer.json().error?.message).include('subscriptions/listen');
    }
  });

  it('is served on its own, also between requests of a session on one connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const handle = await initialize(edge.url);
    const older = { body: callBody('echo', { a: 1 }), headers: { ...MCP_HEADERS, 'mcp-session-id': handle } };
    const newer = statelessCall('echo', { a: 1 });
    const answers = await Promise.all(
      [older, newer, older, newer].map(({ body, headers }) => onOneSocket(agent, edge.url, headers, body)),
    );
    agent.destroy();
    expect(answers.map(({ result }) => result?.['resultType'])).deep.equal([
      undefined,
      'complete',
      undefined,
      'complete',
    ]);
  });

  it('is refused around a batch or an answer; a notification is accepted', async () => {
    const { body, headers } = statelessCall('echo');
    const batch = { headers, body: [body] as unknown as StatelessRequest['body'] };
    expect((await post(edge.url, batch)).status).equal(400);
    const answer = { ...body, method: undefined, result: {} };
    expect((await post(edge.url, { headers, body: answer })).json().error).include({ code: -32600 });
    const notice = await post(edge.url, { headers, body: { ...body, id: undefined } });
    expect([notice.status, notice.text]).deep.equal([202, '']);
  });

  it('is answered 404 and -32601 when its method is unknown or was removed in this revision', async () => {
    for (const method of ['nope', 'ping', 'initialize', 'logging/setLevel', 'resources/subscribe']) {
      const answer = await post(edge.url, stateless(method, {}, { id: 'm' }));
      expect(answer.status, method).equal(404);
      expect(answer.json()).include({ id: 'm' });
      expect(answer.json().error).include({ code: -32601 });
    }
  });

  it('allows the older revision when this one is switched off: server/discover is answered 400, initialize works', async () => {
    const off = await startEdge({ plugins: { front: { config: { stateless: false } } } });
    const discover = stateless('server/discover');
    for (const version of [STATELESS, '2025-11-25', undefined]) {
      const answer = await post(off.url, discover, { 'mcp-protocol-version': version });
      expect(answer.status, version).equal(400);
      expect(answer.json().error).include({ code: -32000 });
    }
    await off.configure({ plugins: { front: { config: { stateless: true } } } });
    expect((await post(off.url, discover)).status).equal(200);
  });
});
