import { expect } from 'chai';
import { definePlugin, GatewayError } from '../../../kernel/index.ts';
import { Route } from '../../../plugins/contracts/http.ts';
import type { Plugin } from '../../../kernel/index.ts';
import { initialize, postMcp, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { openSocket, send } from '../../support/rawHttp.ts';

describe('http: paths, methods and refusals', () => {
  let edge: Edge;
  beforeEach(async () => {
    edge = await startEdge();
  });

  it('answers GET /health with 200 and status ok, without any other header', async () => {
    const answer = await send(`${edge.url}/health`);
    expect(answer.status).equal(200);
    expect(JSON.parse(answer.text)).deep.equal({ status: 'ok' });
  });

  it('answers HEAD /health as GET, without a body', async () => {
    const [head, get] = [
      await send(`${edge.url}/health`, { method: 'HEAD' }),
      await send(`${edge.url}/health`),
    ];
    expect(head).include({ status: 200, text: '' });
    const { date, ...headers } = get.headers;
    expect(date).not.equal(undefined);
    expect(head.headers).include(headers);
  });

  it('names the available paths for an unknown one', async () => {
    const answer = await send(`${edge.url}/mpc`, { method: 'POST', body: '{}' });
    expect(answer.status).equal(404);
    expect(answer.json().error).include({ code: 'REQUEST_NOT_FOUND' });
    expect(answer.json().error?.message).include('/mcp').and.include('/health');
  });

  it('shows a person in a browser a page instead, which names no path', async () => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const [path, status] of [
      ['/', 200],
      ['/nothing', 404],
    ] as const) {
      const answer = await send(`${edge.url}${path}`, { headers });
      expect(answer.status).equal(status);
      expect(answer.text).include('<h1>').and.include('/mcp').and.not.include('/health');
      expect(answer.headers['content-security-policy']).include("default-src 'none'");
      expect((await send(`${edge.url}${path}`)).json().error).include({ code: 'REQUEST_NOT_FOUND' });
    }
    expect((await send(`${edge.url}/mcp`, { headers, method: 'PUT' })).status).equal(405);
  });

  for (const method of ['PUT', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND']) {
    it(`answers ${method} /mcp with 405 and Allow`, async () => {
      const handle = await initialize(edge.url);
      const headers = { 'mcp-session-id': handle, accept: 'text/event-stream' };
      const answer = await send(`${edge.url}/mcp`, { method, headers });
      expect(answer.status).equal(405);
      expect(answer.headers.allow).equal('POST, GET, DELETE');
      if (method !== 'HEAD') expect(answer.json().error?.message).include('POST, GET, DELETE');
    });
  }

  it('allows no web page access by CORS', async () => {
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
    const preflight = await send(`${edge.url}/mcp`, { method: 'OPTIONS', headers });
    expect(preflight.headers).not.have.property('access-control-allow-origin');
  });

  it('answers the well-known probes of clients with a plain 404', async () => {
    const headers = { 'mcp-protocol-version': '2024-11-05' };
    const answer = await send(`${edge.url}/.well-known/oauth-protected-resource/mcp`, { headers });
    expect(answer.status).equal(404);
  });

  it('answers what is not HTTP with 400 in JSON', async () => {
    const { write, closed } = await openSocket(edge.url);
    write('\x16\x03\x01\x02\x00\x01\x00 hello\r\n\r\n');
    const answer = await closed;
    expect(answer)
      .match(/^HTTP\/1\.1 400 /)
      .and.include('application/json');
  });

  it('answers an unknown expectation with 417 in JSON', async () => {
    const { write, heard } = await openSocket(edge.url);
    write('GET /health HTTP/1.1\r\nhost: localhost\r\nexpect: tea\r\n\r\n');
    expect(await heard(/\}$/))
      .match(/^HTTP\/1\.1 417 /)
      .and.include('application/json');
  });

  it('serves a request that asks to upgrade as an ordinary one', async () => {
    const headers = { connection: 'Upgrade', upgrade: 'websocket' };
    expect((await send(`${edge.url}/health`, { headers })).status).equal(200);
  });

  it('refuses a request with two conflicting length headers', async () => {
    const { write, closed } = await openSocket(edge.url);
    write(
      'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /health HTTP/1.1\r\nhost: localhost\r\n\r\n',
    );
    const answer = await closed;
    expect(answer).match(/^HTTP\/1\.1 400 /);
    expect(answer).not.include('"ok"');
  });

  it('sends no length with 204', async () => {
    const handle = await initialize(edge.url);
    const answer = await send(`${edge.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': handle } });
    expect(answer.status).equal(204);
    expect(answer.headers).not.have.property('content-length');
  });
});

describe('http: routes of plugins', () => {
  const withRoutes = (...routes: Route[]): Plugin =>
    definePlugin({
      name: 'test-routes',
      api: 1,
      configSchema: { type: 'object' },
      provides: [Route],
      apply: (scope) => routes.forEach((route) => scope.provide(Route, route)),
    });
  const route = (path: string, handle: Route['handle'], method: Route['method'] = 'GET'): Route => ({
    method,
    path,
    access: 'public',
    handle,
  });

  it('passes a route its parameters, query and body', async () => {
    const echo = route(
      '/items/:id',
      async (exchange) => ({
        status: 201,
        body: { id: exchange.params['id'], q: exchange.query.get('q'), text: await exchange.body() },
      }),
      'PUT',
    );
    const edge = await startEdge({ plugin: withRoutes(echo) });
    const answer = await send(`${edge.url}/items/a%20b?q=1%202`, { method: 'PUT', body: 'hey' });
    expect(answer.status).equal(201);
    expect(JSON.parse(answer.text)).deep.equal({ id: 'a b', q: '1 2', text: 'hey' });
  });

  it('turns a GatewayError into its status, and hides any other under a correlation id', async () => {
    const refused = route('/refused', () => {
      throw new GatewayError('REQUEST_FORBIDDEN', 'not today');
    });
    const broken = route('/broken', () => {
      throw new Error('the secret is 4711');
    });
    const edge = await startEdge({ plugin: withRoutes(refused, broken) });
    expect((await send(`${edge.url}/refused`)).status).equal(403);
    const answer = await send(`${edge.url}/broken`);
    expect(answer.status).equal(500);
    expect(answer.text).not.include('4711');
    const [, id] = /internal error (\w+);/.exec(answer.text) ?? [];
    const logged = edge.gateway.log.having('request failed', 'error');
    expect(logged[0]?.data['id']).equal(id);
  });

  it('leaves out a route whose path is invalid, reports it, and serves all others', async () => {
    const edge = await startEdge({ plugin: withRoutes(route('/*/(', () => undefined)) });
    expect((await send(`${edge.url}/health`)).status).equal(200);
    expect((await send(`${edge.url}/nothing/(`)).status).equal(404);
    expect(edge.gateway.log.having('route left out', 'error')[0]?.data).include({ path: '/*/(' });
  });

  it('adds and removes routes while it runs', async () => {
    const edge = await startEdge();
    expect((await send(`${edge.url}/sse`, { method: 'POST' })).status).equal(405);
    await edge.configure({ plugins: { 'transport-sse': false } });
    expect((await send(`${edge.url}/sse`)).status).equal(404);
    await edge.configure({});
    expect((await send(`${edge.url}/sse`, { method: 'POST' })).status).equal(405);
  });

  it('answers with what a tap on onRequest replied, and never reaches the route', async () => {
    const guard = definePlugin({
      name: 'test-guard',
      api: 1,
      configSchema: { type: 'object' },
      apply: (scope) =>
        scope.tap('onRequest', (request) =>
          request.access === 'public' || request.header('authorization') === 'Bearer good'
            ? undefined
            : { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: { error: 'who are you?' } },
        ),
    });
    const edge = await startEdge({ plugin: guard });
    const refused = await postMcp(edge.url, '{}');
    expect(refused.status).equal(401);
    expect(refused.headers['www-authenticate']).equal('Bearer');
    expect((await postMcp(edge.url, '{}', { authorization: 'Bearer good' })).status).equal(400);
    expect((await send(`${edge.url}/health`)).status).equal(200);
  });
});
