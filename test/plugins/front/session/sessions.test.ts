import { expect } from 'chai';
import { statSync } from 'node:fs';
import { identify } from '../../../support/identify.ts';
import {
  callBody,
  callTool,
  initialize,
  initializeBody,
  postMcp,
  startEdge,
  testTools,
} from '../../../support/edge.ts';
import type { Edge } from '../../../support/edge.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { openStream, send } from '../../../support/rawHttp.ts';
import { until, within } from '../../../support/until.ts';

const METHODS = ['POST', 'GET', 'DELETE'] as const;

/** The status of each method for a handle. */
async function statusesOf(url: string, handle: string, more: Record<string, string> = {}): Promise<number[]> {
  const statuses: number[] = [];
  for (const method of METHODS) {
    const headers = { 'mcp-session-id': handle, ...more };
    if (method === 'POST') statuses.push((await postMcp(url, callBody('echo'), headers)).status);
    else if (method === 'DELETE') statuses.push((await send(`${url}/mcp`, { method, headers })).status);
    else {
      const stream = await openStream(`${url}/mcp`, { headers });
      stream.close();
      statuses.push(stream.status);
    }
  }
  return statuses;
}

describe('front: sessions', () => {
  it('open on POST, GET and DELETE with the handle of initialize', async () => {
    const { url } = await startEdge();
    expect(await statusesOf(url, await initialize(url))).deep.equal([200, 200, 204]);
  });

  it('are answered 404 on POST, GET and DELETE with an unknown handle', async () => {
    const { url } = await startEdge();
    const handle = await initialize(url);
    const swapped = handle.slice(0, -6) + Array.from(handle.slice(-6)).reverse().join('');
    for (const garbage of [
      'x',
      '%00',
      '../../etc',
      handle.slice(1),
      handle.slice(0, -1),
      `${handle}A`,
      swapped,
    ])
      expect(await statusesOf(url, garbage), garbage).deep.equal([404, 404, 404]);
  });

  it('that are lost are answered in JSON-RPC with the advice to initialize again', async () => {
    const { url } = await startEdge();
    const answer = await callTool(url, 'gone', callBody('echo'));
    expect(answer.json()).include({ jsonrpc: '2.0', id: null });
    expect(answer.json().error?.code).equal(-32001);
    expect(answer.json().error?.message).include('initialize');
  });

  it('are answered 400 on GET and DELETE without a handle, and with two', async () => {
    const { url } = await startEdge();
    const handle = await initialize(url);
    for (const headers of [{}, { 'mcp-session-id': [handle, handle] }]) {
      for (const method of ['GET', 'DELETE', 'POST']) {
        const accept = 'application/json, text/event-stream';
        const body = method === 'POST' ? { body: JSON.stringify(callBody('echo')) } : {};
        const answer = await send(`${url}/mcp`, {
          method,
          headers: { accept, 'content-type': 'application/json', ...headers },
          ...body,
        });
        expect(answer.status, method).equal(400);
      }
    }
  });

  it('are answered 404 once ended, for good', async () => {
    const { url } = await startEdge();
    const handle = await initialize(url);
    const headers = { 'mcp-session-id': handle };
    expect((await send(`${url}/mcp`, { method: 'DELETE', headers })).status).equal(204);
    expect(await statusesOf(url, handle)).deep.equal([404, 404, 404]);
  });

  it('end their standing stream and their calls when they expire', async () => {
    const tools = testTools();
    const { url } = await startEdge({
      tools: tools.tools,
      plugins: { front: { config: { sessionTtlSeconds: 1, sweepMs: 20 } } },
    });
    const handle = await initialize(url);
    const stream = await openStream(`${url}/mcp`, { headers: { 'mcp-session-id': handle } });
    const call = callTool(url, handle, callBody('slow'));
    const [waiting] = await tools.started(1);
    await within(stream.ended, { what: 'the stream ends' });
    expect(waiting?.call.cancel.reason).equal('the session ended');
    await call;
  });

  it('are answered 404 once expired', async () => {
    const { url } = await startEdge({ plugins: { front: { config: { sessionTtlSeconds: 1 } } } });
    const handle = await initialize(url);
    expect((await callTool(url, handle, callBody('echo'))).status).equal(200);
    await until(async () => (await callTool(url, handle, callBody('echo'))).status === 404);
    expect(await statusesOf(url, handle)).deep.equal([404, 404, 404]);
  });

  it('belong to the caller that opened them', async () => {
    const { url } = await startEdge({ plugin: identify });
    const as = (caller: string) => ({ 'x-caller': caller });
    const answer = await postMcp(url, initializeBody(), as('a alice'));
    const handle = String(answer.headers['mcp-session-id']);
    expect(await statusesOf(url, handle, as('a bob'))).deep.equal([404, 404, 404]);
    expect(await statusesOf(url, handle, as('b alice'))).deep.equal([404, 404, 404]);
    expect(await statusesOf(url, handle)).deep.equal([404, 404, 404]);
    expect(await statusesOf(url, handle, as('a alice'))).deep.equal([200, 200, 204]);
    const anonymous = await initialize(url);
    expect(await statusesOf(url, anonymous, as('a alice'))).deep.equal([404, 404, 404]);
  });

  it('of clients without sign-in that exceed their share of ends continue without their calls; callers can still end theirs', async () => {
    const tools = testTools();
    const { url } = await startEdge({
      tools: tools.tools,
      plugin: identify,
      plugins: { front: { config: { maxEndedSessions: 4 } } },
    });
    const end = (handle: string, headers: Record<string, string> = {}) =>
      send(`${url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': handle, ...headers } });
    for (let at = 0; at < 2; at += 1) expect((await end(await initialize(url))).status).equal(204);
    const handle = await initialize(url);
    const call = callTool(url, handle, callBody('slow'));
    const [waiting] = await tools.started(1);
    const refused = await end(handle);
    expect(refused.status).equal(503);
    expect(refused.json().error?.message).include('sessions without sign-in have 2 of at most 4 stored ends');
    expect(waiting?.call.cancel.reason).equal('the session ended');
    await call;
    expect((await callTool(url, handle, callBody('echo'))).status).equal(200);
    const ann = { 'x-caller': 'us ann' };
    const hers = await postMcp(url, initializeBody(), ann);
    expect((await end(String(hers.headers['mcp-session-id']), ann)).status).equal(204);
  });

  it('survive a restart, with their revision, and ended ones stay ended', async () => {
    const directory = makeDirectory();
    const first = await startEdge({ directory });
    const [going, ended] = [await initialize(first.url, '2025-03-26'), await initialize(first.url)];
    await send(`${first.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': ended } });
    await first.gateway.stop();
    const { url } = await startEdge({ directory });
    expect((await callTool(url, going, [callBody('echo')])).status).equal(200);
    expect(await statusesOf(url, ended)).deep.equal([404, 404, 404]);
    expect(await statusesOf(url, going)).deep.equal([200, 200, 204]);
  });

  it('continue in a second process on the same state directory', async () => {
    const directory = makeDirectory();
    const first = await startEdge({ directory });
    const second = await startEdge({ directory });
    const handle = await initialize(first.url);
    for (const url of [second.url, first.url, second.url])
      expect((await callTool(url, handle, callBody('echo'))).status).equal(200);
  });

  it('are unknown to a process with another key', async () => {
    const [one, other] = [await startEdge(), await startEdge()];
    expect(await statusesOf(other.url, await initialize(one.url))).deep.equal([404, 404, 404]);
  });

  it('continue when limits of the front change', async () => {
    const withState = await startEdge();
    const handle = await initialize(withState.url);
    await withState.configure({ plugins: { front: { config: { maxDepth: 64 } } } });
    expect((await callTool(withState.url, handle, callBody('echo'))).status).equal(200);
    const deep = JSON.parse('['.repeat(100) + ']'.repeat(100)) as unknown;
    expect((await callTool(withState.url, handle, callBody('echo', { deep }))).status).equal(400);
  });

  it('continue when more are open than the cache of opened handles holds', async () => {
    const edge: Edge = await startEdge({ plugins: { front: { config: { openHandles: 2 } } } });
    const handles = await Promise.all(Array.from({ length: 10 }, () => initialize(edge.url)));
    for (const handle of [...handles, ...handles])
      expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
  });

  it('have handles that are all different, of visible ASCII', async () => {
    const { url } = await startEdge();
    const handles = new Set<string>();
    for (let round = 0; round < 10; round += 1)
      for (const handle of await Promise.all(Array.from({ length: 20 }, () => initialize(url))))
        handles.add(handle);
    expect(handles.size).equal(200);
    for (const handle of handles) expect(handle).match(/^[\x21-\x7e]{32,}$/);
  });

  it('keep their key in the state directory, readable by its owner alone', async () => {
    const { gateway } = await startEdge();
    expect(statSync(gateway.directory.at('state/session-keys.json')).mode & 0o777).equal(0o600);
  });
});
