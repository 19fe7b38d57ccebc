import { expect } from 'chai';
import { mcpClient, startGateway } from '../../contract/index.ts';
import { GatewayError } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import { Callers } from './callersOf.ts';
import { ChangingTransport } from './changingTransport.ts';
import { Rig, temporaryFolder, until } from './support.ts';

describe('upstream: the transport of a definition with type auto', () => {
  let rig: Rig;
  let server: ChangingTransport;
  beforeEach(async () => {
    rig = new Rig();
    server = new ChangingTransport();
    await server.listen();
    await rig.configure({ backoffFirstMs: 20, backoffMaxMs: 50 });
  });
  afterEach(() => rig.stop());

  const define = (more: JsonObject = {}): Promise<void> =>
    rig.define({ s: { type: 'auto', url: server.url, timeout: 5, ...more } });
  const transport = (): unknown => rig.status('s').metadata.transport;
  const error = (): string => rig.status('s').metadata.lastError ?? '';

  it('is streamable HTTP where that is answered, without a question for the other one', async () => {
    server.speaks = 'streamable-http';
    await define();
    await rig.hasTool('x_s_hi');
    expect(await rig.text('x_s_hi')).to.equal('hello');
    expect([rig.status('s').metadata.type, transport()]).to.deep.equal(['auto', 'streamable-http']);
    expect(rig.status('s').state).to.equal('connected');
  });

  for (const status of [400, 404, 405, 406, 415]) {
    it(`is SSE at the same url once a POST is answered with ${status}`, async () => {
      server.refusals.POST = status;
      await define();
      await rig.hasTool('x_s_hi');
      expect(await rig.text('x_s_hi')).to.equal('hello');
      expect(transport()).to.equal('sse');
    });
  }

  it('stays for the next connection', async () => {
    await define();
    await rig.hasTool('x_s_hi');
    server.seen.length = 0;
    await rig.service('s').restart?.();
    expect(server.seen).to.deep.equal(['GET']);
    await server.close();
    await rig.reaches('s', 'failed');
    await server.listen();
    await rig.reaches('s', 'connected');
    expect(server.seen).to.deep.equal(['GET', 'GET']);
  });

  it('stays for the next Pegboard, and is found out anew for another url', async () => {
    const folder = temporaryFolder();
    defer(folder.remove);
    for (const seen of [['POST', 'GET'], ['GET']]) {
      await rig.stop();
      rig = new Rig(folder.path);
      await rig.configure();
      server.seen.length = 0;
      await define();
      await rig.reaches('s', 'connected');
      expect([...new Set(server.seen)]).to.deep.equal(seen);
    }
    server.seen.length = 0;
    await define({ url: `${server.url}?tenant=2` });
    await rig.reaches('s', 'connected');
    expect([...new Set(server.seen)]).to.deep.equal(['POST', 'GET']);
  });

  for (const [former, next] of [
    ['sse', 'streamable-http'],
    ['streamable-http', 'sse'],
  ] as const) {
    it(`changes with a server that spoke ${former} and speaks ${next}`, async () => {
      server.speaks = former;
      await define();
      await rig.reaches('s', 'connected');
      server.speaks = next;
      await rig.service('s').restart?.();
      expect([rig.status('s').state, transport()]).to.deep.equal(['connected', next]);
      expect(await rig.text('x_s_hi')).to.equal('hello');
    });
  }

  it('changes with a server whose stream announces nothing any more', async () => {
    await define({ timeout: 1 });
    await rig.reaches('s', 'connected');
    server.speaks = 'streamable-http';
    server.refusals.GET = 'stream';
    await rig.service('s').restart?.();
    await rig.reaches('s', 'connected');
    expect(transport()).to.equal('streamable-http');
  });

  for (const how of [302, 403, 404, 500, 501, 'reset', 'ended'] as const) {
    it(`changes with a server that answers a GET with ${how} now`, async () => {
      await define();
      await rig.reaches('s', 'connected');
      server.speaks = 'streamable-http';
      server.refusals.GET = how;
      await rig.service('s').restart?.();
      expect([rig.status('s').state, transport()]).to.deep.equal(['connected', 'streamable-http']);
    });
  }

  it('stays where a GET wants a sign-in or a later request', async () => {
    await define();
    await rig.reaches('s', 'connected');
    for (const status of [401, 429] as const) {
      server.speaks = 'neither';
      server.refusals.GET = status;
      server.seen.length = 0;
      await rig.service('s').restart?.();
      expect(server.seen).to.not.include('POST');
      expect(transport()).to.equal('sse');
    }
  });

  it('is judged by the first refusal where the other stream announces nothing', async () => {
    server.speaks = 'neither';
    server.refusals.GET = 'stream';
    server.refusals.POST = 404;
    await define({ timeout: 60 });
    await rig.reaches('s', 'failed');
    expect(error()).to.match(/^over streamable-http: it answered HTTP 404.*; over sse: connecting took more/);
    expect(rig.status('s').metadata.lastErrorCode).to.equal('UPSTREAM_ERROR');
  });

  for (const how of [401, 403, 407, 408, 429, 500, 501, 503, 'reset'] as const) {
    it(`is not looked for where a POST is answered with ${how}`, async () => {
      server.refusals.POST = how;
      await define();
      const state = how === 401 ? 'auth_required' : 'failed';
      await rig.reaches('s', state);
      expect(server.seen).to.not.include('GET');
      expect(transport()).to.equal(undefined);
    });
  }

  it('is named in an error that has both answers', async () => {
    server.speaks = 'neither';
    server.refusals.GET = 404;
    await define();
    await rig.reaches('s', 'failed');
    expect(error()).to.match(
      /^over streamable-http: it answered HTTP 405: not here.*; over sse: it answered HTTP 404: not here/,
    );
  });

  it('is SSE where only that wants a sign-in', async () => {
    server.speaks = 'neither';
    server.refusals.GET = 401;
    await define();
    await rig.reaches('s', 'auth_required');
    expect(error()).to.match(/^it requires credentials \(HTTP 401/);
  });

  it('is streamable HTTP alone with revision modern', async () => {
    await define({ revision: 'modern' });
    await rig.reaches('s', 'failed');
    expect(server.seen).to.not.include('GET');
  });

  it('is found with the headers of the definition', async () => {
    server.wanted = 'Bearer key';
    await define({ headers: { Authorization: 'Bearer key' } });
    await rig.hasTool('x_s_hi');
    expect(transport()).to.equal('sse');
  });

  it('is found by the connection of a caller who has signed in', async () => {
    server.wanted = 'Bearer ann-1';
    const callers = new Callers();
    callers.tokens.set('ann', 'ann-1');
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({
          plugins: {
            'auth-client': false,
            'test-identify': { module: './identify.mjs' },
            'test-callers': { module: './callers.mjs' },
          },
        }),
        'identify.mjs': moduleOf(identify),
        'callers.mjs': moduleOf(callers.plugin),
        'mcpservers/vault.yaml': JSON.stringify({
          type: 'auto',
          url: server.url,
          auth: { type: 'oauth' },
          timeout: 1,
        }),
      },
    });
    defer(() => gateway.stop());
    const ann = await mcpClient(gateway.url(), { 'x-caller': 'https://people ann' });
    const { content } = await ann.callTool('x_vault_hi');
    expect(content[0]?.['text']).to.equal('hello');
    // A credential that takes too long says nothing of the transport.
    let asked = 0;
    callers.preparing = () => {
      asked += 1;
      return Promise.reject(new GatewayError('UPSTREAM_TIMEOUT', 'no token in time'));
    };
    await server.close();
    await until('it connects again', () => asked > 0);
    const record = await ann.callTool('core_mcpserver_get', { name: 'vault' });
    expect(JSON.parse(String(record.content[0]?.['text']))).to.include({ type: 'auto', transport: 'sse' });
  });
});
