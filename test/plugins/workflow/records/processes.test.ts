import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import type { Subscriber } from '../../../../plugins/contracts/processes.ts';
import { askCore } from '../../../support/coreTools.ts';
import { until } from '../../../support/until.ts';
import { bootBoard, file, run } from '../board.ts';
import type { Board, BoardOptions, Row, TestProcess } from '../board.ts';

const INTERRUPTED = 'interrupted: its process has ended';
const FILES = file('w', {
  steps: [
    { id: 'a', tool: 'x_echo' },
    { id: 'w', tool: 'x_wait' },
  ],
});

/** Several processes over one vault. */
class Processes {
  readonly stored = new Map<string, unknown>();
  readonly alive = new Set<string>();
  /** They receive no messages. */
  readonly deaf = new Set<string>();
  readonly published: JsonObject[] = [];
  /** Called each time before a process is looked for. */
  onLook: () => unknown = () => undefined;
  /** The connections are back after an outage. */
  reconnect(): void {
    for (const { subscriber } of this.#subscriptions) subscriber.gap?.();
  }

  readonly #subscriptions = new Set<{ by: string; of: string; subscriber: Subscriber }>();

  boot(own: string, options: BoardOptions = {}): Promise<Board> {
    this.alive.add(own);
    return bootBoard({ files: FILES, stored: this.stored, process: this.#join(own), ...options });
  }

  /** Starts a run at `board` that waits in its second step. */
  async begin(board: Board): Promise<{ readonly id: string; readonly ended: Promise<JsonObject> }> {
    const ended = run(board, 'w');
    await board.waiting;
    const record = await until(() => [...this.stored.values()].find((value) => stepsIn(value).length === 2));
    return { id: String((record as Row)['execution_id']), ended };
  }

  #join(own: string): TestProcess {
    return {
      peers: {
        own,
        isAlive: async (id) => {
          await this.onLook();
          return this.alive.has(id);
        },
      },
      channel: {
        publish: (topic, message) => {
          this.published.push({ topic, ...message });
          for (const { by, of, subscriber } of this.#subscriptions)
            if (by !== own && of === topic && !this.deaf.has(by)) subscriber.message(message);
        },
        subscribe: (topic, subscriber) => {
          const subscription = { by: own, of: topic, subscriber };
          this.#subscriptions.add(subscription);
          return () => void this.#subscriptions.delete(subscription);
        },
      },
    };
  }
}

function stepsIn(value: unknown): readonly Row[] {
  return ((value as Row)['steps'] as readonly Row[] | undefined) ?? [];
}
async function listed(board: Board): Promise<readonly Row[]> {
  return (await askCore(board, 'core_workflow_execution_list'))['executions'] as readonly Row[];
}
const read = (board: Board, id: string) =>
  askCore(board, 'core_workflow_execution_get', { execution_id: id });
const cancel = (board: Board, id: string) =>
  askCore(board, 'core_workflow_execution_cancel', { execution_id: id });

describe('plugins/workflow: runs of several processes', () => {
  it('are listed and read at each of them as they are, and never marked while their process lives', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const { id, ended } = await processes.begin(a);
    const b = await processes.boot('b', { config: { executionMaxCount: 1 } });
    const [summary] = await listed(b);
    expect(summary).to.include({ execution_id: id, status: 'running', step_count: 2 });
    const record = await read(b, id);
    expect(record).to.include({ status: 'running' });
    expect(JSON.stringify([summary, record]))
      .to.not.contain('process')
      .and.not.contain('owner');
    a.open();
    expect(await ended).to.include({ status: 'completed' });
    expect((await listed(b))[0]).to.include({ status: 'completed', step_count: 2 });
    expect(await read(b, id)).to.include({ status: 'completed' });
    expect(JSON.stringify([...processes.stored])).to.not.contain('"process"');
  });

  it('are marked as interrupted by one of the others when their process has ended', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const { id, ended } = await processes.begin(a);
    const [b, c] = await Promise.all([processes.boot('b'), processes.boot('c')]);
    let writes = 0;
    processes.stored.set = (key, value) => {
      if (key === `execution:${id}`) writes += 1;
      return Map.prototype.set.call(processes.stored, key, value) as typeof processes.stored;
    };
    processes.alive.delete('a');
    const answers = await Promise.all([listed(b), listed(c), listed(b)]);
    for (const [one] of answers) expect(one).to.include({ status: 'failed', error: INTERRUPTED });
    const record = await read(c, id);
    expect(record).to.include({ status: 'failed', error: INTERRUPTED });
    expect(stepsIn(record).map(({ status }) => status)).to.deep.equal(['completed', 'failed']);
    expect(writes).to.equal(1);
    a.open();
    await ended;
  });

  it('are marked at the start and at each sweep, without a question', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const first = await processes.begin(a);
    const isMarked = (): boolean => JSON.stringify([...processes.stored]).includes(INTERRUPTED);
    const b = await processes.boot('b', { config: { executionSweepMs: 1000 } });
    expect((await listed(b))[0]).to.include({ status: 'running' });
    processes.alive.delete('a');
    await until(isMarked, { what: 'the mark of a sweep' });
    a.open();
    await first.ended;

    processes.stored.clear();
    const d = await processes.boot('d');
    const second = await processes.begin(d);
    processes.alive.delete('d');
    await processes.boot('c');
    await until(isMarked, { what: 'the mark of a start' });
    d.open();
    await second.ended;
  });

  it('that end while another process looks for theirs keep their end', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const { id, ended } = await processes.begin(a);
    const b = await processes.boot('b');
    await listed(b);
    processes.alive.delete('a');
    processes.onLook = () => {
      a.open();
      return ended;
    };
    expect(await read(b, id)).to.include({ status: 'completed' });
    expect((await listed(b))[0]).to.include({ status: 'completed' });
  });

