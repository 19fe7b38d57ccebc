import { expect } from 'chai';
import { callBody, callTool, initialize, postMcp, startEdge, testTools } from '../../support/edge.ts';
import type { Edge, TestTools } from '../../support/edge.ts';
import { toolOf } from '../../support/kernel.ts';
import { send } from '../../support/rawHttp.ts';
import type { RawAnswer } from '../../support/rawHttp.ts';

interface Progressed {
  readonly progressToken: unknown;
  readonly progress: number;
  readonly total?: number;
}
const textIn = (answer: RawAnswer): string =>
  (answer.json().result?.['content'] as { text: string }[]).map(({ text }) => text).join();
const progressIn = (answer: RawAnswer): Progressed[] =>
  answer
    .events()
    .filter(({ method }) => method === 'notifications/progress')
    .map(({ params }) => params as unknown as Progressed);
const cancelBody = (requestId: unknown, reason?: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, ...(reason === undefined ? {} : { reason }) },
});

describe('front: calls', () => {
  let edge: Edge;
  let tools: TestTools;
  let handle: string;
  beforeEach(async () => {
    tools = testTools();
    edge = await startEdge({ tools: tools.tools });
    handle = await initialize(edge.url);
  });
  const call = (body: unknown, session = handle) => callTool(edge.url, session, body);

  it('lists the meta-tools without fields of the kernel', async () => {
    const answer = await call({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const listed = answer.json().result?.['tools'] as Record<string, unknown>[];
    expect(listed.map(({ name }) => name)).deep.equal(tools.tools.map(({ name }) => name));
    for (const tool of listed) expect(tool).have.all.keys('name', 'description', 'inputSchema');
  });

  it('treats absent and null arguments as empty', async () => {
    for (const params of [{ name: 'echo' }, { name: 'echo', arguments: null }]) {
      const answer = await call({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      expect(textIn(answer)).equal('{}');
    }
  });

  it('refuses arguments that are not an object, and a name that is not a string, with -32602', async () => {
    for (const params of [
      { name: 'echo', arguments: [] },
      { name: 'echo', arguments: 'x' },
      { name: 'echo', arguments: 7 },
      { name: 7 },
      {},
    ]) {
      const answer = await call({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      expect(answer.status).equal(200);
      expect(answer.json().error?.code).equal(-32602);
    }
  });

  it('refuses a tool that is not a meta-tool with -32602 and shows the equivalent call_tool call', async () => {
    const tools = [toolOf('x_server_tool', { server: 'server', declared: { name: 'tool' } })];
    const { url } = await startEdge({ tools: [...tools, ...testTools().tools] });
    const handle = await initialize(url);
    for (const name of [
      'x_server_tool',
      'X_Server_Tool',
      'x-server-tool',
      'server_tool',
      'mcp__pegboard__tool',
    ]) {
      const answer = await callTool(url, handle, callBody(name, { a: 1 }));
      expect(answer.json().error?.code).equal(-32602);
      const right = JSON.stringify({ name: 'x_server_tool', arguments: { a: 1 } });
      expect(answer.json().error?.message)
        .match(/cannot be called by name/)
        .and.include(`Call call_tool with ${right}`);
    }
  });

  it('refuses a name that no tool has with -32602, and says how to find one', async () => {
    const advice = {
      x_github_create_issue:
        'no server is named "github"; call filter_tools with {"query":"github create issue"}',
      sendEmail: 'call filter_tools with {"query":"send email"}',
      '': 'find one with filter_tools',
    };
    for (const name of [...Object.keys(advice), '__proto__', 'constructor']) {
      const answer = await call(callBody(name, { a: 1 }));
      expect(answer.json().error?.code).equal(-32602);
      expect(answer.json().error?.message).include('No tool has this name').and.not.include('Call call_tool');
    }
    for (const [name, words] of Object.entries(advice)) {
      const answer = await call(callBody(name, { a: 1 }));
      expect(answer.json().error?.message).include(`No tool has this name: ${words}`);
    }
  });

  it('reports that there are no tools when no plugin provides meta-tools', async () => {
    const bare = await startEdge({ tools: [] });
    const answer = await callTool(bare.url, await initialize(bare.url), callBody('call_tool'));
    expect(answer.json().error).deep.include({
      code: -32602,
      message: 'no tool can be called here: the plugin metatools is switched off',
    });
  });

  it('quotes no more than a few thousand characters of a request, and keeps the next step', async () => {
    const long = 'x'.repeat(1_000_000);
    const direct = await call(callBody(long, { long }));
    expect(direct.text.length).below(12_000);
    expect(direct.json().error?.message).include('No tool has this name');
    const unknown = await call({ jsonrpc: '2.0', id: 1, method: long });
    expect(unknown.text.length).below(12_000);
    expect(unknown.json().error?.message).include('characters left out');
    const failed = await call(callBody('refuses', { text: long }));
    expect(failed.text.length).below(12_000);
    expect(textIn(failed)).match(/; try another$/);
  });

  it('answers a failing tool with an error result and keeps the failure in the log', async () => {
    const answer = await call(callBody('throws'));
    expect(answer.status).equal(200);
    expect(answer.json().result).include({ isError: true });
    expect(answer.text).not.include('4711');
    const [, id] = /internal error (\w+);/.exec(answer.text) ?? [];
    expect(edge.gateway.log.having('call failed')[0]?.data['id']).equal(id);
  });

  it('passes on a result of any depth, and answers one that cannot be serialised with an error result', async () => {
    for (const levels of [1_000, 5_000, 50_000]) {
      const answer = await call(callBody('deep', { levels }));
      expect(answer.status).equal(200);
      expect(answer.text).include('['.repeat(levels)).and.match(/\}\}$/);
    }
  });

  it('answers with JSON when nothing precedes the answer, also when progress was requested', async () => {
    const answer = await call(callBody('echo', {}, { _meta: { progressToken: 1 } }));
    expect(answer.headers['content-type']).equal('application/json');
  });

  it('answers with an event stream only when progress precedes the answer', async () => {
    const asked = await call(callBody('progress', {}, { _meta: { progressToken: 'p' } }));
    expect(asked.headers['content-type']).equal('text/event-stream');
    expect(asked.headers['cache-control']).include('no-cache');
    const notAsked = await call(callBody('progress'));
    expect(notAsked.headers['content-type']).equal('application/json');
  });

  it('sends strictly increasing progress, and none after the answer', async () => {
    const values = [1, 1, 0.5, 2, NaN, 2, 3, -1];
    const answer = await call(callBody('progress', { values }, { _meta: { progressToken: 'p' } }));
    expect(progressIn(answer).map(({ progress }) => progress)).deep.equal([1, 2, 3]);
    const last = answer.events().at(-1);
    expect(last).include({ id: 1 });
    expect(last).have.property('result');
  });

  it('keeps the type of a progress token, and keeps two calls apart', async () => {
    const [number, text] = await Promise.all([
      call(callBody('progress', { values: [1] }, { id: 1, _meta: { progressToken: 1 } })),
      call(callBody('progress', { values: [2] }, { id: 2, _meta: { progressToken: '1' } })),
    ]);
    expect(progressIn(number)).deep.equal([{ progressToken: 1, progress: 1, total: 3 }]);
    expect(progressIn(text)).deep.equal([{ progressToken: '1', progress: 2, total: 3 }]);
  });

  it('ignores progress tokens that are neither string nor number', async () => {
    for (const progressToken of [null, {}, true]) {
      const answer = await call(callBody('progress', {}, { _meta: { progressToken } }));
      expect(answer.headers['content-type']).equal('application/json');
    }
  });

  it('writes a result with line breaks as one line of an event', async () => {
    const both = await call(callBody('multiline'));
    expect(textIn(both)).equal('a\nb');
  });

  describe('cancellation', () => {
    it('reaches the call with the given reason, and the POST of the call is answered with an error', async () => {
      const running = call(callBody('slow', {}, { id: 'a' }));
      const [waiting] = await tools.started(1);
      expect((await call(cancelBody('a', 'changed my mind'))).status).equal(202);
      expect(waiting?.call.cancel.reason).equal('changed my mind');
      const answer = await running;
      expect(answer.status).equal(200);
      expect(JSON.parse(answer.text)).deep.equal({
        jsonrpc: '2.0',
        id: 'a',
        error: { code: -32000, message: 'the request was cancelled: changed my mind' },
      });
    });

    it('ends an open event stream without an answer', async () => {
      const progressing = call(callBody('slow', {}, { id: 5, _meta: { progressToken: 5 } }));
      const [waiting] = await tools.started(1);
      waiting?.call.progress?.({ progress: 1 });
      await call(cancelBody(5));
      const answer = await progressing;
      expect(answer.events().map(({ method }) => method)).deep.equal(['notifications/progress']);
    });

    it('distinguishes the requests "1" and 1', async () => {
      const running = call(callBody('slow', {}, { id: 1 }));
      const [waiting] = await tools.started(1);
      await call(cancelBody('1'));
      expect(waiting?.call.cancel.reason).equal(undefined);
      waiting?.finish();
      expect(textIn(await running)).equal('done');
    });

    it('leaves calls of other sessions alone, also under the same id', async () => {
      const other = await initialize(edge.url);
      const running = call(callBody('slow'));
      const [waiting] = await tools.started(1);
      await call(cancelBody(1), other);
      expect(waiting?.call.cancel.reason).equal(undefined);
      waiting?.finish();
      expect(textIn(await running)).equal('done');
    });

    it('ignores a request that is finished or unknown', async () => {
      await call(callBody('echo'));
      for (const id of [1, 2, null, {}]) expect((await call(cancelBody(id))).status).equal(202);
    });

    it('by DELETE reaches all calls of the session', async () => {
      const running = [1, 2].map((id) => call(callBody('slow', {}, { id })));
      await tools.started(2);
      const headers = { 'mcp-session-id': handle };
      expect((await send(`${edge.url}/mcp`, { method: 'DELETE', headers })).status).equal(204);
      for (const answer of await Promise.all(running))
        expect(answer.text).contain('the request was cancelled: the session ended');
      expect(tools.waiting).deep.equal([]);
    });

    it('is not caused by a client that only closes its connection', async () => {
      const before = edge.gateway.log.records.length;
      const gone = new AbortController();
      const hangingUp = fetch(`${edge.url}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': handle,
        },
        body: JSON.stringify(callBody('slow', {}, { _meta: { progressToken: 1 } })),
        signal: gone.signal,
      }).catch(() => 'gone');
      const [waiting] = await tools.started(1);
      gone.abort();
      expect(await hangingUp).equal('gone');
      expect((await call(callBody('echo', {}, { id: 2 }))).status).equal(200);
      expect(waiting?.call.cancel.reason).equal(undefined);
      waiting?.call.progress?.({ progress: 1 });
      waiting?.finish();
      expect((await call(callBody('echo', {}, { id: 3 }))).status).equal(200);
      const errors = edge.gateway.log.records.slice(before).filter(({ level }) => level === 'error');
      expect(errors).deep.equal([]);
    });
  });

  describe('request ids', () => {
    it('used twice are answered each on its own connection', async () => {
      const first = call(callBody('slow', {}, { id: 1 }));
      const [one] = await tools.started(1);
      const second = call(callBody('slow', {}, { id: 1 }));
      const [, two] = await tools.started(2);
      two?.finish('second');
      one?.finish('first');
      expect(textIn(await first)).equal('first');
      expect(textIn(await second)).equal('second');
    });

    it('used twice end both with their session', async () => {
      const running = [call(callBody('slow', {}, { id: 1 })), call(callBody('slow', {}, { id: 1 }))];
      await tools.started(2);
      await send(`${edge.url}/mcp`, { method: 'DELETE', headers: { 'mcp-session-id': handle } });
      for (const answer of await Promise.all(running)) expect(answer.text).contain('was cancelled');
    });

    it('shared by several sessions never mix up their answers', async () => {
      const sessions = await Promise.all(Array.from({ length: 5 }, () => initialize(edge.url)));
      const answers = await Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          const marker = `session ${at % 5}, id ${at % 3}`;
          const body = callBody('echo', { marker }, { id: at % 3 });
          return [marker, await call(body, sessions[at % 5])] as const;
        }),
      );
      for (const [marker, answer] of answers) expect(textIn(answer)).equal(JSON.stringify({ marker }));
    });
  });

  it('absorbs 10,000 notifications and keeps serving', async () => {
    const batch = Array.from({ length: 100 }, () => cancelBody('nothing'));
    const old = await initialize(edge.url, '2025-03-26');
    for (let round = 0; round < 100; round += 1)
      expect((await postMcp(edge.url, batch, { 'mcp-session-id': old })).status).equal(202);
    expect((await call(callBody('echo'))).status).equal(200);
  });
});
