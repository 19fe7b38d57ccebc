import { expect } from 'chai';
import { HttpFixture } from '../../httpFixture.ts';
import { Rig, until } from '../../support.ts';

describe('upstream: errors of HTTP', () => {
  let rig: Rig;
  let server: HttpFixture;
  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });

  for (const type of ['streamable-http', 'sse'] as const) {
    for (const quoted of ['Bearer very-secret-token', 'very-secret-token']) {
      it(`hides "${quoted}" in what a ${type} server answers`, async () => {
        const error = { message: `${'x'.repeat(190)} ${quoted} is unknown` };
        server.instead = { status: 403, body: JSON.stringify({ error }) };
        await rig.configure();
        const headers = { authorization: 'Bearer very-secret-token' };
        await rig.define({ s: { type, url: server.url, timeout: 5, headers } });
        await rig.reaches('s', 'failed');
        expect(rig.status('s').error).to.contain('HTTP 403').and.to.contain('x [redacte');
        expect(JSON.stringify([rig.status('s'), rig.events, rig.lines])).to.not.contain('very-sec');
      });
    }
  }

  it("removes terminal sequences and invisible characters from a server's answers", async () => {
    const body = '\u001b[31mdenied\u001b[0m \u202eby\u200b \u009b2Jpolicy';
    server.instead = { status: 401, body };
    await rig.configure();
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.reaches('s', 'auth_required');
    expect(rig.status('s').error).to.equal(
      'it requires credentials (HTTP 401: denied by policy); set headers in its definition; for sign-ins of callers there, set aggregator.oauth.mcpClient.enabled to true',
    );
    expect(rig.told('server.stateChanged').at(-1)?.error).to.equal(rig.status('s').error);
  });

  for (const [why, instead, code] of [
    ['HTTP 500: out of order', { status: 500, body: 'out \n of order' }, 'UPSTREAM_ERROR'],
    [
      'HTTP 429: slow down',
      { status: 429, headers: { 'retry-after': '3600' }, body: 'slow down' },
      'UPSTREAM_UNREACHABLE',
    ],
    ['HTTP 503: later', { status: 503, body: 'later' }, 'UPSTREAM_UNREACHABLE'],
    [
      'HTTP 200 with text/html in place of the answer; set url to its MCP endpoint',
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' },
      'UPSTREAM_PROTOCOL',
    ],
    [
      'HTTP 200 without the answer',
      { status: 200, body: '{"jsonrpc":"2.0","id":999,"result":{}}' },
      'UPSTREAM_PROTOCOL',
    ],
    ['HTTP 204 without the answer', { status: 204 }, 'UPSTREAM_PROTOCOL'],
    [
      'its event stream ended without the answer',
      { status: 200, headers: { 'content-type': 'text/event-stream' }, body: 'data: {"jsonr' },
      'UPSTREAM_CLOSED',
    ],
  ] as const) {
    it(`names tool, server and reason of a call that is answered with ${why}`, async () => {
      await rig.configure();
      await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
      await rig.hasTool('x_s_echo');
      server.instead = instead;
      const error = await rig.refusal('x_s_echo');
      expect(error.code).to.equal(code);
      expect(error.message).to.contain('tool echo of server s failed: ').and.to.contain(why);
      server.instead = undefined;
      expect(await rig.text('x_s_echo')).to.equal('echo ');
    });
  }

  it('reads no more than maxMessageBytes of an answer, as JSON and as a stream', async () => {
    await rig.configure({ maxMessageBytes: 1_000_000 });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
    for (const type of ['application/json', 'text/event-stream']) {
      server.instead = {
        status: 200,
        headers: { 'content-type': type },
        body: `data: ${'x'.repeat(2_000_000)}`,
      };
      const error = await rig.refusal('x_s_echo');
      expect(error.message)
        .to.contain('tool echo of server s failed')
        .and.contain('longer than 1000000 bytes');
    }
  });

  it('asks for answers that are not compressed', async () => {
    await rig.configure();
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
    for (const headers of server.headers) expect(headers).to.include({ 'accept-encoding': 'identity' });
  });

  it('reports that a call may have run when a proxy before the server gave up on it', async () => {
    await rig.configure();
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
    const mayHaveRunAfter = async (status: number): Promise<unknown> => {
      server.instead = { status };
      const { code, details } = await rig.refusal('x_s_echo');
      expect(code).to.equal('UPSTREAM_UNREACHABLE');
      return details['mayHaveRun'];
    };
    for (const status of [502, 504]) expect(await mayHaveRunAfter(status)).to.equal(true);
    for (const status of [429, 503]) expect(await mayHaveRunAfter(status)).to.equal(undefined);
  });

  it('leaves a server alone for as long as it asks, and tells callers how long', async () => {
    await rig.configure({ maxRetryAfterMs: 600_000, retryWaitMs: 0 });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.hasTool('x_s_echo');
    server.instead = { status: 429, headers: { 'retry-after': '120' } };
    expect((await rig.refusal('x_s_echo')).details).to.include({ retryAfter: 120 });
    server.instead = { status: 503, headers: { 'retry-after': new Date(Date.now() + 9e9).toUTCString() } };
    await rig.define({ s: { type: 'streamable-http', url: `${server.url}?again`, timeout: 5 } });
    await until('it has failed', () => rig.status('s').metadata['nextRetryAfter'] !== undefined);
    const at = Date.parse(String(rig.status('s').metadata['nextRetryAfter']));
    expect(at - Date.now()).within(500_000, 600_000);
  });

  it('retries a server that answers initialize with something else', async () => {
    server.instead = { status: 200, headers: { 'content-type': 'text/html' }, body: 'back soon' };
    await rig.configure({ backoffFirstMs: 10, backoffMaxMs: 20 });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.reaches('s', 'failed');
    server.instead = undefined;
    await rig.reaches('s', 'connected');
  });
});
