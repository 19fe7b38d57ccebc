import { randomUUID } from 'node:crypto';
import { messageOf } from 'pegboard';
import type { Log, Scope } from 'pegboard';
import { surplus } from '../../kit/limits/shares.ts';
import { Vault } from '../../contracts/vault.ts';
import { Peers } from '../../contracts/processes.ts';
import { RunStore } from '../../contracts/runs.ts';
import type { WorkflowConfig } from '../config.ts';
import { omit } from '../definition/omit.ts';
import { ExecutionMemory } from './executionMemory.ts';
import { rowOf, summaryOf } from './executionRecord.ts';
import type { ExecutionRecord, ExecutionRow, ExecutionSummary } from './executionRecord.ts';
import { VaultRuns } from './vaultRuns.ts';

/** Records that wait for their store: enough for the runs that were in progress when it failed. */
const MAX_LATE = 200;
const INTERRUPTED = 'interrupted: ';

export interface Filter {
  readonly status?: string;
  readonly workflow?: string;
  readonly isVisible: (summary: ExecutionSummary) => boolean;
}

interface Store {
  readonly runs: RunStore;
  /** Undefined if no other processes are known. */
  readonly peers: Peers | undefined;
}

/** Records of runs, in the `RunStore` or the vault. */
export class Executions {
  readonly #scope: Scope<WorkflowConfig>;
  readonly #config: () => WorkflowConfig;
  readonly #log: Log;
  readonly #memory = this.#inVault(new ExecutionMemory());
  /** Summaries of ended runs, which never change again. */
  #endedById = new Map<string, ExecutionSummary>();
  /** Summaries of live runs of this process, as last written. */
  readonly #liveById = new Map<string, ExecutionSummary>();
  /** The id of this process if no others are known. */
  readonly #alone = randomUUID();
  /** Last records of ended runs that could not be written. */
  readonly #lateById = new Map<string, ExecutionRecord>();
  #hasWarned = false;
  #last: Store | undefined;
  #timer: NodeJS.Timeout | undefined;
  #tidying: Promise<void> | undefined;

  constructor(scope: Scope<WorkflowConfig>, config: () => WorkflowConfig) {
    this.#scope = scope;
    this.#config = config;
    this.#log = scope.log;
  }

  /** Starts tidying, first of runs that a crash left `running`; called again when the configuration changes. */
  start(): void {
    clearInterval(this.#timer);
    this.#tidy();
    this.#timer = setInterval(() => this.#tidy(), this.#config().executionSweepMs);
  }
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#tidying;
  }

