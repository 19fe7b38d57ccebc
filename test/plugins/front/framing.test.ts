import { expect } from 'chai';
import fc from 'fast-check';
import { anyCharacter } from '../../support/anyCharacter.ts';
import { callBody, callTool, initialize, initializeBody, postMcp, startEdge } from '../../support/edge.ts';
import type { Edge } from '../../support/edge.ts';
import { send } from '../../support/rawHttp.ts';

describe('front: framing', () => {
  let edge: Edge;
  let handle: string;
  before(async () => {
    edge = await startEdge();
    handle = await initialize(edge.url);
  });
  afterEach(async () => {
    expect((await send(`${edge.url}/health`)).status).equal(200);
    expect((await callTool(edge.url, handle, callBody('echo'))).status).equal(200);
    expect(Object.prototype).not.have.property('polluted');
  });

  for (const text of [
    '',
    '{',
    'hello',
    '{"jsonrpc":"2.0",}',
    '\u0000',
    '{"a":1}{"b":2}',
    "{'jsonrpc':'2.0'}",
  ]) {
    it(`answers 400 and -32700 to ${JSON.stringify(text)}, showing no path and no stack`, async () => {
      const answer = await callTool(edge.url, handle, text);
      expect(answer.status).equal(400);
      expect(answer.headers['content-type']).equal('application/json');
      expect(answer.json()).include({ jsonrpc: '2.0', id: null });
      expect(answer.json().error?.code).equal(-32700);
      expect(answer.text).not.match(/node_modules|\.js|at /);
    });
  }

  const INVALID = [
    '{}',
    '5',
    'null',
    '"x"',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    '{"jsonrpc":"2.0","id":true,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}',
  ];
  for (const text of INVALID) {
    it(`answers 400 and -32600 to ${text}`, async () => {
      const answer = await callTool(edge.url, handle, text);
      expect(answer.status).equal(400);
      expect(answer.json().error?.code).equal(-32600);
    });
  }

  it('names the refused request by its id if the id is readable', async () => {
    const answer = await callTool(edge.url, handle, '{"jsonrpc":"2.0","id":"q","method":"ping","params":[]}');
    expect(answer.json().id).equal('q');
  });

  it('echoes every id that is a string or a safe integer unchanged', async () => {
    const id = fc.oneof(fc.maxSafeInteger(), fc.string({ unit: anyCharacter }), fc.constant(0));
    await fc.assert(
      fc.asyncProperty(id, async (one) => {
        const answer = await callTool(edge.url, handle, { jsonrpc: '2.0', id: one, method: 'ping' });
        expect(answer.json()).deep.equal({ jsonrpc: '2.0', id: one === 0 ? 0 : one, result: {} });
      }),
      { numRuns: 100 },
    );
  });

  it('echoes an id of a lone surrogate and of NUL', async () => {
    for (const id of ['"\\ud800"', '"\\u0000"', '"\\u2028"']) {
      const answer = await callTool(edge.url, handle, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect(answer.json().id).equal(JSON.parse(id));
    }
  });

  it('answers an unknown method with 200 and -32601', async () => {
    for (const method of ['nope', '', '__proto__', 'constructor', 'toString', 'tools/call/']) {
      const answer = await callTool(edge.url, handle, { jsonrpc: '2.0', id: 1, method });
      expect(answer.status).equal(200);
      expect(answer.json()).include({ id: 1 });
      expect(answer.json().error?.code).equal(-32601);
    }
  });

  it('accepts any notification and any response with 202 and no body', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/unknown' },
      { jsonrpc: '2.0', method: 'notifications/cancelled' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: { a: 1 } } },
      { jsonrpc: '2.0', method: 'tools/call', params: { name: 'throws' } },
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'no' } },
    ]) {
      const answer = await callTool(edge.url, handle, body);
      expect(answer.status).equal(202);
      expect(answer.text).equal('');
    }
  });

  it('refuses a second initialize of a session, under its id', async () => {
    const answer = await callTool(edge.url, handle, initializeBody());
    expect(answer.status).equal(400);
    expect(answer.json()).include({ id: 0 });
    expect(answer.json().error?.code).equal(-32600);
  });

  it('answers a request before notifications/initialized', async () => {
    const fresh = await initialize(edge.url);
    const answer = await callTool(edge.url, fresh, { jsonrpc: '2.0', id: 1, method: 'ping' });
    expect(answer.json().result).deep.equal({});
  });

  it('answers every request without a session with 400 and the advice to initialize', async () => {
    for (const method of ['ping', 'tools/list', 'tools/call', 'notifications/initialized']) {
      const id = method.startsWith('notifications') ? {} : { id: 1 };
      const answer = await postMcp(edge.url, { jsonrpc: '2.0', ...id, method });
      expect(answer.status).equal(400);
      expect(answer.json().error?.message).include('initialize');
    }
  });

  for (const levels of [1_000, 5_000, 50_000, 1_000_000]) {
    it(`refuses ${levels} levels of nesting in the arguments`, async () => {
      const nested = '['.repeat(levels) + ']'.repeat(levels);
      const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":${nested}}}}`;
      const answer = await callTool(edge.url, handle, text);
      expect(answer.status).equal(400);
      expect(answer.json().error?.message).include('nested deeper than 512');
    });
  }

  it('accepts nesting up to the limit, and any number of brackets in strings', async () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    const tooDeep = await callTool(edge.url, handle, callBody('echo', { a: nested(510) }));
    expect(tooDeep.status).equal(400);
    for (const args of [{ a: nested(509) }, { a: '[{'.repeat(10_000) }, { a: '\\"[{'.repeat(10_000) }]) {
      const answer = await callTool(edge.url, handle, callBody('echo', args));
      const [item] = answer.json().result?.['content'] as { text: string }[];
      expect(JSON.parse(item?.text ?? '')).deep.equal(args);
    }
  });

  it('counts depth as JSON does, whatever characters are in strings', async () => {
    const { decodeBody } = await import('../../../plugins/front/message/codec.ts');
    const limits = { maxDepth: 16, maxBatch: 10 };
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    const params = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 22, withCrossShrink: true },
        fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', '}', 'a') }),
        fc.dictionary(fc.string({ unit: fc.constantFrom('"', '\\', '{', 'b') }), tie('value'), {
          maxKeys: 2,
        }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    })).value;
    fc.assert(
      fc.property(params, (value) => {
        const message = { jsonrpc: '2.0', id: 1, method: 'x', params: { value } };
        const read = (): unknown => decodeBody(JSON.stringify(message), limits);
        if (depthOf(message) > 16) expect(read).throw('nested deeper');
        else expect(read).not.throw();
      }),
      { numRuns: 500 },
    );
  });

  it('keeps __proto__, constructor and prototype as data', async () => {
    const args = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":1}';
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"polluted":1},"name":"echo","arguments":${args},"_meta":{"__proto__":{"progressToken":1}}}}`;
    const answer = await callTool(edge.url, handle, text);
    expect(answer.headers['content-type']).equal('application/json');
    const [item] = answer.json().result?.['content'] as { text: string }[];
    expect(item?.text).equal(args);
    const init = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"__proto__":{"elicitation":{}},"constructor":{}}}}`;
    expect((await postMcp(edge.url, init)).status).equal(200);
  });

  it('passes any text in both directions, character for character', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter, maxLength: 200 }), async (text) => {
        const answer = await callTool(edge.url, handle, callBody('echo', { text }));
        const [item] = answer.json().result?.['content'] as { text: string }[];
        expect((JSON.parse(item?.text ?? '') as { text: string }).text).equal(text);
      }),
      { numRuns: 100 },
    );
  });

  it('uses the last of two equal keys', async () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2}}}';
    const answer = await callTool(edge.url, handle, text);
    expect(answer.json().id).equal(2);
    expect(answer.text).include('{\\"a\\":2}');
  });

  it('survives any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const answer = await postMcp(edge.url, Buffer.from(bytes), { 'mcp-session-id': handle });
        expect(answer.status).oneOf([400, 200, 202]);
        if (answer.text !== '') expect(() => answer.json()).not.throw();
      }),
      { numRuns: 100 },
    );
  });
});
