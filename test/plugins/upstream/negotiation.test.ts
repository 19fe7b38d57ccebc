import type { ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { hostHandler } from '../../support/hostHandler.ts';
import { newerAsker } from '../../support/newerAsker.ts';
import { EraFixture, NEWER, OLDER, answer, respond } from './eraFixture.ts';
import type { Received } from './eraFixture.ts';
import { Rig, until } from './support.ts';

/** Responses to server/discover that no server of 2026-07-28 makes, each in the way of an old server behind it. */
const FAULTS: Readonly<Record<string, (received: Received, res: ServerResponse) => unknown>> = {
  'HTTP 401': (_, res) => res.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
  'HTTP 403': (_, res) => res.writeHead(403).end('no'),
  'HTTP 404 with HTML': (_, res) => res.writeHead(404, { 'content-type': 'text/html' }).end('<p>Not found'),
  'HTTP 405': (_, res) => res.writeHead(405, { allow: 'GET' }).end(),
  'HTTP 500': (_, res) => res.writeHead(500).end('{"oops":'),
  'HTTP 502': (_, res) => res.writeHead(502, { 'content-type': 'text/html' }).end('<p>Bad gateway'),
  'HTTP 503': (_, res) => res.writeHead(503, { 'retry-after': '60' }).end(),
  'no response': () => undefined,
  'a closed connection': (_, res) => res.destroy(),
  'a response cut off': (_, res) =>
    res.writeHead(200, { 'content-length': '99' }).write('{', () => res.destroy()),
  'HTTP 200 with HTML': (_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>Welcome'),
  'HTTP 200 with broken JSON': (_, res) =>
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":'),
  'HTTP 200 with the answer to another request': (_, res) =>
    respond(res, 200, { jsonrpc: '2.0', id: 'x', result: {} }),
  'an empty stream': (_, res) => res.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  'a result without versions': (received, res) => answer(received, res, { capabilities: {} }),
  'a result that is text': ({ id }, res) => respond(res, 200, { jsonrpc: '2.0', id, result: 'yes' }),
};

describe('upstream: the revision of a remote server', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    await rig.configure({ backoffFirstMs: 60_000, deadlineTickMs: 10 });
  });
  afterEach(() => rig.stop());

  const define = (url: string, more: JsonObject = {}): Promise<void> =>
    rig.define({ s: { type: 'streamable-http', url, timeout: 1, ...more } });
  const connected = async (url: string, more: JsonObject = {}): Promise<unknown> => {
    await define(url, more);
    await rig.reaches('s', 'connected');
    return rig.status('s').metadata['protocolVersion'];
  };

  for (const [what, fault] of Object.entries(FAULTS))
    it(`is found with initialize if server/discover is answered with ${what}`, async () => {
      const old = await EraFixture.start({ speaks: [OLDER] });
      old.instead = (received, res) => {
        if (received.method !== 'server/discover') return false;
        fault(received, res);
        return true;
      };
      expect(await connected(old.url)).equal(OLDER);
      expect(await rig.text('x_s_echo', { a: 1 })).equal('{"a":1}');
      expect(old.methods.slice(0, 2)).deep.equal(['server/discover', 'initialize']);
      const after = JSON.stringify(old.received.slice(1).map(({ headers, params }) => [headers, params]));
      expect(after).not.include('io.modelcontextprotocol').and.not.include('mcp-method');
    });

  it('is not asked for sooner than a server that is asked too often allows', async () => {
    const busy = await EraFixture.start({ speaks: [OLDER] });
    busy.instead = (_, res) => {
      res.writeHead(429, { 'retry-after': '300' }).end();
      return true;
    };
    await define(busy.url);
    await rig.reaches('s', 'failed');
    expect(busy.methods).deep.equal(['server/discover']);
    const next = Date.parse(String(rig.status('s').metadata['nextRetryAfter'])) - Date.now();
    expect(next).within(200_000, 300_000);
    busy.instead = () => false;
    await rig.service('s').start?.();
    expect([rig.status('s').state, rig.status('s').metadata['protocolVersion']]).deep.equal([
      'connected',
      OLDER,
    ]);
  });

  it('is found in one attempt at a server that allows one request a second, which is not asked sooner', async () => {
    const busy = await EraFixture.start({ speaks: [OLDER] });
    let last = -Infinity;
    let early = 0;
    busy.instead = ({ method }, res) => {
      const isEarly = performance.now() - last < 950;
      if (isEarly) {
        early += 1;
        res.writeHead(429, { 'retry-after': '1' }).end();
      } else if (method !== 'notifications/initialized') last = performance.now();
      return isEarly;
    };
    await rig.configure({ backoffFirstMs: 10 });
    await define(busy.url, { timeout: 5 });
    await rig.hasTool('x_s_echo', 15_000);
    expect(busy.methods.filter((method) => method === 'server/discover')).length(1);
    expect(busy.methods.filter((method) => method === 'initialize')).length(2);
    expect(rig.told('server.failed')).deep.equal([]);
    expect(early).most(6);
  });

  it('is waited for no longer once the server is removed', async () => {
    const busy = await EraFixture.start({ speaks: [OLDER] });
    busy.instead = (_, res) => {
      res.writeHead(429, { 'retry-after': '50' }).end();
      return true;
    };
    await define(busy.url);
    await until('a refusal', () => rig.lines.some(({ text }) => text === 'server asks to be greeted later'));
    await rig.define({});
    expect(busy.methods).deep.equal(['server/discover']);
  });

  it('is not looked for any more if no request reaches the server, or credentials are missing', async () => {
    const closed = await EraFixture.start();
    closed.instead = (_, res) => {
      res.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return true;
    };
    await define(closed.url);
    await rig.reaches('s', 'auth_required');
    expect(rig.status('s').error).include('HTTP 401');
    expect(closed.methods).deep.equal(['server/discover', 'initialize']);
    await define('http://127.0.0.1:9/');
    await rig.reaches('s', 'failed');
    expect(rig.status('s').error).include('ECONNREFUSED');
  });

  for (const [what, data, message] of [
    [
      'names 2025-11-25',
      { supported: [OLDER] },
      'the server speaks MCP revision 2025-11-25, not 2026-07-28; ',
    ],
    ['names none', {}, ''],
  ] as const)
    it(`is asked for again later if initialize fails with a server that refuses 2026-07-28 and ${what}`, async () => {
      const busy = await EraFixture.start({ speaks: [OLDER] });
      busy.instead = ({ id, method }, res) => {
        const error = { code: -32022, message: 'Unsupported protocol version', data };
        if (method === 'server/discover') return respond(res, 400, { jsonrpc: '2.0', id, error });
        res.writeHead(503).end();
        return true;
      };
      await define(busy.url);
      await rig.reaches('s', 'failed');
      expect(rig.status('s').error).equal(`${message}it answered HTTP 503`);
      expect(rig.status('s').metadata).to.have.property('nextRetryAfter');
      busy.instead = () => false;
      await rig.service('s').start?.();
      expect(rig.status('s').metadata['protocolVersion']).equal(OLDER);
    });

  it('asks for credentials also if only initialize answers otherwise', async () => {
    const newer = await EraFixture.start();
    newer.instead = ({ method }, res) => {
      if (method === 'server/discover') res.writeHead(401).end();
      return method === 'server/discover';
    };
    await define(newer.url);
    await rig.reaches('s', 'auth_required');
    expect(rig.status('s').error).include('HTTP 401');
  });

  it('is 2026-07-28 for a server that speaks both, but keeps no sessions', async () => {
    const both = await EraFixture.start({ speaks: [OLDER, NEWER] });
    expect(await connected(both.url)).equal(NEWER);
    expect(both.methods).not.include('initialize');
    const sdk = await hostHandler(createMcpHandler(newerAsker));
    defer(() => sdk.close());
    expect(await connected(sdk.url)).equal(NEWER);
    expect(await rig.text('x_s_plain', { name: 'n' })).equal('n: not asked');
  });

  it('is 2026-07-28 for the next connection, too, and 2025-11-25 is tried once that fails', async () => {
    const server = await EraFixture.start();
    expect(await connected(server.url)).equal(NEWER);
    server.speaks = [OLDER];
    await rig.service('s').restart?.();
    expect([rig.status('s').state, rig.status('s').metadata['protocolVersion']]).deep.equal([
      'connected',
      OLDER,
    ]);
    await rig.service('s').restart?.();
    expect(server.count('server/discover')).equal(2);
  });

  for (const [what, status, next] of [
    ['was not there', 404, OLDER],
    ['failed', 503, NEWER],
  ] as const)
    it(`is ${next} for the next connection to a server that speaks both, if server/discover ${what}`, async () => {
      const both = await EraFixture.start({ speaks: [OLDER, NEWER] });
      both.instead = ({ method }, res) => {
        if (method === 'server/discover') res.writeHead(status).end();
        return method === 'server/discover';
      };
      expect(await connected(both.url)).equal(OLDER);
      both.instead = () => false;
      await rig.service('s').restart?.();
      expect(rig.status('s').metadata['protocolVersion']).equal(next);
    });

  it('is the one that its definition sets, and no other is tried', async () => {
    const both = await EraFixture.start({ speaks: [OLDER, NEWER] });
    expect(await connected(both.url, { revision: 'legacy' })).equal(OLDER);
    expect(both.methods).not.include('server/discover');
    const newer = await EraFixture.start();
    await define(newer.url, { revision: 'legacy' });
    await rig.reaches('s', 'failed');
    expect(newer.methods).deep.equal(['initialize']);
    const older = await EraFixture.start({ speaks: [OLDER] });
    await define(older.url, { revision: 'modern' });
    await rig.reaches('s', 'failed');
    expect(older.methods).deep.equal(['server/discover']);
    expect(await connected(both.url, { revision: 'modern' })).equal(NEWER);
  });

  it('leaves the session behind in which initialize was refused', async () => {
    const server = await EraFixture.start({ speaks: [OLDER] });
    expect(await connected(server.url)).equal(OLDER);
    await until('the stream of the first session', () => server.received.some(({ verb }) => verb === 'GET'));
    server.speaks = [NEWER];
    server.instead = ({ method }, res) => {
      if (method === 'initialize') res.setHeader('mcp-session-id', 'given');
      return false;
    };
    const before = server.received.length;
    await rig.service('s').restart?.();
    expect(rig.status('s').metadata['protocolVersion']).equal(NEWER);
    await rig.stop();
    const later = server.received.slice(before);
    expect(later.map(({ method }) => method).slice(0, 2)).deep.equal(['initialize', 'server/discover']);
    expect(
      later.filter(({ headers, verb }) => headers['mcp-session-id'] !== undefined || verb !== 'POST'),
    ).deep.equal([]);
  });

  it('that changes is agreed on once, also for calls that learn of it late', async () => {
    const server = await EraFixture.start({ speaks: [NEWER] });
    const refusals: (() => void)[] = [];
    expect(await connected(server.url)).equal(NEWER);
    server.instead = (received, res) => {
      const { id, method, params } = received;
      if (method !== 'tools/call' || params._meta === undefined) return false;
      const refuse = (): void => {
        server.speaks = [OLDER];
        respond(res, 400, {
          jsonrpc: '2.0',
          id,
          error: { code: -32022, message: 'Unsupported protocol version' },
        });
      };
      refusals.push(refuse);
      return true;
    };
    const calls = [1, 2].map((call) => rig.text('x_s_echo', { call }));
    await until('both calls', () => refusals.length === 2);
    refusals[0]!();
    expect(await calls[0]).equal('{"call":1}');
    await rig.reaches('s', 'connected');
    refusals[1]!();
    expect(await calls[1]).equal('{"call":2}');
    await rig.reaches('s', 'connected');
    expect([server.count('initialize'), server.count('server/discover')]).deep.equal([1, 2]);
  });

  for (const [what, status, body] of [
    ['a proxy that refuses a call', 400, { html: 'too large' }],
    ['a server that does not know a tool', 200, { error: { code: -32601, message: 'Tool not found' } }],
    ['a server that refuses its own revision', 200, { error: { code: -32022, message: 'no', data: {} } }],
  ] as const)
    it(`is asked for again once, not with each call, because of ${what}`, async () => {
      const server = await EraFixture.start({ speaks: [NEWER] });
      expect(await connected(server.url)).equal(NEWER);
      server.instead = ({ id, method, params }, res) =>
        method === 'tools/call' &&
        (params['arguments'] as JsonObject)['refused'] === true &&
        respond(res, status, 'error' in body ? { jsonrpc: '2.0', id, ...body } : body);
      for (const attempt of [1, 2, 3]) {
        const { code } = await rig.refusal('x_s_echo', { refused: true });
        expect(code, `attempt ${attempt}`).equal('UPSTREAM_ERROR');
        expect(await rig.text('x_s_echo', { attempt })).equal(`{"attempt":${attempt}}`);
      }
      expect([server.count('server/discover'), server.count('initialize')]).deep.equal([2, 0]);
      // The first refused one is sent twice.
      expect(server.count('tools/call')).equal(7);
    });

  it('is not in doubt when a server of 2025-11-25 knows the method of a call, but not its tool', async () => {
    const server = await EraFixture.start({ speaks: [OLDER] });
    expect(await connected(server.url)).equal(OLDER);
    server.instead = ({ id, method }, res) =>
      method === 'tools/call' &&
      respond(res, 200, { jsonrpc: '2.0', id, error: { code: -32601, message: 'Tool not found' } });
    const { code, details } = await rig.refusal('x_s_echo');
    expect([code, (details as JsonObject)['code']]).deep.equal(['UPSTREAM_ERROR', -32601]);
    expect([server.count('initialize'), server.count('tools/call')]).deep.equal([1, 1]);
  });
});
