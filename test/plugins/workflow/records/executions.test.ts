import { existsSync } from 'node:fs';
import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import type { InboundRequest } from '../../../../kernel/contracts/request.ts';
import type { Progress } from '../../../../kernel/contracts/client.ts';
import { Cancellation } from '../../../../kernel/lib/cancellation.ts';
import { answerIn, askCore, callCore } from '../../../support/coreTools.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { requestOf } from '../../../support/requests.ts';
import { until } from '../../../support/until.ts';
import { bootBoard, file, run, stepsOf } from '../board.ts';
import type { Board, Row } from '../board.ts';

const ECHO = { id: 'a', tool: 'x_echo', args: { x: 1 } };
const WAIT = { id: 'w', tool: 'x_wait' };

/** Calls through a meta-tool of this test, with the request and options of a client. */
async function entered(
  board: Board,
  {
    name,
    args = {},
    request = requestOf(),
    cancel,
    progress,
  }: {
    name: string;
    args?: JsonObject;
    request?: InboundRequest;
    cancel?: Cancellation;
    progress?: (update: Progress) => void;
  },
): Promise<JsonObject> {
  const entry = `enter_${Math.random().toString(36).slice(2)}`;
  const remove = board.kernel.catalogue.add('test', {
    name: entry,
    kind: 'meta',
    description: '',
    inputSchema: {},
    invoke: (_, call) => call.child(name, args),
  });
  try {
    const options = { ...(cancel && { cancel }), ...(progress && { progress }) };
    return answerIn((await board.kernel.calls.call(entry, {}, request, options)).value());
  } finally {
    remove();
  }
}
function as(subject: string): InboundRequest {
  return { ...requestOf(), caller: { subject } };
}
/** A request without sign-in. */
function inSession(sessionId: string | undefined): InboundRequest {
  return { ...requestOf(), sessionId };
}

