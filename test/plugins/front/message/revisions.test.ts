import { expect } from 'chai';
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

const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const WITH_BATCHES = ['2025-03-26', '2024-11-05'];

describe('front: revisions', () => {
  let edge: Edge;
  before(async () => {
    edge = await startEdge();
  });

  for (const revision of REVISIONS) {
    it(`agrees on ${revision} when a client asks for it`, async () => {
      const answer = await postMcp(edge.url, initializeBody(revision));
      expect(answer.status).equal(200);
      expect(answer.json().result).include({ protocolVersion: revision });
      const handle = String(answer.headers['mcp-session-id']);
      const headers = { 'mcp-session-id': handle, 'mcp-protocol-version': revision };
      expect((await postMcp(edge.url, callBody('echo'), headers)).status).equal(200);
    });

    it(`serves a ${revision} client that never repeats its revision`, async () => {
      const handle = await initialize(edge.url, revision);
      expect((await callTool(edge.url, handle, callBody('echo'))).json().result).property('content');
    });

    it(`serves a ${revision} session, as agreed, whose header names another known revision`, async () => {
      const handle = await initialize(edge.url, revision);
      for (const other of REVISIONS.filter((one) => one !== revision)) {
        const headers = { 'mcp-session-id': handle, 'mcp-protocol-version': other };
        const answer = await postMcp(edge.url, callBody('echo'), headers);
        expect(answer.status, other).equal(200);
        expect(answer.json().result, other).property('content');
      }
    });
  }

  for (const asked of ['1900-01-01', '2026-07-28', '2099-01-01', '', 'latest']) {
    it(`offers its newest revision to a client that asks for ${JSON.stringify(asked)}`, async () => {
      const answer = await postMcp(edge.url, initializeBody(asked));
      expect(answer.json().result).include({ protocolVersion: '2025-11-25' });
    });
  }

  it('refuses an initialize without a revision, under its id', async () => {
    const body = { jsonrpc: '2.0', id: 'a', method: 'initialize', params: { capabilities: {} } };
    const answer = await postMcp(edge.url, body);
    expect(answer.status).equal(400);
    expect(answer.json()).include({ id: 'a' });
    expect(answer.json().error).include({ code: -32602 });
  });

  for (const version of ['1999-01-01', '2099-01-01', 'latest', '2025-11-25, 2025-11-25']) {
    it(`answers 400 with a JSON-RPC error to MCP-Protocol-Version: ${version}, with and without a session`, async () => {
      const handle = await initialize(edge.url);
      for (const session of [{}, { 'mcp-session-id': handle }]) {
        const answer = await postMcp(edge.url, callBody('echo'), {
          ...session,
          'mcp-protocol-version': version,
        });
        expect(answer.status).equal(400);
        expect(answer.headers['content-type']).equal('application/json');
        expect(answer.json()).include({ jsonrpc: '2.0', id: null });
        for (const known of REVISIONS) expect(answer.json().error?.message).include(known);
      }
    });
  }

  it('explains to a client without configuration how to find and call tools', async () => {
    const { result } = (await postMcp(edge.url, initializeBody())).json();
    expect(result?.['serverInfo']).include({ name: 'pegboard' });
    expect(result?.['instructions']).include('filter_tools').and.include('call_tool');
    expect(result?.['capabilities']).deep.equal({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    });
  });

  describe('batches', () => {
    const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

    for (const revision of REVISIONS.filter((one) => !WITH_BATCHES.includes(one))) {
      it(`refuses a batch on a ${revision} session and runs none of it`, async () => {
        const handle = await initialize(edge.url, revision);
        const answer = await callTool(edge.url, handle, [callBody('echo'), ping(2)]);
        expect(answer.status).equal(400);
        expect(answer.json().error).include({ code: -32600 });
        expect(answer.json().error?.message).include('no batches');
      });
    }

    for (const revision of WITH_BATCHES) {
      it(`answers a batch on a ${revision} session with an array, notifications aside`, async () => {
        const handle = await initialize(edge.url, revision);
        const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } };
        const response = { jsonrpc: '2.0', id: 7, result: {} };
        const answer = await callTool(edge.url, handle, [
          ping(1),
          cancelled,
          response,
          callBody('echo', { a: 1 }, { id: 'x' }),
          { jsonrpc: '2.0', id: 3, method: 'nope' },
        ]);
        expect(answer.status).equal(200);
        const answers = JSON.parse(answer.text) as { id: unknown; error?: { code: number } }[];
        expect(answers.map(({ id }) => id)).deep.equal([1, 'x', 3]);
        expect(answers[2]?.error?.code).equal(-32601);
      });
    }

    it('sends no answer to a batch of notifications', async () => {
      const handle = await initialize(edge.url, '2025-03-26');
      const answer = await callTool(edge.url, handle, [{ jsonrpc: '2.0', method: 'notifications/x' }]);
      expect(answer.status).equal(202);
      expect(answer.text).equal('');
    });

    it('refuses an empty batch, initialize in a batch, a broken message and too many messages', async () => {
      const handle = await initialize(edge.url, '2025-03-26');
      const init = JSON.parse(initializeBody()) as object;
      for (const body of [
        [],
        [init, ping(1)],
        [ping(1), 5],
        Array.from({ length: 101 }, (_, i) => ping(i)),
      ]) {
        const answer = await callTool(edge.url, handle, body);
        expect(answer.status).equal(400);
        expect(answer.json().error?.code).equal(-32600);
      }
      for (const body of [[], [init], [init, ping(1)]])
        expect((await postMcp(edge.url, body)).status).equal(400);
    });

    it('sends no progress of a finished request while others of its batch are running', async () => {
      const tools = testTools();
      const busy = await startEdge({ tools: tools.tools });
      const handle = await initialize(busy.url, '2025-03-26');
      const answer = callTool(busy.url, handle, [
        callBody('progress', {}, { id: 1, _meta: { progressToken: 'p' } }),
        callBody('slow', {}, { id: 2 }),
      ]);
      const [waiting] = await tools.started(1);
      // The tool reports progress even after its answer; by now it has.
      await callTool(busy.url, handle, callBody('echo'));
      waiting?.finish();
      const told = (await answer).events().filter(({ method }) => method === 'notifications/progress');
      expect(told.map(({ params }) => params?.['progress'])).deep.equal([1, 2, 3]);
    });

    it('sends the progress of a batch before its answers', async () => {
      const handle = await initialize(edge.url, '2025-03-26');
      const answer = await callTool(edge.url, handle, [
        callBody('progress', {}, { id: 1, _meta: { progressToken: 'p' } }),
        ping(2),
      ]);
      expect(answer.headers['content-type']).equal('text/event-stream');
      const events = answer.events();
      expect(events.slice(0, 3).map(({ method }) => method)).deep.equal(
        Array(3).fill('notifications/progress'),
      );
      expect(events[3]).be.an('array').with.length(2);
    });
  });
});
