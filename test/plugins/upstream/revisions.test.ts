import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { Cancellation, VERSION } from '../../../kernel/index.ts';
import type { Client, JsonObject } from '../../../kernel/index.ts';
import { McpLogSource } from '../../../plugins/contracts/mcp.ts';
import { defer } from '../../support/cleanup.ts';
import { AskedClient } from './askedClient.ts';
import { Rig, revisions, temporaryFolder, until } from './support.ts';

const [OLDER, NEWER] = ['2025-11-25', '2026-07-28'];
const PREFIX = 'io.modelcontextprotocol/';

interface Seen {
  readonly method: string;
  readonly id?: number;
  readonly params?: JsonObject & { readonly _meta?: JsonObject; readonly name?: string };
}

describe('upstream: the revision of a server', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    await rig.configure({ backoffFirstMs: 60_000 });
  });
  afterEach(() => rig.stop());

  const define = async (mode: string, more: JsonObject = {}, ...args: readonly string[]): Promise<void> => {
    await rig.define({ s: revisions(mode, more, ...args) });
    await rig.service('s').start?.();
  };
  const seen = async (): Promise<readonly Seen[]> => JSON.parse(await rig.text('x_s_seen')) as Seen[];
  const methods = async (): Promise<readonly string[]> => (await seen()).map(({ method }) => method);
  const revision = (): unknown => rig.status('s').metadata['protocolVersion'];
  /** The error of a definition that does not connect. */
  const fault = async (mode: string, more: JsonObject = {}): Promise<string> => {
    await rig.define({ s: revisions(mode, more) });
    await rig.reaches('s', 'failed');
    return rig.status('s').error ?? '';
  };
  /** `_meta` of the last call of echo. */
  const metaOf = async (client?: Client): Promise<JsonObject> => {
    await rig.call('x_s_echo', {}, client && { client });
    return (await seen()).findLast(({ params }) => params?.name === 'echo')?.params?._meta ?? {};
  };

  it('is 2025-11-25 for a server that answers initialize, which receives nothing of 2026-07-28', async () => {
    await define('older');
    await rig.text('x_s_echo', {}, { client: new AskedClient() });
    expect(revision()).equal(OLDER);
    const messages = await seen();
    expect(messages.map(({ method }) => method)).deep.equal([
      ...['initialize', 'notifications/initialized', 'tools/list', 'tools/call', 'tools/call'],
    ]);
    expect(JSON.stringify(messages)).not.include(PREFIX);
  });

  it('is 2026-07-28 for a server that refuses initialize, and then receives no message of a session', async () => {
    await define('newer');
    expect(revision()).equal(NEWER);
    expect(await methods()).deep.equal(['initialize', 'server/discover', 'tools/list', 'tools/call']);
  });

  it('is not agreed with a server that answers neither initialize nor all of server/discover', async () => {
    const text = await fault('discoverHalf');
    expect(text)
      .include('Method not found')
      .and.include('server/discover was answered without supportedVersions');
    expect(rig.status('s').metadata).to.have.property('nextRetryAfter');
  });

  it('is not asked for again when the server speaks only a later one; the error has both sides', async () => {
    const text = await fault('discoverOnlyFuture');
    expect(text).include('speaks MCP revision 2027-01-01').and.include(`supported are ${NEWER}, ${OLDER}`);
    expect(rig.status('s').metadata).not.to.have.property('nextRetryAfter');
  });

  it('is asked for anew when the definition names another program, which may end at server/discover', async () => {
    await define('newer');
    await define('strict');
    await rig.reaches('s', 'running');
    expect(revision()).equal(OLDER);
  });

  it('is the one that its definition sets, and no other is tried', async () => {
    expect(await fault('newer', { revision: 'legacy' })).include('initialize');
    expect(await fault('older', { revision: 'modern' })).include('server/discover');
    await define('newer', { revision: 'modern' });
    expect(await methods()).deep.equal(['server/discover', 'tools/list', 'tools/call']);
  });

  for (const [mode, before, after] of [
    ['flips', NEWER, OLDER],
    ['flipsToModern', OLDER, NEWER],
  ] as const) {
    it(`may change from ${before} to ${after}: calls that find out are sent again, and running ones are kept`, async () => {
      await define(mode, {}, '1');
      const running = rig.text('x_s_held');
      expect(await rig.text('x_s_echo', { call: 1 })).equal('{"call":1}');
      expect(revision()).equal(before);
      const calls = [2, 3, 4].map((call) => rig.text('x_s_echo', { call }));
      expect(await Promise.all(calls)).deep.equal(['{"call":2}', '{"call":3}', '{"call":4}']);
      expect(revision()).equal(after);
      await rig.text('x_s_free');
      expect(await running).equal('"held"');
      const messages = await seen();
      expect(messages.filter(({ params }) => params?.name === 'echo')).length(7);
      const greetings = messages
        .map(({ method }) => method)
        .filter((method) => /initialize$|discover/.test(method));
      const [first, again] = {
        flips: [
          ['initialize', 'server/discover'],
          ['server/discover', 'initialize'],
        ],
        flipsToModern: [['initialize'], ['initialize', 'server/discover']],
      }[mode] as [string[], string[]];
      expect(greetings).deep.equal([...first, ...again]);
    });

    it(`may change from ${before} to ${after} over a restart`, async () => {
      const folder = temporaryFolder();
      defer(folder.remove);
      const file = join(folder.path, 'flipped');
      await define(mode, {}, '1', file);
      expect(revision()).equal(before);
      writeFileSync(file, '');
      await rig.service('s').restart?.();
      await until('the restart', () => rig.told('server.connected').length === 2);
      expect([revision(), await rig.text('x_s_echo')]).deep.equal([after, '{}']);
      await rig.service('s').restart?.();
      await until('the second restart', () => rig.told('server.connected').length === 3);
      expect((await methods())[0]).equal(after === NEWER ? 'server/discover' : 'initialize');
    });
  }

  it('is found with initialize after a process that spoke 2026-07-28 ends at server/discover', async () => {
    await rig.configure({ backoffFirstMs: 1 });
    const folder = temporaryFolder();
    defer(folder.remove);
    const file = join(folder.path, 'flipped');
    await define('flipsToStrict', {}, 'Infinity', file);
    expect(revision()).equal(NEWER);
    writeFileSync(file, '');
    await rig.service('s').restart?.();
    await until('the next attempt', () => rig.told('server.connected').length === 2);
    expect([revision(), await rig.text('x_s_echo')]).deep.equal([OLDER, '{}']);
  });

  describe('2026-07-28', () => {
    const FORM = { elicitation: { form: {} } };
    const CLIENTS: Readonly<Record<string, JsonObject>> = {
      nothing: {},
      'forms only': FORM,
      'urls only': { elicitation: { url: {} } },
      'sampling with tools': { sampling: { tools: {} } },
      everything: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
    };

    it('declares in each call what its client supports, and nothing for a call without a client', async () => {
      await define('newer', { questions: Object.keys(CLIENTS['everything']!) });
      for (const [what, capabilities] of Object.entries(CLIENTS)) {
        const { [`${PREFIX}clientCapabilities`]: declared, ...others } = await metaOf(
          new AskedClient(capabilities),
        );
        expect(declared, what).deep.equal(capabilities);
        expect(others, what).deep.equal({
          [`${PREFIX}protocolVersion`]: NEWER,
          [`${PREFIX}clientInfo`]: { name: 'pegboard', version: VERSION },
        });
      }
      expect(await metaOf()).to.have.deep.property(`${PREFIX}clientCapabilities`, {});
    });

    it('declares only what the definition lets the server ask', async () => {
      await define('newer', { questions: [] });
      const asked = new AskedClient(CLIENTS['everything']);
      expect(await metaOf(asked)).to.have.deep.property(`${PREFIX}clientCapabilities`, {});
      await rig.define({ s: revisions('newer', { questions: ['roots'] }) });
      await until('the restart', () => rig.told('server.connected').length === 2);
      expect(await metaOf(asked)).to.have.deep.property(`${PREFIX}clientCapabilities`, { roots: {} });
    });

    it('has the progress token, the trace and the log level of clients in each call', async () => {
      await define('newer');
      const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
      const client = new AskedClient(FORM);
      const trace = { traceparent, tracestate: 'k=v' };
      const [source] = rig.kernel.registry.all(McpLogSource.id) as readonly McpLogSource[];
      source?.want('warning');
      await rig.call('x_s_echo', {}, { client, meta: trace, progress: () => undefined });
      const echo = (await seen()).findLast(({ params }) => params?.name === 'echo');
      expect(echo?.params?._meta).include({ ...trace, progressToken: echo?.id });
      expect(echo?.params?._meta).include({ [`${PREFIX}logLevel`]: 'warning' });
      expect(await metaOf()).not.to.have.property(`${PREFIX}logLevel`);
      expect(await methods()).not.include('logging/setLevel');
    });

    it('cancels a call with its id', async () => {
      await define('newer');
      const cancel = new Cancellation();
      const call = rig.refusal('x_s_held', {}, { cancel });
      await until('the call', async () => (await seen()).some(({ params }) => params?.name === 'held'));
      cancel.cancel('enough');
      expect(await call).include({ code: 'TOOL_CANCELLED' });
      const messages = await seen();
      const held = messages.find(({ params }) => params?.name === 'held');
      const notices = messages.filter(({ method }) => method.startsWith('notifications/'));
      expect(notices).to.have.length(1);
      expect(notices[0]).deep.include({
        method: 'notifications/cancelled',
        params: { requestId: held?.id, reason: 'enough' },
      });
    });

    it('takes a result without resultType as complete', async () => {
      await define('noResultType');
      expect(await rig.text('x_s_echo', { a: 1 })).equal('{"a":1}');
    });

    it('has no other results than complete ones and those that require input', async () => {
      await define('unknownResultType');
      const { code, message } = await rig.refusal('x_s_echo');
      expect([code, message]).deep.equal([
        'UPSTREAM_PROTOCOL',
        'tool echo of server s was answered with a result of type "hologram", which is not supported; it may have run, check its effect before calling again',
      ]);
    });
  });
});