describe('plugins/workflow: executions', () => {
  it('are recorded before the first step, after each and at the end', async () => {
    const board = await bootBoard({ files: file('w', { steps: [ECHO, WAIT, { id: 'b', tool: 'x_echo' }] }) });
    const running = run(board, 'w', { extra: 1 });
    await board.waiting;
    const [summary] = (await askCore(board, 'core_workflow_execution_list'))['executions'] as Row[];
    const id = String(summary?.['execution_id']);
    expect(summary).to.include({ workflow_name: 'w', status: 'running' });
    const during = await until(async () => {
      const record = await askCore(board, 'core_workflow_execution_get', { execution_id: id });
      return (record['steps'] as Row[]).some(({ status }) => status === 'completed') ? record : undefined;
    });
    expect(during['input']).to.deep.equal({ extra: 1 });
    const listed = await until(async () => {
      const { executions } = await askCore(board, 'core_workflow_execution_list');
      const [one] = executions as Row[];
      return Number(one?.['duration_ms']) > 0 ? one : undefined;
    });
    expect(listed).to.include({ status: 'running', step_count: (during['steps'] as Row[]).length });
    const { duration_ms: sofar } = await askCore(board, 'core_workflow_execution_get', { execution_id: id });
    expect(sofar).to.be.at.least(Number(listed['duration_ms']));
    expect((during['steps'] as Row[])[0]).to.deep.include({
      step_id: 'a',
      status: 'completed',
      input: { x: 1 },
      result: { x: 1 },
    });
    board.open();
    await running;
    const record = await askCore(board, 'core_workflow_execution_get', { execution_id: id });
    expect(record).to.include({ status: 'completed' });
    expect(
      (record['steps'] as Row[]).map(({ step_id, status }) => `${String(step_id)} ${String(status)}`),
    ).to.deep.equal(['a completed', 'w completed', 'b completed']);
    expect(record['result']).to.include({ execution_id: id, status: 'completed' });
    const bare = await askCore(board, 'core_workflow_execution_get', {
      execution_id: id,
      include_steps: false,
    });
    expect(JSON.stringify(bare)).to.not.contain('steps').and.not.contain('template_vars');
    const one = await askCore(board, 'core_workflow_execution_get', { execution_id: id, step_id: 'b' });
    expect((one['steps'] as Row[]).map(({ step_id }) => step_id)).to.deep.equal(['b']);
    expect(one).to.not.have.property('result');
  });

  it('with many quick steps share record writes, wait for none and lose no step', async () => {
    const stored = new Map<string, unknown>();
    const written: string[] = [];
    stored.set = (key, value) => {
      written.push(key);
      return Map.prototype.set.call(stored, key, value) as typeof stored;
    };
    const steps = Array.from({ length: 100 }, (_, at) => ({ ...ECHO, id: `s${at}` }));
    const config = { executionWriteMs: 60_000 };
    const board = await bootBoard({ files: file('w', { steps }), stored, config });
    const { execution_id } = await run(board, 'w');
    expect(written.filter((key) => key.startsWith('execution:'))).to.have.length(3);
    const record = await askCore(board, 'core_workflow_execution_get', { execution_id });
    expect((record['steps'] as Row[]).map(({ status }) => status)).to.deep.equal(
      steps.map(() => 'completed'),
    );
  });

  it('that end because Pegboard stops are recorded up to their last step', async () => {
    const stored = new Map<string, unknown>();
    const config = { executionWriteMs: 60_000 };
    const board = await bootBoard({ files: file('w', { steps: [ECHO, WAIT] }), stored, config });
    void run(board, 'w').catch(() => undefined);
    await board.waiting;
    await board.stop();
    const [record] = [...stored].filter(([key]) => key.startsWith('execution:')).map(([, value]) => value);
    expect(record).to.include({ status: 'cancelled' });
    const last = (record as { steps: Row[] }).steps.map(({ step_id, status }) => [step_id, status]);
    expect(last).to.deep.equal([
      ['a', 'completed'],
      ['w', 'failed'],
    ]);
  });

  it('left running by a crash are marked failed at the next start, with the reason', async () => {
    const stored = new Map<string, unknown>();
    const files = file('w', { steps: [ECHO, WAIT] });
    const first = await bootBoard({ files, stored });
    const running = run(first, 'w').catch(() => undefined);
    await first.waiting;
    await until(() => JSON.stringify([...stored.values()]).includes('"step_id":"w"'));
    // A kill leaves behind only the entries stored so far.
    const left = new Map(structuredClone([...stored]));
    first.open();
    await running;
    const second = await bootBoard({ files, stored: left });
    const { executions } = await askCore(second, 'core_workflow_execution_list', { status: 'failed' });
    const [summary] = executions as Row[];
    expect(summary).to.include({ status: 'failed', error: 'interrupted: service restarted' });
    const record = await askCore(second, 'core_workflow_execution_get', {
      execution_id: summary?.['execution_id'],
    });
    expect(
      (record['steps'] as Row[]).map(({ step_id, status }) => `${String(step_id)} ${String(status)}`),
    ).to.include('a completed');
    expect(JSON.stringify(record)).to.not.contain('"running"');
  });

  it('work without a vault, with one warning', async () => {
    const board = await bootBoard({ files: file('w', { steps: [ECHO] }), withVault: false });
    await run(board, 'w');
    await run(board, 'w');
    expect(await askCore(board, 'core_workflow_execution_list')).to.include({ total: 2, has_more: false });
    expect(board.log.having('no vault')).to.have.length(1);
  });

  it('continue when the vault fails, and report that they are not recorded', async () => {
    const stored = new Map<string, unknown>();
    stored.set = () => {
      throw new Error('the disk is full');
    };
    const board = await bootBoard({ files: file('w', { steps: [ECHO] }), stored });
    expect(await run(board, 'w')).to.include({ status: 'completed' });
    expect(board.log.having('record of a run could not be written', 'warn')).to.have.length.of.at.least(2);
    const types = board.events.map(({ type }) => type);
    expect(types).to.include('workflow.executionStoreFailed').and.not.include('workflow.executionTracked');
  });

  it('are listed newest first, by page, state and workflow, and wrong arguments are rejected by name', async () => {
    const board = await bootBoard({
      files: { ...file('w', { steps: [ECHO] }), ...file('bad', { steps: [{ id: 'f', tool: 'x_fail' }] }) },
    });
    const ids: unknown[] = [];
    for (const name of ['w', 'w', 'w', 'bad']) ids.push((await run(board, name))['execution_id']);
    const page = await askCore(board, 'core_workflow_execution_list', { limit: 2, offset: 1 });
    expect(page).to.include({ total: 4, limit: 2, offset: 1, has_more: true });
    const all = (await askCore(board, 'core_workflow_execution_list'))['executions'] as readonly Row[];
    expect(page['executions']).to.deep.equal(all.slice(1, 3));
    expect(all.map((one) => one['execution_id'])).to.have.members(ids);
    const times = all.map((one) => String(one['started_at']));
    expect(times).to.deep.equal([...times].sort().reverse());
    expect(await askCore(board, 'core_workflow_execution_list', { status: 'failed' })).to.include({
      total: 1,
    });
    expect(await askCore(board, 'core_workflow_execution_list', { workflow_name: 'w' })).to.include({
      total: 3,
    });
    expect(await askCore(board, 'core_workflow_execution_list', { workflow_name: 'none' })).to.deep.include({
      executions: [],
      total: 0,
    });
    const said = async (tool: string, args: JsonObject): Promise<string> =>
      (await refusalOf(() => callCore(board, `core_workflow_execution_${tool}`, args))).message;
    expect(await said('list', { limit: 0 })).to.equal('limit must be at least 1 (minimum value)');
    expect(await said('list', { limit: 1001 })).to.equal('limit must be at most 1000 (maximum value)');
    expect(await said('list', { limit: 'x' })).to.equal('limit must be a number');
    expect(await said('list', { offset: -1 })).to.equal('offset must be at least 0 (minimum value)');
    expect(await said('list', { status: 'odd' })).to.equal(
      'status must be one of the enum values: running, completed, failed, cancelled',
    );
    expect(await said('list', { workflow_name: 5 })).to.contain('workflow_name must be a string, not 5');
    expect(await said('list', { status: 5 })).to.contain('status must be');
    expect(await said('list', { workflow: 'w' })).to.contain('did you mean "workflow_name"?');
    const nulls = { limit: null, offset: null, status: null, workflow_name: null };
    expect(await askCore(board, 'core_workflow_execution_list', nulls)).to.include({ total: 4, limit: 50 });
    expect(await said('get', {})).to.equal('execution_id is required');
    expect(await said('get', { execution_id: 'none' })).to.equal(
      'Failed to get execution: execution none not found',
    );
    expect(await said('get', { execution_id: 'x', include_steps: 'yes' })).to.equal(
      'include_steps must be a boolean value',
    );
    expect(await said('get', { execution_id: 'x', step_id: null })).to.equal('step_id cannot be null');
    expect(await said('cancel', { execution_id: 'none' })).to.contain('not found');
  });

  it('are seen by the caller that started them, unless the configuration shows all', async () => {
    const files = file('w', { steps: [ECHO] });
    const board = await bootBoard({ files });
    const { execution_id: id } = await entered(board, { name: 'workflow_w', request: as('ada') });
    const list = (of: Board, who: string) =>
      entered(of, { name: 'core_workflow_execution_list', request: as(who) });
    expect(await list(board, 'ada')).to.include({ total: 1 });
    expect(await list(board, 'bob')).to.include({ total: 0 });
    const foreign = await refusalOf(() =>
      entered(board, { name: 'core_workflow_execution_get', args: { execution_id: id }, request: as('bob') }),
    );
    expect(foreign.message).to.contain('not found');
    const open = await bootBoard({ files, stored: board.stored, config: { executionVisibility: 'all' } });
    expect(await list(open, 'bob')).to.include({ total: 1 });
  });

  it('are listed, read and cancelled without sign-in by the session that started them, and by no other', async () => {
    const board = await bootBoard({ files: file('w', { steps: [WAIT] }) });
    const asking = (session: string | undefined) => (tool: string, args: JsonObject) =>
      entered(board, { name: tool, args, request: inSession(session) });
    const { execution_id: id } = await asking('one')('workflow_w', { _async: true, card: '4111' });
    await board.waiting;
    for (const session of ['two', '', undefined]) {
      const ask = asking(session);
      expect(await ask('core_workflow_execution_list', {}), session).to.include({ total: 0 });
      for (const tool of ['core_workflow_execution_get', 'core_workflow_execution_cancel']) {
        const { message } = await refusalOf(() => ask(tool, { execution_id: id }));
        expect(message).to.equal(`Failed to get execution: execution ${String(id)} not found`);
      }
    }
    const ask = asking('one');
    expect(await ask('core_workflow_execution_list', {})).to.include({ total: 1 });
    expect(await ask('core_workflow_execution_get', { execution_id: id })).to.include({ status: 'running' });
    const cancelled = await ask('core_workflow_execution_cancel', { execution_id: id });
    expect(cancelled).to.include({ status: 'cancelled' });
  });

  it('of a request without sign-in and session are not visible to other requests', async () => {
    const board = await bootBoard({ files: file('w', { steps: [ECHO] }) });
    await entered(board, { name: 'workflow_w', request: inSession(undefined) });
    const list = { name: 'core_workflow_execution_list', request: inSession(undefined) };
    expect(await entered(board, list)).to.include({ total: 0 });
  });

  it('stored without an owner are shown only when the configuration shows all', async () => {
    const files = file('w', { steps: [ECHO] });
    const board = await bootBoard({ files });
    const { execution_id: id } = await run(board, 'w');
    for (const [key, value] of board.stored) board.stored.set(key, { ...(value as Row), owner: undefined });
    await board.stop();
    const again = await bootBoard({ files, stored: board.stored });
    expect(await askCore(again, 'core_workflow_execution_list')).to.include({ total: 0 });
    await refusalOf(() => askCore(again, 'core_workflow_execution_get', { execution_id: id }));
    const open = await bootBoard({ files, stored: board.stored, config: { executionVisibility: 'all' } });
    expect(await askCore(open, 'core_workflow_execution_list')).to.include({ total: 1 });
    expect(await askCore(open, 'core_workflow_execution_get', { execution_id: id })).to.include({
      status: 'completed',
    });
  });

  it('do not reveal their owner', async () => {
    const board = await bootBoard({ files: file('w', { steps: [ECHO] }) });
    const request = as('ada');
    const { execution_id: id } = await entered(board, { name: 'workflow_w', request });
    const name = 'core_workflow_execution_get';
    const asked = [{}, { step_id: 'a' }, { include_steps: false }].map((more) => ({
      name,
      args: { execution_id: id, ...more },
    }));
    for (const one of [{ name: 'core_workflow_execution_list' }, ...asked]) {
      const answer = JSON.stringify(await entered(board, { ...one, request }));
      expect(answer).to.contain(id).and.not.contain('owner').and.not.contain('ada');
    }
  });

  it('are deleted by age and count', async () => {
    const files = file('w', { steps: [ECHO] });
    const stored = new Map<string, unknown>();
    const first = await bootBoard({ files, stored });
    for (let i = 0; i < 4; i += 1) await run(first, 'w');
    await first.stop();
    await bootBoard({ files, stored, config: { executionMaxCount: 2 } });
    await until(() => stored.size === 4);
  });

  it('are deleted by the count and at the interval of the current config.yaml, without a restart', async () => {
    const board = await bootBoard({ files: file('w', { steps: [ECHO] }) });
    for (let i = 0; i < 4; i += 1) await run(board, 'w');
    const config = '{ executionMaxCount: 2, executionSweepMs: 1000 }';
    board.directory.write(
      'config.yaml',
      `plugins: { fixture: { module: ./fixture.mjs }, workflow: { config: ${config} } }\n`,
    );
    await board.pipeline.reload();
    await until(() => board.stored.size === 4, { what: 'the records over the limit are deleted' });
    await run(board, 'w');
    await until(() => board.stored.size === 4, { what: 'the next sweep' });
  });

  it('are deleted by count from the owner that has most: many runs of one session delete none of another', async () => {
    const files = file('w', { steps: [ECHO] });
    const stored = new Map<string, unknown>();
    const first = await bootBoard({ files, stored });
    const runIn = (session: string): Promise<JsonObject> =>
      entered(first, { name: 'workflow_w', request: inSession(session) });
    const { execution_id: own } = await runIn('one');
    for (let i = 0; i < 5; i += 1) await runIn('two');
    await first.stop();
    const again = await bootBoard({ files, stored, config: { executionMaxCount: 3 } });
    await until(() => stored.size === 6);
    const total = async (session: string): Promise<JsonObject> =>
      entered(again, { name: 'core_workflow_execution_list', request: inSession(session) });
    expect(await total('one')).to.include({ total: 1 });
    expect(await total('two')).to.include({ total: 2 });
    expect(stored.has(`execution:${String(own)}`)).to.equal(true);
  });

  it('are bounded: the record omits large inputs and results, the answer is complete', async () => {
    const board = await bootBoard({
      files: file('w', {
        steps: [{ id: 'a', tool: 'x_echo', args: { all: '{{ .input.text }}' }, output: true }],
      }),
    });
    const text = 'x'.repeat(10_000_000);
    const document = await run(board, 'w', { text });
    expect(stepsOf(document)[0]?.['result']).to.deep.equal({ all: text });
    const record = await askCore(board, 'core_workflow_execution_get', {
      execution_id: document['execution_id'],
    });
    expect(record).to.include({
      truncated: true,
      result: '[truncated: payload exceeded retention size limit]',
    });
    expect(record['input']).to.deep.equal({
      _truncated: '[truncated: payload exceeded retention size limit]',
    });
    expect(JSON.stringify(record).length).to.be.below(10_000);
  });

  it('survive a result of 5,000 nested levels', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
    const board = await bootBoard({
      files: file('w', {
        steps: [
          { id: 'a', tool: 'x_say', args: { text: '{{ .input.t }}' } },
          { id: 'b', tool: 'x_echo', args: { d: '{{ .results.a | toJson }}' }, allow_failure: true },
        ],
      }),
    });
    const document = await run(board, 'w', { t: deep });
    expect(document).to.include({ status: 'completed' });
    expect(String(stepsOf(document)[1]?.['error'])).to.contain('nested too deeply');
  });

  it('answer with all steps when one result is too deep to be shown', async () => {
    const deep = `${'['.repeat(60_000)}${']'.repeat(60_000)}`;
    const board = await bootBoard({
      files: file('w', {
        steps: [
          { id: 'a', tool: 'x_say', args: { text: '{{ .input.t }}' }, output: true },
          { id: 'b', tool: 'x_echo', args: { n: 1 }, output: true },
        ],
      }),
    });
    const document = await run(board, 'w', { t: deep });
    expect(document).to.include({ status: 'completed', workflow: 'w' });
    expect(stepsOf(document).map(({ result }) => result)).to.deep.equal([
      '[omitted: nested too deeply for JSON]',
      { n: 1 },
    ]);
  });
});

