import { expect } from 'chai';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../kernel/index.ts';
import { eventually, startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { makeDirectory } from '../../support/directory.ts';
import { callBody, initialize, initializeBody, postMcp } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { identify } from '../../support/identify.ts';
import type { RawAnswer } from '../../support/rawHttp.ts';
import { post, statelessCall } from '../../support/stateless.ts';
import { hostLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';

const META_KEY = 'pegboard.dev/idempotency-key';
const OWNER_KEY = 'pegboard.dev/owner';
const REPLAYED = 'pegboard.dev/replayed';
const ANN = 'https://as.example ann';
const BOB = 'https://as.example bob';
const TWICE = `
apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata: { name: twice }
spec:
  description: Books twice
  steps:
    - { id: one, tool: x_ledger_book, output: true }
    - { id: two, tool: x_ledger_book, output: true }
`;

interface Asked {
  readonly key?: string;
  readonly args?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}
interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly isReplayed: boolean;
  readonly error: JsonObject | undefined;
}

describe('idempotency keys', () => {
  let ledger: Ledger;
  let gateway: TestGateway;
  let handle: string;
  let lastKey = 0;
  const files = (): Record<string, string> => ({
    'config.yaml': JSON.stringify({
      plugins: {
        'test-identify': { module: './identify.mjs' },
        idempotency: { config: { maxResultBytes: 10_000 } },
      },
    }),
    'identify.mjs': moduleOf(identify),
    'mcpservers/ledger.yaml': JSON.stringify({ type: 'streamable-http', url: ledger.url }),
    'workflows/twice.yaml': TWICE,
  });
  const newKey = (): string => `key-${(lastKey += 1)}`;

  async function start(directory?: string): Promise<TestGateway> {
    const own = directory === undefined ? {} : { directory };
    const started = await startGateway({ ...own, files: files() });
    const isConnected = (): boolean => started.log.some(({ text }) => text === 'server connected');
    await eventually(isConnected, 'the ledger', 10_000);
    return started;
  }
  /** @param at the gateway to call */
  async function call(name: string, { key, args = {}, headers = {} }: Asked, at = gateway): Promise<Answer> {
    const body = callBody('call_tool', { name, arguments: args }, key ? { _meta: { [META_KEY]: key } } : {});
    return answerIn(await postMcp(at.url(), body, { 'mcp-session-id': handle, ...headers }));
  }

  before(async () => {
    ledger = await hostLedger();
    gateway = await start();
    handle = await initialize(gateway.url());
  });
  afterEach(() => ledger.release());
  after(async () => {
    await gateway.stop();
    await ledger.close();
  });

  it('run a call once, and answer the repeated call with the same result', async () => {
    const before = ledger.runs;
    const asked = { key: newKey(), args: { what: 'a seat', at: { row: 1, seat: 2 } } };
    const first = await call('x_ledger_book', asked);
    const second = await call('x_ledger_book', {
      ...asked,
      args: { at: { seat: 2, row: 1 }, what: 'a seat' },
    });
    expect(first).include({ text: `run ${before + 1}`, isReplayed: false });
    expect(second).deep.equal({ ...first, isReplayed: true });
    expect(ledger.runs).equal(before + 1);
  });

  it('leave calls without a key alone', async () => {
    const before = ledger.runs;
    for (let at = 0; at < 2; at += 1) expect((await call('x_ledger_book', {})).isReplayed).equal(false);
    expect(ledger.runs).equal(before + 2);
  });

  it('are read from the header, quoted or bare, and from _meta first', async () => {
    const [before, key] = [ledger.runs, newKey()];
    const { text } = await call('x_ledger_book', { key });
    for (const value of [key, `"${key}"`])
      expect(await call('x_ledger_book', { headers: { 'idempotency-key': value } }), value).include({
        text,
        isReplayed: true,
      });
    expect(await call('x_ledger_book', { key, headers: { 'idempotency-key': newKey() } })).include({ text });
    const escaped = await call('x_ledger_book', { headers: { 'idempotency-key': `"${key} \\"\\\\"` } });
    expect(await call('x_ledger_book', { key: `${key} "\\` })).include({
      text: escaped.text,
      isReplayed: true,
    });
    expect(ledger.runs).equal(before + 2);
  });

  it('are refused when invalid, naming their field', async () => {
    const before = ledger.runs;
    const bad = ['', 'ä', 'x'.repeat(256), 'line\n', 5, null, {}];
    for (const key of bad) {
      const body = callBody('call_tool', { name: 'x_ledger_book' }, { _meta: { [META_KEY]: key } });
      const { text } = await postMcp(gateway.url(), body, { 'mcp-session-id': handle });
      expect(JSON.parse(text), JSON.stringify(key)).nested.include({
        'error.code': -32602,
        'error.message': `params._meta["${META_KEY}"] must be a string of 1 to 255 printable ASCII characters`,
      });
    }
    for (const value of ['"open', '""', 'two words', 'a, b', '"a", "b"', '"a";b=1', 'x'.repeat(256)]) {
      const body = callBody('call_tool', { name: 'x_ledger_book' });
      const headers = { 'mcp-session-id': handle, 'idempotency-key': value };
      const { text } = await postMcp(gateway.url(), body, headers);
      expect(text, value).include('header Idempotency-Key must be a string of 1 to 255');
    }
    expect(ledger.runs).equal(before);
  });

  it('refuse a second call while the first is under way, and say when to retry', async () => {
    const [before, key] = [ledger.runs, newKey()];
    const first = call('x_ledger_slow', { key });
    await ledger.underWay(1);
    const second = await call('x_ledger_slow', { key });
    expect(second.error).deep.equal({ code: 'TOOL_KEY_BUSY', retryAfter: 1 });
    ledger.release();
    const { text } = await first;
    expect(await call('x_ledger_slow', { key })).include({ text, isReplayed: true });
    expect(ledger.runs).equal(before + 1);
  });

  it('refuse other arguments, and belong to one tool', async () => {
    const key = newKey();
    const { text } = await call('x_ledger_book', { key, args: { seat: 1 } });
    const refused = await call('x_ledger_book', { key, args: { seat: 2 } });
    expect(refused.error).deep.equal({ code: 'TOOL_KEY_REUSED' });
    expect(refused.text).equal(
      'this idempotency key belongs to a call of x_ledger_book with other arguments; use a new key',
    );
    expect(await call('x_ledger_decline', { key })).include({ isReplayed: false });
    expect(await call('x_ledger_book', { key, args: { seat: 1 } })).include({ text, isReplayed: true });
  });

  it('belong to their caller, across its sessions', async () => {
    const key = newKey();
    const as = async (who: string): Promise<Answer> => {
      const headers = { 'x-caller': who };
      const answer = await postMcp(gateway.url(), initializeBody(), headers);
      const session = { ...headers, 'mcp-session-id': String(answer.headers['mcp-session-id']) };
      return call('x_ledger_book', { key, headers: session });
    };
    const [anns, bobs] = [await as(ANN), await as(BOB)];
    expect(anns.text).not.equal(bobs.text);
    expect(await as(ANN)).deep.equal({ ...anns, isReplayed: true });
    expect(await call('x_ledger_book', { key })).include({ isReplayed: false });
  });

  it('repeat failures: results that are errors, and errors of the server', async () => {
    for (const name of ['x_ledger_decline', 'x_ledger_fail']) {
      const [before, key] = [ledger.runs, newKey()];
      const first = await call(name, { key });
      expect(first.isError).equal(true);
      const { text, isError, error } = await call(name, { key });
      expect({ text, isError, error }).deep.include({ text: first.text, error: first.error, isError: true });
      expect(ledger.runs, name).equal(before + 1);
    }
  });

  it('answer for a call whose connection was cut that it may have run, each time', async () => {
    const [before, key] = [ledger.runs, newKey()];
    const first = call('x_ledger_slow', { key });
    await ledger.underWay(1);
    await ledger.forget();
    expect((await first).error).deep.equal({ code: 'UPSTREAM_CLOSED', mayHaveRun: true });
    expect(await call('x_ledger_slow', { key })).deep.equal(await first);
    expect(ledger.runs).equal(before + 1);
  });

  it('stay free when the tool has not run', async () => {
    const key = newKey();
    const suspend = (operation: string): Promise<Answer> =>
      call(`core_service_${operation}`, { args: { name: 'ledger' } });
    await suspend('stop');
    expect((await call('x_ledger_book', { key })).isError).equal(true);
    await suspend('start');
    expect(await call('x_ledger_book', { key })).include({ isError: false, isReplayed: false });
  });

  it('do not keep a large result, and answer that the tool has run', async () => {
    const [before, asked] = [ledger.runs, { key: newKey(), args: { bytes: 20_000 } }];
    expect((await call('x_ledger_large', asked)).text).length(20_000);
    const second = await call('x_ledger_large', asked);
    expect(second.error).deep.equal({ code: 'TOOL_RESULT_GONE' });
    expect(second.text).match(
      /^x_ledger_large has run with this idempotency key; its result of 20\d\d\d bytes/,
    );
    expect(ledger.runs).equal(before + 1);
  });

  it('cover a workflow as a whole, never its steps', async () => {
    const [before, key] = [ledger.runs, newKey()];
    const first = await call('workflow_twice', { key });
    expect(first).include({ isError: false, isReplayed: false });
    expect(ledger.runs).equal(before + 2);
    expect(await call('workflow_twice', { key })).deep.equal({ ...first, isReplayed: true });
    expect(ledger.runs).equal(before + 2);
  });

  it('work for clients of 2026-07-28', async () => {
    const [before, key] = [ledger.runs, newKey()];
    const asked = (seat: number) =>
      statelessCall(
        'call_tool',
        { name: 'x_ledger_book', arguments: { seat } },
        { meta: { [META_KEY]: key } },
      );
    const as = async (seat: number): Promise<Answer> =>
      answerIn(await post(gateway.url(), asked(seat), { 'x-caller': ANN }));
    const first = await as(1);
    expect(await as(1)).deep.equal({ ...first, isReplayed: true });
    expect((await as(2)).error).deep.equal({ code: 'TOOL_KEY_REUSED' });
    expect(ledger.runs).equal(before + 1);
  });

  it('belong to their client in 2026-07-28 without sign-in, by its owner handle', async () => {
    const [before, key] = [ledger.runs, newKey()];
    const asked = async (owner?: unknown): Promise<{ answer: Answer; owner: unknown }> => {
      const meta = { [META_KEY]: key, ...(owner !== undefined && { [OWNER_KEY]: owner }) };
      const args = { name: 'x_ledger_book', arguments: { seat: 1 } };
      const raw = await post(gateway.url(), statelessCall('call_tool', args, { meta }));
      const given = raw.json().result?.['_meta'] as JsonObject;
      return { answer: answerIn(raw), owner: given[OWNER_KEY] };
    };
    const [one, other] = [await asked(), await asked()];
    expect([one, other].map(({ answer }) => answer.isReplayed)).deep.equal([false, false]);
    expect((await asked(one.owner)).answer).deep.equal({ ...one.answer, isReplayed: true });
    expect((await asked(other.owner)).answer).deep.equal({ ...other.answer, isReplayed: true });
    expect(ledger.runs).equal(before + 2);
  });

  it('pass the guards again: a result that was denied since is not repeated', async () => {
    const key = newKey();
    await call('x_ledger_book', { key });
    const plugins = { 'test-identify': { module: './identify.mjs' } };
    await gateway.configure({ ...plugins, deny: { config: { tools: ['x_ledger_book'] } } });
    expect((await call('x_ledger_book', { key })).isError).equal(true);
    await gateway.configure(plugins);
    expect(await call('x_ledger_book', { key })).include({ isReplayed: true });
  });

  it('apply their limits live, and refuse invalid ones', async () => {
    const plugins = { 'test-identify': { module: './identify.mjs' } };
    const limited = (config: JsonObject) => gateway.configure({ ...plugins, idempotency: { config } });
    const key = newKey();
    await call('x_ledger_book', { key });
    expect((await limited({ maxKeys: 1 })).applied).equal(true);
    expect((await call('x_ledger_book', { key: newKey() })).error).deep.equal({ code: 'STORE_FORBIDDEN' });
    expect(await call('x_ledger_book', { key })).include({ isReplayed: true });
    const { applied, issues } = await limited({ keepSecond: 1 });
    expect(applied).equal(false);
    expect(issues[0]?.message).equal(
      'plugin idempotency: unknown key "keepSecond"; did you mean "keepSeconds"?',
    );
    await gateway.configure(plugins);
  });

  it('leave room for others, however many one session uses', async () => {
    const plugins = { 'test-identify': { module: './identify.mjs' } };
    const maxKeys = 100;
    await gateway.configure({ ...plugins, idempotency: { config: { maxKeys } } });
    const greedy = { 'mcp-session-id': await initialize(gateway.url()) };
    const take = (): Promise<Answer> => call('x_ledger_book', { key: newKey(), headers: greedy });
    let taken = 0;
    let last = await take();
    for (; !last.isError && taken < maxKeys; taken += 1) last = await take();
    expect(last.error).deep.equal({ code: 'STORE_FORBIDDEN' });
    expect(last.text).include(`this caller has ${taken} of at most ${maxKeys} keys, and the rest (`);
    expect(taken).at.most(maxKeys / 2);
    for (let others = 0; others < 3; others += 1) {
      const headers = { 'mcp-session-id': await initialize(gateway.url()) };
      expect(await call('x_ledger_book', { key: newKey(), headers })).include({ isError: false });
    }
    await gateway.configure(plugins);
  });

  it('are refused with the plugin switched off, because no plugin would keep them', async () => {
    const [before, plugins] = [ledger.runs, { 'test-identify': { module: './identify.mjs' } }];
    await gateway.configure({ ...plugins, idempotency: false });
    expect((await call('x_ledger_book', { key: newKey() })).error).deep.equal({ code: 'PLUGIN_MISSING' });
    expect(await call('x_ledger_book', {})).include({ isError: false });
    await gateway.configure(plugins);
    expect(ledger.runs).equal(before + 1);
  });

  it('survive a restart, and a crash in the middle of a call', async () => {
    const directories = [makeDirectory().path, makeDirectory().path] as const;
    const [before, done, cut] = [ledger.runs, newKey(), newKey()];
    const first = await start(directories[0]);
    handle = await initialize(first.url());
    const { text } = await call('x_ledger_book', { key: done }, first);
    const underWay = call('x_ledger_slow', { key: cut }, first);
    await ledger.underWay(1);
    // The disk as a kill at this instant would leave it; only a live process holds the lock.
    await cp(join(directories[0], 'state'), join(directories[1], 'state'), {
      recursive: true,
      filter: (path) => !path.includes('lock.'),
    });
    ledger.release();
    const slow = await underWay;
    await first.stop();

    const restarted = await start(directories[0]);
    expect(await call('x_ledger_book', { key: done }, restarted)).include({ text, isReplayed: true });
    expect(await call('x_ledger_slow', { key: cut }, restarted)).deep.equal({ ...slow, isReplayed: true });
    await restarted.stop();

    const crashed = await start(directories[1]);
    expect(await call('x_ledger_book', { key: done }, crashed)).include({ text, isReplayed: true });
    const unknown = await call('x_ledger_slow', { key: cut }, crashed);
    expect(unknown.error).deep.equal({ code: 'TOOL_OUTCOME_UNKNOWN' });
    expect(unknown.text).include('it may have run; check its effect before calling with a new key');
    await crashed.stop();
    expect(ledger.runs).equal(before + 2);
  });
});

function answerIn(answer: RawAnswer): Answer {
  const messages = answer.text.startsWith('{') ? [answer.json()] : answer.events();
  const { result } = messages.at(-1) as { result?: JsonObject };
  if (result === undefined) throw new Error(answer.text);
  const [content] = result['content'] as readonly JsonObject[];
  const meta = (result['_meta'] ?? {}) as JsonObject;
  return {
    text: String(content?.['text']),
    isError: result['isError'] === true,
    isReplayed: meta[REPLAYED] === true,
    error: meta['pegboard.dev/error'] as JsonObject | undefined,
  };
}
