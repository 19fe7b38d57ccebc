import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { defer } from '../../support/cleanup.ts';
import { askCore } from '../../support/coreTools.ts';
import { bootGateway } from '../../support/gateway.ts';
import { freePort } from '../../support/everything.ts';
import { refusalOf } from '../../support/kernel.ts';
import { HttpFixture } from '../upstream/httpFixture.ts';

type Handle = (req: IncomingMessage, res: ServerResponse) => void;

async function detected(args: JsonObject, ...more: readonly string[]): Promise<JsonObject> {
  return askCore(
    await bootGateway({ builtIns: ['store-file', 'core-mcpservers', 'upstream', ...more] }),
    'core_mcpserver_detect',
    args,
  );
}
/** @returns its base url */
async function serve(handle: Handle): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  defer(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
/** The older transport: answers are sent on the stream. */
function olderServer(): Handle {
  let stream: ServerResponse | undefined;
  return (req, res) => {
    if (req.method === 'POST' && req.url === '/message') {
      res.writeHead(202).end();
      const result = { protocolVersion: '2024-11-05', serverInfo: { name: 'older', version: '0.9' } };
      stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`);
      return;
    }
    if (req.method !== 'GET') {
      res.writeHead(405).end();
      return;
    }
    stream = res;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write('event: endpoint\ndata: /message\n\n');
  };
}

/** An MCP server with its own authorization server, which answers one method with a challenge. */
function guarded(method: string): Handle {
  return (req, res) => {
    const base = `http://${req.headers.host ?? ''}`;
    const metadata = {
      resource: `${base}/mcp`,
      authorization_servers: [base],
      scopes_supported: ['notes:read'],
    };
    const endpoints = { authorization_endpoint: `${base}/a`, token_endpoint: `${base}/t` };
    const server = { issuer: base, ...endpoints, registration_endpoint: `${base}/r` };
    if (req.url === '/metadata') res.end(JSON.stringify(metadata));
    else if (req.url === '/.well-known/oauth-authorization-server')
      res.end(JSON.stringify({ ...server, code_challenge_methods_supported: ['S256'] }));
    else if (req.method !== method) res.writeHead(405).end();
    else {
      const challenge = `Bearer resource_metadata="${base}/metadata"`;
      res.writeHead(401, { 'www-authenticate': ['Basic realm="x"', challenge] }).end();
    }
  };
}

describe('plugins/core-mcpservers: detect', () => {
  it('finds a server of either transport, with its name, and ends no session, which may be the only one', async () => {
    const fixture = new HttpFixture();
    await fixture.listen();
    defer(() => fixture.kill());
    for (const answersAs of ['json', 'stream'] as const) {
      fixture.answersAs = answersAs;
      const found = await detected({ url: fixture.url, headers: { 'X-Key': 'k' } });
      expect(found).to.include({
        url: fixture.url,
        transport: 'streamable-http',
        reachable: true,
        requiresAuth: false,
      });
      expect(found['serverName']).to.be.a('string');
      expect(found['detail']).to.contain('answers initialize with revision');
    }
    expect(fixture.deleted).to.equal(0);
    expect(fixture.headers[0]).to.include({ 'x-key': 'k' });
    const url = `${await serve(olderServer())}/sse`;
    expect(await detected({ url })).to.deep.include({
      url,
      transport: 'sse',
      reachable: true,
      requiresAuth: false,
      serverName: 'older',
      serverVersion: '0.9',
    });
  });

  it('reports that a sign-in is required', async () => {
    const url = await serve((_, res) => {
      res.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://x"' }).end();
    });
    const found = await detected({ url });
    expect(found).to.include({ transport: 'unknown', reachable: true, requiresAuth: true });
    expect(found).to.not.have.any.keys('signIn', 'challenges');
    expect(found['detail']).to.contain('sign-in').and.contain('HTTP 401');
  });

  it('reports how people sign in, by either transport', async () => {
    for (const method of ['POST', 'GET']) {
      const base = await serve(guarded(method));
      const found = await detected({ url: `${base}/mcp` }, 'auth-client');
      expect(found['signIn']).to.deep.equal({
        issuer: base,
        scopes: ['notes:read'],
        registration: 'dynamic',
        resource: `${base}/mcp`,
      });
      expect(found).to.include({ requiresAuth: true }).and.not.have.property('challenges');
    }
  });

  it('reports why it is not known how people sign in, without secrets of the url', async () => {
    const base = await serve((_, res) => {
      const challenge = 'Bearer resource_metadata="http://10.1.2.3/PLANTED4711"';
      res.writeHead(401, { 'www-authenticate': challenge }).end();
    });
    const found = await detected({ url: `${base}/PLANTED4711/mcp` }, 'auth-client');
    expect(found).to.include({ requiresAuth: true });
    expect(found['signIn']).to.deep.equal({
      detail: 'http://10.1.2.3/[redacted] cannot be read: 10.1.2.3 has a private or internal address',
    });
    const silent = await serve((req, res) => {
      if (req.method === 'POST') res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      else if (req.url === '/mcp') res.writeHead(405).end();
    });
    const late = await detected({ url: `${silent}/mcp`, timeout: 1 }, 'auth-client');
    expect(late['signIn']).to.deep.equal({ detail: 'no answer within 1 s' });
  });

  it('looks for no sign-in where none is required', async () => {
    let requests = 0;
    const url = await serve((_, res) => {
      requests += 1;
      res.writeHead(403, { 'www-authenticate': 'Bearer' }).end();
    });
    expect(await detected({ url }, 'auth-client'))
      .to.include({ requiresAuth: false })
      .and.not.have.property('signIn');
    expect(requests).to.equal(3);
  });

  it('sends the headers of the probe to the server only', async () => {
    const seen: unknown[] = [];
    const honest = guarded('POST');
    const base = await serve((req, res) => {
      if (req.url !== '/mcp') seen.push(req.headers['x-key']);
      honest(req, res);
    });
    const found = await detected({ url: `${base}/mcp`, headers: { 'X-Key': 'hunter2' } }, 'auth-client');
    expect(found['signIn']).to.have.property('issuer', base);
    expect(seen).to.deep.equal([undefined, undefined]);
  });

  it('does not fail for a target that is missing, not MCP or too slow', async () => {
    const absent = await detected({ url: `http://127.0.0.1:${await freePort()}/mcp` });
    expect(absent).to.include({ transport: 'unknown', reachable: false, requiresAuth: false });
    expect(absent['detail']).to.contain('not reachable').and.contain('ECONNREFUSED');
    const page = await serve((_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    expect(await detected({ url: `${page}/?api_key=hunter2` })).to.deep.equal({
      url: `${page}/?api_key=[redacted]`,
      reachable: true,
      requiresAuth: false,
      transport: 'unknown',
      detail: 'no MCP server answers at this url (POST: HTTP 200, GET: HTTP 200)',
    });
    const endless = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const more = setInterval(() => res.write('x'.repeat(65_536)), 1);
      res.on('close', () => clearInterval(more));
    });
    expect(await detected({ url: endless })).to.include({ transport: 'unknown', reachable: true });
    const silent = await serve(() => undefined);
    const late = await detected({ url: silent, timeout: 1 });
    expect(late['detail']).to.equal('not reachable: no answer within 1 s');
    const elsewhere = await serve((_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    expect(await detected({ url: elsewhere })).to.include({ transport: 'unknown', reachable: true });
  });

  it('accepts an error answer to initialize as a sign of an MCP server', async () => {
    const url = await serve((_, res) => {
      const error = { code: -32602, message: 'send a tenant header' };
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    });
    const found = await detected({ url });
    expect(found).to.include({ transport: 'streamable-http', reachable: true });
    expect(found['detail']).to.contain('send a tenant header');
  });

  it('names keepSession for a server that serves one session per start, which another connection has', async () => {
    const url = await serve((_, res) => {
      const error = { code: -32600, message: 'Invalid Request: Server already initialized' };
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    });
    const found = await detected({ url });
    expect(found).to.include({ transport: 'streamable-http', reachable: true });
    expect(found['detail']).to.contain('already initialized').and.to.contain('keepSession: true');
  });

  it('hides the headers and url secrets that a server repeats, and terminal sequences', async () => {
    const url = await serve((req, res) => {
      const error = {
        code: 1,
        message: `\u001b[31mno ${String(req.headers['x-key'])} at ${String(req.url)}`,
      };
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    });
    const found = await detected({ url: `${url}/PLANTED4711`, headers: { 'X-Key': 'planted-4712' } });
    expect(found['detail']).to.equal(
      'an MCP server answers, but refuses initialize: no [redacted] at /[redacted]',
    );
  });

  it('sends headers as they are, references included', async () => {
    const fixture = new HttpFixture();
    await fixture.listen();
    defer(() => fixture.kill());
    await detected({ url: fixture.url, headers: { 'X-Key': '${env:PATH}' } });
    expect(fixture.headers[0]).to.include({ 'x-key': '${env:PATH}' });
  });

  it('recognizes a server by its first messages, although it does not finish the handshake', async () => {
    const silent = await serve((req, res) => {
      if (req.method !== 'GET') res.writeHead(405).end();
      else res.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\ndata: /m\n\n');
    });
    expect(await detected({ url: silent })).to.include({
      transport: 'sse',
      detail:
        'the server names the url for messages, as in the older transport, but cannot be used there: it answered HTTP 405 (at /m, which it announced for messages); set messageUrl if its path is another one',
    });
    const older = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end('{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2023-01-01"}}');
    });
    const found = await detected({ url: older });
    expect(found).to.include({ transport: 'streamable-http', reachable: true });
    expect(found['detail']).to.contain('cannot be used: the server speaks MCP revision "2023-01-01"');
    const endless = await serve((_, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      const more = setInterval(() => res.write('data: {}\n\n'.repeat(1_000)), 1);
      res.on('close', () => clearInterval(more));
    });
    expect(await detected({ url: endless, timeout: 1 })).to.include({ transport: 'unknown' });
  });

  it('says which plugin it lacks without upstream', async () => {
    const gateway = await bootGateway({ builtIns: ['store-file', 'core-mcpservers'] });
    const refusal = await refusalOf(() => askCore(gateway, 'core_mcpserver_detect', { url: 'http://x' }));
    expect(refusal.code).to.equal('PLUGIN_MISSING');
  });

  it('refuses arguments by field', async () => {
    const refused = async (args: JsonObject): Promise<string> =>
      (await refusalOf(() => detected(args))).message;
    expect(await refused({})).to.contain('url is required');
    expect(await refused({ url: 'ftp://x' })).to.contain('begin with http:// or https://');
    expect(await refused({ url: 'https://me:hunter2@x' }))
      .to.contain('user name or password')
      .and.not.contain('hunter2');
    expect(await refused({ url: 'http://x', timeout: 0 })).to.contain(
      'timeout must be at least 1 (minimum), not 0',
    );
    expect(await refused({ url: 'http://x', headers: { 'a b': 'hunter2' } }))
      .to.contain('headers holds a name')
      .and.not.contain('hunter2');
  });
});