  it('of a process that was only halted show their true end afterwards', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const { id, ended } = await processes.begin(a);
    const b = await processes.boot('b');
    processes.alive.delete('a');
    expect((await listed(b))[0]).to.include({ error: INTERRUPTED });
    processes.alive.add('a');
    a.open();
    await ended;
    expect((await listed(b))[0]).to.include({ status: 'completed' });
    expect(await read(b, id)).to.include({ status: 'completed' });
  });

  it('that end while the vault is away are recorded when it is back', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const { id, ended } = await processes.begin(a);
    const b = await processes.boot('b');
    processes.stored.set = () => {
      throw new Error('the vault is away');
    };
    a.open();
    expect(await ended).to.include({ status: 'completed' });
    expect(await read(b, id)).to.include({ status: 'running' });
    Reflect.deleteProperty(processes.stored, 'set');
    processes.reconnect();
    await until(async () => (await read(b, id))['status'] === 'completed');
    expect((await listed(b))[0]).to.include({ status: 'completed' });
  });

  it('recorded before processes had names count as those of an ended process', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const { id, ended } = await processes.begin(a);
    const unnamed = { ...(processes.stored.get(`execution:${id}`) as Row), process: undefined };
    a.open();
    await ended;
    processes.stored.set(`execution:${id}`, unnamed);
    expect(await read(await processes.boot('b'), id)).to.include({ status: 'failed', error: INTERRUPTED });
  });

  it('whose record has ended keep it if a crash came before the summary', async () => {
    const stored = new Map<string, unknown>();
    const a = await bootBoard({ files: file('w', { steps: [{ id: 'a', tool: 'x_echo' }] }), stored });
    const { execution_id: id } = await run(a, 'w');
    await a.stop();
    const key = `execution-summary:${String(id)}`;
    stored.set(key, { ...(stored.get(key) as Row), status: 'running' });
    const again = await bootBoard({ stored });
    expect((await listed(again))[0]).to.include({ status: 'completed', step_count: 1 });
    expect(stored.get(key)).to.include({ status: 'completed' });
  });

  it('are cancelled from another process, which answers when their clean-up has run', async () => {
    const processes = new Processes();
    const steps = [{ id: 'w', tool: 'x_wait' }];
    const last = [{ id: 'c', tool: 'x_say', args: { text: 'cleaned' } }];
    const files = file('w', { steps, finally: last });
    const a = await processes.boot('a', { files });
    const ended = run(a, 'w', { _async: true });
    await a.waiting;
    const id = String((await ended)['execution_id']);
    const b = await processes.boot('b', { files });
    expect(await cancel(b, id)).to.deep.equal({
      execution_id: id,
      status: 'cancelled',
      message: `execution ${id} is cancelled`,
    });
    expect(a.calls).to.include('say {"text":"cleaned"}');
    expect(processes.published).to.deep.include({ topic: 'workflow.cancel', id });
    expect(await cancel(b, id)).to.include({ message: `execution ${id} had ended already: cancelled` });
  });

  it('whose process ends before it can cancel them are answered as interrupted', async () => {
    const processes = new Processes();
    const a = await processes.boot('a');
    const { id, ended } = await processes.begin(a);
    const b = await processes.boot('b');
    processes.deaf.add('a');
    processes.onLook = () => {
      if (processes.published.length > 0) processes.alive.delete('a');
    };
    expect(await cancel(b, id)).to.deep.equal({
      execution_id: id,
      status: 'failed',
      message: `execution ${id} is failed: ${INTERRUPTED}`,
    });
    a.open();
    await ended;
  });
});
