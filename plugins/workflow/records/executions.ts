import { randomUUID } from 'node:crypto';
import { messageOf, surplus } from 'pegboard';
import { Vault } from '../../vault-file/contract.ts';
import { Peers } from '../../vault-redis/contract.ts';
import type { Log, Scope } from 'pegboard';
import type { WorkflowConfig } from '../config.ts';
import { omit } from '../definition/omit.ts';
import { MemoryVault } from './memoryVault.ts';
import { summaryOf } from './executionRecord.ts';
import type { ExecutionRecord, ExecutionSummary } from './executionRecord.ts';

const RECORD = 'execution:';
const SUMMARY = 'execution-summary:';
/** Records that wait for the vault: enough for the runs that were in progress when it failed. */
const MAX_LATE = 200;
const INTERRUPTED = 'interrupted: ';

export interface Filter {
  readonly status?: string;
  readonly workflow?: string;
  readonly isVisible: (summary: ExecutionSummary) => boolean;
}

interface Store {
  readonly vault: Vault;
  /** Undefined if this process is alone. */
  readonly peers: Peers | undefined;
}

/** Records of runs in the vault: `execution:<id>` is the full record, `execution-summary:<id>` the row for lists. */
export class Executions {
  readonly #scope: Scope<WorkflowConfig>;
  readonly #config: () => WorkflowConfig;
  readonly #log: Log;
  readonly #memory = new MemoryVault();
  /** Summaries of ended runs, which never change again. */
  #endedById = new Map<string, ExecutionSummary>();
  /** Summaries of live runs of this process, as last written. */
  readonly #liveById = new Map<string, ExecutionSummary>();
  /** The id of this process if it is alone. */
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
    const vault = this.#vault();
    const found: ExecutionSummary[] = [];
    const endedById = new Map<string, ExecutionSummary>();
    for (const key of await vault.list(SUMMARY)) {
      const id = key.slice(SUMMARY.length);
      const known = this.#liveById.get(id) ?? this.#endedById.get(id);
      const summary = known ?? (await this.#summary(id));
      if (summary === undefined) continue;
      if (isFinal(summary)) endedById.set(id, summary);
      found.push(untilNow(summary));
    }
    this.#endedById = endedById;
    return found.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  }

  /** The stored summary; that of a run which has not ended comes from its record, which is written more often. */
  async #summary(id: string): Promise<ExecutionSummary | undefined> {
    const vault = this.#vault();
    const stored = (await vault.get(SUMMARY + id)) as ExecutionSummary | undefined;
    if (stored?.status !== 'running') return stored;
    const record = await this.#find(id);
    if (record === undefined) {
      await vault.delete(SUMMARY + id);
      return undefined;
    }
    const summary = summaryOf(record);
    if (summary.status !== 'running')
      await vault.compareAndSwap(SUMMARY + id, stored, summary, this.#ttlSeconds());
    return summary;
  }

  /** A run whose process has ended is first marked as interrupted, once for all processes. */
  async #find(id: string): Promise<ExecutionRecord | undefined> {
    const { vault, peers } = this.#store();
    const record = (await vault.get(RECORD + id)) as ExecutionRecord | undefined;
    if (record?.status !== 'running') return record;
    const { process } = record;
    // A run that began before the vault was changed names another process.
    if (process === this.#process() || this.#liveById.has(id)) return record;
    if (process !== undefined && (await peers?.isAlive(process)) === true) return record;
    const marked = interrupted(record, peers === undefined ? 'service restarted' : 'its process has ended');
    if (await vault.compareAndSwap(RECORD + id, record, marked, this.#ttlSeconds())) return marked;
    // Another process has marked it, or it has ended just before its process.
    return (await vault.get(RECORD + id)) as ExecutionRecord | undefined;
  }

  /** Keeps the current summary in memory: the one in the vault is written only at the start and the end. */
  #alive(record: ExecutionRecord): ExecutionRecord {
    this.#liveById.set(record.execution_id, summaryOf(record));
    return { ...record, process: this.#process() };
  }

  #process(): string {
    return this.#store().peers?.own ?? this.#alone;
  }

  #ttlSeconds(): number {
    return Math.ceil(this.#config().executionMaxAgeMs / 1000);
  }

  async #write(record: ExecutionRecord, withSummary: boolean): Promise<void> {
    const ttlSeconds = this.#ttlSeconds();
    const write = async (vault: Vault): Promise<void> => {
      await vault.set(RECORD + record.execution_id, record, ttlSeconds);
      if (withSummary) await vault.set(SUMMARY + record.execution_id, summaryOf(record), ttlSeconds);
    };
    try {
      await write(this.#vault());
    } catch (error) {
      if (this.#scope.all(Vault).length > 0) throw error;
      // The vault plugin was switched off, so memory is used from now on.
      this.#last = undefined;
      await write(this.#vault());
    }
  }

  #vault(): Vault {
    return this.#store().vault;
  }

  /** At a stop the vault and the peers are removed before our runs have ended; those still use what they started with. */
  #store(): Store {
    const [vault] = this.#scope.all(Vault);
    if (vault !== undefined) this.#last = { vault, peers: this.#scope.all(Peers)[0] };
    if (this.#last !== undefined) return this.#last;
    if (!this.#hasWarned)
      this.#log.warn(
        'no vault: records of runs are lost when the process ends; enable a plugin that provides Vault',
      );
    this.#hasWarned = true;
    return { vault: this.#memory, peers: undefined };
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
      await this.#vault().delete(SUMMARY + id);
      await this.#vault().delete(RECORD + id);
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
