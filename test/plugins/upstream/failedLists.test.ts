import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/index.ts';
import { HttpFixture } from './httpFixture.ts';
import type { Message } from './httpFixture.ts';
import { Rig, until } from './support.ts';

type Answer = (message: Message, res: ServerResponse) => void;

function rpc(error: JsonObject): Answer {
  return ({ id }, res) => res.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
}
function http(status: number, headers: Record<string, string> = {}): Answer {
  return (_, res) => res.writeHead(status, headers).end('not now');
}
function page(names: readonly string[], nextCursor?: string): Answer {
  const tools = names.map((name) => ({ name, inputSchema: { type: 'object' } }));
  return ({ id }, res) => res.end(JSON.stringify({ jsonrpc: '2.0', id, result: { tools, nextCursor } }));
}

describe('upstream: a list that could not be read', () => {
  const server = new HttpFixture();
  let rig: Rig;
  /** Answers to tools/list, in order; then the usual ones. */
  let answers: Answer[];
  let cursors: (string | undefined)[];
  beforeEach(async () => {
    answers = [];
    cursors = [];
    server.tools = ['echo'];
    server.methods.length = 0;
    server.intercept = (message, res) => {
      if (message.method !== 'tools/list') return false;
      cursors.push(message.params?.cursor);
      const answer = answers.shift();
      answer?.(message, res);
      return answer !== undefined;
    };
    await server.listen();
    rig = new Rig();
  });
  afterEach(async () => {
    await rig.stop();
    server.intercept = undefined;
    await server.kill();
  });
  const connect = async (config: JsonObject = {}): Promise<void> => {
    await rig.configure({ backoffFirstMs: 20, listDebounceMs: 1, ...config });
    await rig.define({ s: { type: 'streamable-http', url: server.url, timeout: 5 } });
    await rig.reaches('s', 'connected');
  };

  for (const [title, fault] of [
    ['503', http(503)],
    ['an internal error', rpc({ code: -32603, message: 'starting' })],
    [
      'an answer without a list',
      ({ id }, res) => res.end(JSON.stringify({ jsonrpc: '2.0', id, result: {} })),
    ],
  ] as const satisfies readonly (readonly [string, Answer])[])
    it(`is asked for again soon after ${title}, and again later after each further one`, async () => {
      answers = [fault, fault, fault];
      await connect();
      expect(rig.status('s').health).to.equal('unhealthy');
      await rig.hasTool('x_s_echo');
      expect(rig.status('s').health).to.equal('healthy');
      expect(cursors).length(4);
      const warned = rig.lines.filter(({ text }) => text === 'server could not be listed');
      expect(warned).length(1);
    });

  it('is asked for again as late as Retry-After says', async () => {
    answers = [http(429, { 'retry-after': '1' })];
    await connect();
    const since = performance.now();
    await rig.hasTool('x_s_echo');
    expect(performance.now() - since).above(900);
  });

  it('keeps the last known tools, marked stale, until it is read', async () => {
    await connect();
    await until('the stream', () => server.streams === 1);
    server.tools = ['echo', 'bye'];
    answers = [http(503), http(503, { 'retry-after': '600' })];
    server.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await until('stale tools', () => rig.isStale('x_s_echo'));
    expect(rig.tools()).to.deep.equal(['x_s_echo']);
    expect(await rig.text('x_s_echo')).to.equal('echo ');
    server.push({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    await until('another reading', () => cursors.length >= 3);
    await rig.service('s').restart?.();
    await rig.hasTool('x_s_bye');
    expect(rig.isStale('x_s_echo')).to.equal(false);
  });

  it('continues with the page that failed, and shows those that arrived', async () => {
    answers = [page(['one', 'two'], 'p2'), http(503), page(['three'], 'p3'), http(502), page(['four'])];
    await connect();
    await until('the first page', () => rig.tools().includes('x_s_two'));
    await rig.hasTool('x_s_four');
    expect(rig.tools()).to.deep.equal(['x_s_four', 'x_s_one', 'x_s_three', 'x_s_two']);
    expect(cursors).to.deep.equal([undefined, 'p2', 'p2', 'p3', 'p3']);
  });

  it('is read from its beginning if the server refuses the cursor of the page that failed', async () => {
    const refused = rpc({ code: -32602, message: 'unknown cursor' });
    answers = [page(['old', 'one'], 'p2'), http(503), refused, page(['one'], 'q2'), page(['two'])];
    await connect();
    await rig.hasTool('x_s_two');
    expect(cursors).to.deep.equal([undefined, 'p2', 'p2', undefined, 'q2']);
    expect(rig.tools()).to.deep.equal(['x_s_one', 'x_s_two']);
  });
});