  /** Stores a new run; while it is live it is never marked as interrupted. @throws GatewayError STORE_UNREACHABLE */
  async begin(record: ExecutionRecord): Promise<void> {
    await this.#write(this.#alive(record), true);
    void this.writeLate();
  }
  /** @throws GatewayError STORE_UNREACHABLE */
  update(record: ExecutionRecord): Promise<void> {
    return this.#write(this.#alive(record), false);
  }
  /** @throws GatewayError STORE_UNREACHABLE */
  async end(record: ExecutionRecord): Promise<void> {
    try {
      await this.#write(record, true);
    } catch (error) {
      if (this.#lateById.size < MAX_LATE) this.#lateById.set(record.execution_id, record);
      throw error;
    } finally {
      this.#liveById.delete(record.execution_id);
    }
  }

  /** Writes the last records that could not be written, until one fails again. */
  async writeLate(): Promise<void> {
    for (const [id, record] of [...this.#lateById]) {
      this.#lateById.delete(id);
      try {
        await this.#write(record, true);
      } catch {
        // Reported when the run ended. It waits behind the others, in case it is refused each time.
        this.#lateById.set(id, record);
        return;
      }
    }
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async get(id: string): Promise<ExecutionRecord | undefined> {
    const record = await this.#find(id);
    return record === undefined ? undefined : untilNow(omit(record, 'process'));
  }

  /** Newest first. @throws GatewayError STORE_UNREACHABLE */
  async list({ status, workflow, isVisible }: Filter): Promise<readonly ExecutionSummary[]> {
    return (await this.#summaries()).filter(
      (one) =>
        (status === undefined || one.status === status) &&
        (workflow === undefined || one.workflow_name === workflow) &&
        isVisible(one),
    );
  }

  async #summaries(): Promise<readonly ExecutionSummary[]> {
    const found: ExecutionSummary[] = [];
    const endedById = new Map<string, ExecutionSummary>();
    const known = (id: string): ExecutionSummary | undefined =>
      this.#liveById.get(id) ?? this.#endedById.get(id);
    for (const row of await this.#store().runs.list(known)) {
      const id = row.execution_id;
      const summary = known(id) ?? (await this.#summary(row as ExecutionRow));
      if (summary === undefined) continue;
      if (isFinal(summary)) endedById.set(id, summary);
      found.push(untilNow(summary));
    }
    this.#endedById = endedById;
    return found.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  }

  /** Undefined if it has been deleted meanwhile. */
  async #summary(row: ExecutionRow): Promise<ExecutionSummary | undefined> {
    if (row.status !== 'running' || (await this.#isAlive(row))) return omit(row, 'process');
    const record = await this.#find(row.execution_id);
    return record && summaryOf(record);
  }

  /** A run whose process has ended is first marked as interrupted, once for all processes. */
  async #find(id: string): Promise<ExecutionRecord | undefined> {
    const { runs, peers } = this.#store();
    const record = (await runs.get(id)) as ExecutionRecord | undefined;
    if (record?.status !== 'running' || (await this.#isAlive(record))) return record;
    const isAlone = peers === undefined && !runs.isShared;
    const marked = interrupted(record, isAlone ? 'service restarted' : 'its process has ended');
    if (await runs.swap(record, marked, rowOf(marked))) return marked;
    // Another process has marked it, or it has ended just before its process.
    return (await runs.get(id)) as ExecutionRecord | undefined;
  }

  /** Whether the process of a run may still be at it. */
  async #isAlive({
    execution_id: id,
    process,
    started_at,
  }: ExecutionRecord | ExecutionRow): Promise<boolean> {
    const { runs, peers } = this.#store();
    // A run that began before the store was changed names another process.
    if (process === this.#process() || this.#liveById.has(id)) return true;
    if (peers !== undefined) return process !== undefined && peers.isAlive(process);
    if (!runs.isShared) return false;
    // Whether that process lives is unknown, but no run outlasts its time limits.
    const { runTimeoutMs, cleanupTimeoutMs } = this.#config();
    return Date.now() < Date.parse(started_at) + runTimeoutMs + cleanupTimeoutMs;
  }

  /** Keeps the current summary in memory: the stored one may be that of the start until the end. */
  #alive(record: ExecutionRecord): ExecutionRecord {
    this.#liveById.set(record.execution_id, summaryOf(record));
    return { ...record, process: this.#process() };
  }

  #process(): string {
    return this.#store().peers?.own ?? this.#alone;
  }

  async #write(record: ExecutionRecord, isRowDue: boolean): Promise<void> {
    const write = (): Promise<void> => this.#store().runs.put(record, rowOf(record), isRowDue);
    try {
      await write();
    } catch (error) {
      if (this.#scope.all(RunStore).length + this.#scope.all(Vault).length > 0) throw error;
      // The plugin that stored it was switched off, so memory is used from now on.
      this.#last = undefined;
      await write();
    }
  }

  /** At a stop, the store and the peers are removed before our runs have ended; those still use what they started with. */
  #store(): Store {
    const given = this.#scope.find(RunStore);
    const vault = this.#scope.find(Vault);
    const runs = given ?? (vault && this.#inVault(vault));
    if (runs !== undefined) this.#last = { runs, peers: this.#scope.find(Peers) };
    if (this.#last !== undefined) return this.#last;
    if (!this.#hasWarned)
      this.#log.warn(
        'no vault: records of runs are lost when the process ends; enable a plugin that provides Vault',
      );
    this.#hasWarned = true;
    return { runs: this.#memory, peers: undefined };
  }

  #inVault(vault: Vault): RunStore {
    return new VaultRuns(vault, () => Math.ceil(this.#config().executionMaxAgeMs / 1000));
  }

  #tidy(): void {
    this.#tidying = (this.#tidying ?? Promise.resolve())
      .then(() => this.writeLate())
      .then(() => this.#sweep())
      .catch((error: unknown) =>
        this.#log.warn('interrupted or expired records of runs could not be updated; retrying later', {
          reason: messageOf(error),
        }),
      );
  }

  async #sweep(): Promise<void> {
    const { executionMaxAgeMs, executionMaxCount } = this.#config();
    const oldest = Date.now() - executionMaxAgeMs;
    const oldestFirst = [...(await this.#summaries())].reverse();
    const isOld = ({ started_at }: ExecutionSummary): boolean => Date.parse(started_at) < oldest;
    const young = oldestFirst.filter((one) => !isOld(one));
    const tooMany = surplus(young, executionMaxCount, { owner: ({ owner }) => owner, weight: () => 1 });
    for (const { execution_id: id, status } of [...oldestFirst.filter(isOld), ...tooMany]) {
      if (status === 'running') continue;
      await this.#store().runs.delete(id);
      this.#endedById.delete(id);
    }
  }
}

/** Whether it never changes again. A process that was only halted overwrites the mark that its run was interrupted. */
function isFinal({ status, error = '' }: ExecutionSummary): boolean {
  return status !== 'running' && !error.startsWith(INTERRUPTED);
}

/** Sets the duration of a live run to the time until now. */
function untilNow<T extends ExecutionSummary | ExecutionRecord>(run: T): T {
  if (run.status !== 'running') return run;
  return { ...run, duration_ms: Math.max(0, Date.now() - Date.parse(run.started_at)) };
}

/** The end of an interrupted run is unknown, so the last recorded time is used. */
function interrupted(running: ExecutionRecord, reason: string): ExecutionRecord {
  const record = omit(running, 'process');
  const error = INTERRUPTED + reason;
  const steps = record.steps.map((step) =>
    step.status === 'running' ? { ...step, status: 'failed', error } : step,
  );
  const known = [record.started_at, ...steps.map((step) => step.completed_at ?? step.started_at)].sort();
  const completed_at = known.at(-1) ?? record.started_at;
  const duration_ms = Date.parse(completed_at) - Date.parse(record.started_at);
  return { ...record, steps, status: 'failed', error, completed_at, duration_ms };
}
