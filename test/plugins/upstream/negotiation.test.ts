import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { hostHandler } from '../../support/hostHandler.ts';
import { newerAsker } from '../../support/newerAsker.ts';
import { EraFixture, NEWER, OLDER, respond } from './eraFixture.ts';
import { Rig, until } from './support.ts';

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

  it('is 2026-07-28 for a server that speaks both', async () => {
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
