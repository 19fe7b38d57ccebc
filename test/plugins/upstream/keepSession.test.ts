import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { defer } from '../../support/cleanup.ts';
import { EraFixture, OLDER } from './eraFixture.ts';
import { OneSession } from './oneSession.ts';
import { Rig, temporaryFolder, until } from './support.ts';

describe('upstream: a server that serves one session per start', () => {
  let server: OneSession;
  let state: string;
  beforeEach(async () => {
    server = await OneSession.start();
    const folder = temporaryFolder();
    defer(folder.remove);
    state = folder.path;
  });
  const define = (rig: Rig, more: JsonObject = {}): Promise<void> =>
    rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5, ...more } });
  /** A Pegboard with the server. */
  async function begun(
    more: JsonObject = { keepSession: true },
    path: string | undefined = state,
  ): Promise<Rig> {
    const rig = new Rig(path);
    defer(() => rig.stop());
    await rig.configure({ backoffFirstMs: 10, backoffMaxMs: 50, deadlineTickMs: 10 });
    await define(rig, more);
    return rig;
  }
  async function connected(more?: JsonObject, path?: string): Promise<Rig> {
    const rig = await begun(more, path);
    await rig.reaches('s', 'connected');
    return rig;
  }
  const files = (): readonly string[] => readdirSync(join(state, 'sessions'));

  it('is lost to the next connection without keepSession, and the error names that key', async () => {
    const rig = await connected({});
    await rig.service('s').restart?.();
    expect(rig.status('s').metadata['lastError'])
      .include('already initialized')
      .include('it serves one session per start')
      .include('keepSession: true');
  });

  it('is lost to the next Pegboard without keepSession, because the session is ended, and the error names that key', async () => {
    await (await connected({})).stop();
    const rig = await begun({});
    await until('an attempt', () => rig.status('s').metadata['lastError'] !== undefined);
    expect(rig.status('s').metadata['lastError']).include('Session not found').include('keepSession: true');
  });

  it('is used by the next Pegboard in the same session with keepSession, without initialize', async () => {
    const first = await connected();
    expect(await first.text('x_s_start')).equal('1');
    await first.stop();
    const next = await connected();
    expect(await next.text('x_s_start')).equal('1');
    expect(server.count('POST initialize')).equal(1);
    expect(server.count('DELETE')).equal(0);
    expect(next.status('s').metadata).include({
      serverName: 'one',
      serverVersion: '1',
      protocolVersion: '2025-11-25',
    });
    await until('a stream', () => server.count('GET') > 1);
  });

  it('is initialized by the next Pegboard if it was started anew meanwhile', async () => {
    await (await connected()).stop();
    await server.restart();
    const next = await connected();
    expect(await next.text('x_s_start')).equal('2');
    expect(next.status('s').metadata).include({ serverVersion: '2' });
    await next.stop();
    expect(await (await connected()).text('x_s_start')).equal('2');
    expect(server.count('POST initialize')).equal(1);
  });

  it('is initialized once if it is started anew while it is connected', async () => {
    const rig = await connected();
    await server.restart();
    expect(await rig.text('x_s_start')).equal('2');
    expect(server.count('POST initialize')).equal(1);
  });

  it('keeps its session over restarts of the connection, also without a state directory', async () => {
    const rig = new Rig();
    defer(() => rig.stop());
    await rig.configure({ backoffFirstMs: 10 });
    await define(rig, { keepSession: true });
    await rig.reaches('s', 'connected');
    await rig.service('s').restart?.();
    expect(await rig.text('x_s_start')).equal('1');
    expect(server.count('POST initialize')).equal(1);
    expect(server.count('DELETE')).equal(0);
  });

  it('keeps its session while it cannot be reached', async () => {
    await (await connected()).stop();
    server.instead = 429;
    const rig = await begun();
    await until('an attempt', () => rig.status('s').metadata['lastError'] !== undefined);
    server.instead = undefined;
    await rig.reaches('s', 'connected');
    expect(await rig.text('x_s_start')).equal('1');
  });

  it('may know no ping: its error is an answer in the session', async () => {
    const fake = await EraFixture.start({ speaks: [OLDER], session: 'only' });
    fake.instead = ({ method, id }, res) => {
      const isTaken = method === 'initialize' && fake.count('initialize') > 1;
      if (isTaken) res.writeHead(400).end('already initialized');
      const error = { code: -32601, message: 'Method not found' };
      if (method === 'ping') res.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
      return isTaken || method === 'ping';
    };
    await (await connected({ url: fake.url, keepSession: true })).stop();
    const next = await connected({ url: fake.url, keepSession: true });
    expect(await next.text('x_s_echo', { a: 1 })).equal('{"a":1}');
    expect(fake.all('tools/call').map(({ headers }) => headers['mcp-session-id'])).deep.equal(['only']);
  });

  it('is not sent the session of another server of that name', async () => {
    await (await connected()).stop();
    const other = await OneSession.start();
    await (await connected({ url: other.url, keepSession: true })).stop();
    expect(other.received.slice(0, 2)).deep.equal(['POST server/discover', 'POST initialize']);
  });

  it('is never sent an id twice in a session: a late answer to an earlier Pegboard would be taken for another', async () => {
    const first = await connected();
    await first.text('x_s_start');
    await first.stop();
    const next = await connected();
    await next.text('x_s_start');
    await next.stop();
    await (await connected()).text('x_s_start');
    expect(new Set(server.ids).size).equal(server.ids.length);
  });

  it('can be kept from the moment on at which its definition says so', async () => {
    const first = await connected({});
    await define(first, { keepSession: true });
    await first.stop();
    expect(await (await connected()).text('x_s_start')).equal('1');
  });

  it('has its session sealed in a file for the owner alone, until its definition no longer says so or is removed', async () => {
    const rig = await connected();
    await until('a file', () => files().length === 1);
    const [file = ''] = files().map((name) => join(state, 'sessions', name));
    expect(statSync(file).mode & 0o777).equal(0o600);
    expect(statSync(join(state, 'sessions')).mode & 0o777).equal(0o700);
    const bytes = readFileSync(file, 'latin1');
    expect(bytes).not.match(/[0-9a-f]{8}-[0-9a-f]{4}/);
    await define(rig, {});
    await until('no file', () => files().length === 0);
    await define(rig, { keepSession: true });
    await until('a file', () => files().length === 1);
    await rig.define({});
    await rig.stop();
    expect(files()).empty;
  });
});
