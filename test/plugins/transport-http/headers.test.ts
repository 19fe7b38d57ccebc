import { expect } from 'chai';
import { callBody, initialize, MCP_HEADERS, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { openStream, send } from '../../support/rawHttp.ts';
import { post as postStateless, stateless, statelessCall } from '../../support/stateless.ts';

describe('transport-http: headers', () => {
  let edge: Edge;
  let handle: string;
  before(async () => {
    edge = await startEdge();
    handle = await initialize(edge.url);
  });

  const post = (headers: Record<string, string>, omit?: string) => {
    const all = Object.entries({ ...MCP_HEADERS, 'mcp-session-id': handle, ...headers });
    return send(`${edge.url}/mcp`, {
      method: 'POST',
      headers: Object.fromEntries(all.filter(([name]) => name !== omit)),
      body: JSON.stringify(callBody('echo')),
    });
  };

  for (const accept of [
    'text/event-stream',
    'text/html',
    'text/*',
    'application/jsonp',
    'application/json;q=0, */*',
    '*/*; q=0.0',
  ]) {
    it(`answers 406 to a POST with Accept: ${accept}`, async () => {
      const answer = await post({ accept });
      expect(answer.status).equal(406);
      expect(answer.json()).include({ jsonrpc: '2.0', id: null });
      expect(answer.json().error?.message).include('application/json, text/event-stream');
    });
  }

  for (const accept of [
    'text/event-stream, application/json',
    'application/json;q=0.9, text/event-stream;q=0.1',
    'Application/JSON,TEXT/Event-Stream',
    'text/html, application/json, text/event-stream, */*',
    'application/json',
    'application/*',
    'application/*, text/*',
    '*/*',
    'text/html, */*;q=0.1',
    '',
  ]) {
    it(`accepts a POST with Accept: ${accept}`, async () => {
      expect((await post({ accept })).status).equal(200);
    });
  }

  it('accepts a POST without Accept', async () => {
    expect((await post({}, 'accept')).status).equal(200);
  });

  for (const [accept, type] of [
    ['application/json', 'application/json'],
    ['application/*', 'application/json'],
    ['*/*', 'text/event-stream'],
    [undefined, 'text/event-stream'],
  ] as const)
    it(`answers a call that reports progress as ${type} to Accept: ${accept ?? 'none'}`, async () => {
      const body = JSON.stringify(callBody('progress', {}, { _meta: { progressToken: 1 } }));
      const own = { 'content-type': 'application/json', 'mcp-session-id': handle };
      const headers = { ...own, ...(accept !== undefined && { accept }) };
      const of2025 = await send(`${edge.url}/mcp`, { method: 'POST', headers, body });
      const call = statelessCall('progress', {}, { meta: { progressToken: 1 } });
      for (const answer of [of2025, await postStateless(edge.url, call, { accept })]) {
        expect(answer.headers['content-type']).equal(type);
        expect(JSON.stringify(answer.answer()?.result)).include('progressed');
      }
    });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'application/jsonp',
    '',
  ]) {
    it(`answers 415 to a POST with Content-Type: ${type === '' ? '(none)' : type}`, async () => {
      const answer = await post({ 'content-type': type }, type === '' ? 'content-type' : undefined);
      expect(answer.status).equal(415);
      expect(answer.json().error?.message).include('application/json');
    });
  }

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
  ]) {
    it(`accepts a POST with Content-Type: ${type}`, async () => {
      expect((await post({ 'content-type': type })).status).equal(200);
    });
  }

  it('answers 406 to a GET that does not accept an event stream', async () => {
    for (const accept of ['application/json', 'application/*', 'text/html']) {
      const answer = await send(`${edge.url}/mcp`, { headers: { accept, 'mcp-session-id': handle } });
      expect(answer.status).equal(406);
    }
  });

  it('accepts a GET of any type, or with no Accept', async () => {
    for (const accept of ['*/*', 'text/*', undefined]) {
      const headers = { 'mcp-session-id': handle, ...(accept !== undefined && { accept }) };
      const stream = await openStream(`${edge.url}/mcp`, { headers });
      expect(stream.status).equal(200);
      stream.close();
    }
  });

  it('answers 406 to subscriptions/listen that does not accept an event stream', async () => {
    const listen = stateless('subscriptions/listen', { notifications: {} });
    const refused = await postStateless(edge.url, listen, { accept: 'application/json' });
    expect(refused.status).equal(406);
    expect(refused.json().error?.message).include('application/json, text/event-stream');
    const { status } = await postStateless(edge.url, stateless('tools/list'), { accept: 'application/json' });
    expect(status).equal(200);
  });

  it('takes params that are null as none', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'ping', params: null };
    const options = { method: 'POST', headers: { ...MCP_HEADERS, 'mcp-session-id': handle } };
    const answer = await send(`${edge.url}/mcp`, { ...options, body: JSON.stringify(body) });
    expect(answer.json()).deep.equal({ jsonrpc: '2.0', id: 1, result: {} });
    const notice = { jsonrpc: '2.0', method: 'notifications/initialized', params: null };
    const taken = await send(`${edge.url}/mcp`, { ...options, body: JSON.stringify(notice) });
    expect(taken.status).equal(202);
  });

  for (const id of ['1', 'bogus', 'x'.repeat(10_000)]) {
    it(`answers 400 to a GET that would resume a stream after ${id.slice(0, 10)}`, async () => {
      const answer = await send(`${edge.url}/mcp`, {
        headers: { accept: 'text/event-stream', 'mcp-session-id': handle, 'last-event-id': id },
      });
      expect(answer.status).equal(400);
      expect(answer.json().error?.message).include('Last-Event-ID');
    });
  }

  it('checks the revision on GET and DELETE too', async () => {
    const headers = {
      accept: 'text/event-stream',
      'mcp-session-id': handle,
      'mcp-protocol-version': '1999-01-01',
    };
    for (const method of ['GET', 'DELETE'])
      expect((await send(`${edge.url}/mcp`, { method, headers })).status).equal(400);
    expect((await post({})).status).equal(200);
  });

  it('reflects no header into the answer', async () => {
    const marker = 'x-reflected-marker';
    const answers = await Promise.all([
      post({ 'mcp-session-id': marker }),
      post({ 'content-type': marker }),
      post({ accept: marker }),
    ]);
    for (const { text, headers } of answers) expect(text + JSON.stringify(headers)).not.include(marker);
  });
});