describe('plugins/workflow: live runs', () => {
  it('end with their call: the step and its call are cancelled, clean-up runs, the record shows it', async () => {
    const board = await bootBoard({
      files: file('w', {
        steps: [ECHO, WAIT, { id: 'never', tool: 'x_echo' }],
        onFailure: [{ id: 'c', tool: 'x_say', args: { text: 'cleaned' } }],
      }),
    });
    const cancel = new Cancellation();
    const answer = entered(board, { name: 'workflow_w', cancel });
    await board.waiting;
    cancel.cancel('the client gave up');
    const document = await answer;
    expect(document).to.include({ status: 'cancelled' });
    expect(document['error']).to.deep.equal({
      message: 'step w failed: the client gave up',
      step: 'w',
      tool: 'x_wait',
      file: board.directory.at('workflows/w.yaml'),
      line: 1,
    });
    expect(stepsOf(document).map(({ id, status }) => `${String(id)} ${String(status)}`)).to.deep.equal([
      'a completed',
      'w failed',
      'c completed',
    ]);
    expect(board.calls.at(-1)).to.equal('say {"text":"cleaned"}');
    const record = await askCore(board, 'core_workflow_execution_get', {
      execution_id: document['execution_id'],
    });
    expect(record).to.include({ status: 'cancelled' });
    expect(board.events.map(({ type }) => type)).to.include('workflow.executionCancelled');
  });

  it('started with _async return at once, continue without the call, and are cancelled by their id', async () => {
    const board = await bootBoard({ files: file('w', { steps: [WAIT] }) });
    const started = await run(board, 'w', { _async: true });
    const id = String(started['execution_id']);
    expect(started).to.deep.equal({ execution_id: id, workflow: 'w', status: 'running' });
    await board.waiting;
    const cancelled = await askCore(board, 'core_workflow_execution_cancel', { execution_id: id });
    expect(cancelled).to.deep.equal({
      execution_id: id,
      status: 'cancelled',
      message: `execution ${id} is cancelled`,
    });
    const again = await askCore(board, 'core_workflow_execution_cancel', { execution_id: id });
    expect(again['message']).to.equal(`execution ${id} had ended already: cancelled`);
    const record = await askCore(board, 'core_workflow_execution_get', { execution_id: id });
    expect(record['input']).to.deep.equal({});
  });

  it('are cancelled and recorded when the plugin stops', async () => {
    const board = await bootBoard({ files: file('w', { steps: [WAIT] }) });
    const { execution_id: id } = await run(board, 'w', { _async: true });
    await board.waiting;
    await board.stop();
    expect(board.stored.get(`execution:${String(id)}`)).to.include({ status: 'cancelled' });
  });

  it('run their clean-up, with its tools, when Pegboard stops', async () => {
    const board = await bootBoard({
      files: file('w', {
        steps: [WAIT],
        onFailure: [{ id: 'c', tool: 'x_say', args: { text: 'cleaned' } }],
      }),
    });
    const { execution_id: id } = await run(board, 'w', { _async: true });
    await board.waiting;
    await board.stop();
    expect(board.calls.at(-1)).to.equal('say {"text":"cleaned"}');
    const record = board.stored.get(`execution:${String(id)}`) as JsonObject;
    expect(
      stepsOf(record).map(({ step_id, status }) => `${String(step_id)} ${String(status)}`),
    ).to.deep.equal(['w failed', 'c completed']);
  });

  it('keep the definition they started with while it is edited or deleted', async () => {
    const board = await bootBoard({ files: file('w', { steps: [WAIT, { id: 'old', tool: 'x_echo' }] }) });
    const running = run(board, 'w');
    await board.waiting;
    board.directory.remove('workflows/w.yaml');
    await board.pipeline.reload();
    expect(board.kernel.catalogue.shared('workflow_w')).to.equal(undefined);
    board.open();
    expect(stepsOf(await running).map(({ id }) => id)).to.deep.equal(['w', 'old']);
  });

  it('continue and keep their records when core_workflow_delete deletes their workflow', async () => {
    const board = await bootBoard({ files: file('w', { steps: [WAIT, { id: 'old', tool: 'x_echo' }] }) });
    const running = run(board, 'w');
    await board.waiting;
    expect((await callCore(board, 'core_workflow_delete', { name: 'w' })).isError).not.to.equal(true);
    expect(board.kernel.catalogue.shared('workflow_w')).to.equal(undefined);
    expect(existsSync(board.directory.at('workflows/w.yaml'))).to.equal(false);
    board.open();
    const { execution_id: id } = await running;
    const listed = await askCore(board, 'core_workflow_execution_list', { workflow_name: 'w' });
    expect(listed).to.include({ total: 1 });
    const record = await askCore(board, 'core_workflow_execution_get', { execution_id: id });
    expect(record).to.include({ workflow_name: 'w', status: 'completed' });
    expect(stepsOf(record).map((step) => step['step_id'])).to.deep.equal(['w', 'old']);
  });

  it('share no state', async () => {
    const board = await bootBoard({
      files: file('w', {
        steps: [
          { id: 'a', tool: 'x_echo', args: { n: '{{ .input.n }}' } },
          WAIT,
          { id: 'b', tool: 'x_echo', args: { n: '{{ .results.a.n }}' }, output: true },
        ],
      }),
    });
    const all = [1, 2, 3, 4, 5].map((n) => run(board, 'w', { n }));
    board.open();
    const documents = await Promise.all(all);
    expect(documents.map((document) => stepsOf(document)[2]?.['result'])).to.deep.equal(
      [1, 2, 3, 4, 5].map((n) => ({ n })),
    );
    expect(new Set(documents.map(({ execution_id }) => execution_id)).size).to.equal(5);
  });

  it('report progress per step', async () => {
    const board = await bootBoard({
      files: file('w', { steps: [ECHO, { id: 'b', tool: 'x_echo', condition: 'false' }] }),
    });
    const told: Progress[] = [];
    await entered(board, { name: 'workflow_w', progress: (update) => told.push(update) });
    expect(told).to.deep.equal([
      { progress: 1, total: 2, message: 'step a completed' },
      { progress: 2, total: 2, message: 'step b skipped' },
    ]);
  });

  it('nest: the inner document is the step result, with its own record', async () => {
    const board = await bootBoard({
      files: {
        ...file('inner', {
          args: { x: { type: 'string', required: true } },
          steps: [{ id: 'i', tool: 'x_echo', args: { said: '{{ .input.x }}' }, output: true }],
        }),
        ...file('outer', {
          steps: [
            { id: 'o', tool: 'workflow_inner', args: { x: 'hello' }, output: true },
            { id: 'p', tool: 'x_say', args: { text: '{{ .results.o.status }}' }, output: true },
          ],
        }),
      },
    });
    const document = await run(board, 'outer');
    expect(stepsOf(document)[0]?.['result']).to.deep.include({ workflow: 'inner', status: 'completed' });
    expect(stepsOf(document)[1]?.['result']).to.equal('completed');
    expect(await askCore(board, 'core_workflow_execution_list')).to.include({ total: 2 });
    const failing = await bootBoard({
      files: {
        ...file('inner', { steps: [{ id: 'i', tool: 'x_fail' }] }),
        ...file('outer', { steps: [{ id: 'o', tool: 'workflow_inner' }] }),
      },
    });
    const failed = await run(failing, 'outer');
    expect(failed).to.include({ status: 'failed' });
    expect(String(stepsOf(failed)[0]?.['error'])).to.contain('step i failed: it broke');
  });

  it('fail when workflows call one another deeper than maxDepth', async () => {
    const nest = (name: string, next: string) => file(name, { steps: [{ id: 's', tool: next }] });
    const board = await bootBoard({
      config: { maxDepth: 2 },
      files: { ...nest('a', 'workflow_b'), ...nest('b', 'workflow_c'), ...nest('c', 'x_echo') },
    });
    const document = await run(board, 'a');
    expect(document).to.include({ status: 'failed' });
    expect(JSON.stringify(document)).to.contain('workflows call one another more than 2 deep: a -> b -> c');
  });

  it('return with _plan what they would do, and call nothing', async () => {
    const board = await bootBoard({
      files: file('w', {
        args: { n: { type: 'integer', default: 2 } },
        steps: [
          { id: 'a', tool: 'x_echo', args: { n: '{{ .input.n }}' }, condition: '{{ gt .input.n 1 }}' },
          {
            id: 'b',
            tool: 'x_gone',
            args: { a: '{{ .results.a }}' },
            condition: { fromStep: 'a', expect: { success: true } },
          },
        ],
      }),
    });
    const plan = await run(board, 'w', { _plan: true });
    expect(plan).to.deep.include({
      workflow: 'w',
      plan: true,
      input: { n: 2 },
      available: false,
      missing_tools: ['x_gone'],
    });
    expect(stepsOf(plan)[0]).to.deep.equal({
      id: 'a',
      tool: 'x_echo',
      annotations: { readOnlyHint: true },
      args: { n: 2 },
      condition: true,
    });
    expect(stepsOf(plan)[1]).to.deep.include({ id: 'b', condition: 'unknown' });
    expect((stepsOf(plan)[1]?.['unresolved'] as Row[])[0]).to.include({ template: '{{ .results.a }}' });
    expect(board.calls).to.deep.equal([]);
    expect(board.stored.size).to.equal(0);
  });

  it('are published as events, each with its reason', async () => {
    const board = await bootBoard({
      files: file('w', {
        steps: [
          ECHO,
          { id: 'f', tool: 'x_fail', allow_failure: true },
          { id: 's', tool: 'x_echo', condition: 'false' },
        ],
      }),
    });
    await run(board, 'w');
    const told = board.events
      .filter(({ type }) => /^workflow\.(step|execution)/.test(type))
      .map((event) => ('message' in event ? event.message : ''));
    const masked = told.map((text) => text.replace(/in \d+ms/, 'in 1ms').replace(/[0-9a-f-]{36}/, 'id'));
    expect(masked).to.deep.equal([
      'Workflow w execution started',
      'Workflow w step a started (tool: x_echo)',
      'Workflow w step a completed successfully',
      'Workflow w step f started (tool: x_fail)',
      'Workflow w step f failed (allow_failure=true, continuing): it broke',
      'Workflow w step s condition evaluated to false',
      'Workflow w step s skipped: condition evaluation returned false',
      'Workflow w execution state persisted (execution: id)',
      'Workflow w execution completed successfully (3 steps) in 1ms',
    ]);
  });
});
