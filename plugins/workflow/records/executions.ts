import { messageOf, surplus } from 'pegboard';
import { Vault } from '../../vault-file/contract.ts';
import type { Log, Scope } from 'pegboard';
import type { WorkflowConfig } from '../config.ts';
import { MemoryVault } from './memoryVault.ts';
import { summaryOf } from './executionRecord.ts';
import type { ExecutionRecord, ExecutionSummary } from './executionRecord.ts';

const RECORD = 'execution:';
const SUMMARY = 'execution-summary:';
const INTERRUPTED = 'interrupted: service restarted';

export interface Filter {
  readonly status?: string;
  readonly workflow?: string;
  readonly isVisible: (summary: ExecutionSummary) => boolean;
}

/** Records of runs in the vault: `execution:<id>` is the full record, `execution-summary:<id>` the row for lists. */
export class Executions {
  readonly #scope: Scope<WorkflowConfig>;
  readonly #config: () => WorkflowConfig;
  readonly #log: Log;
  readonly #memory = new MemoryVault();
  /** Summaries of ended runs, which never change again. */
  readonly #endedById = new Map<string, ExecutionSummary>();
  /** Summaries of live runs, as last written. */
  readonly #liveById = new Map<string, ExecutionSummary>();
  #reconciled: Promise<void> | undefined;
  #hasWarned = false;
  #last: Vault | undefined;
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
  }
  /** @throws GatewayError STORE_UNREACHABLE */
  update(record: ExecutionRecord): Promise<void> {
    return this.#write(this.#alive(record), false);
  }
  /** @throws GatewayError STORE_UNREACHABLE */
  async end(record: ExecutionRecord): Promise<void> {
    try {
      await this.#write(record, true);
    } finally {
      this.#liveById.delete(record.execution_id);
    }
  }

  /** @throws GatewayError STORE_UNREACHABLE */
  async get(id: string): Promise<ExecutionRecord | undefined> {
    await this.#ready();
    const record = (await this.#vault().get(RECORD + id)) as ExecutionRecord | undefined;
    return record === undefined ? undefined : untilNow(record);
  }

  /** Newest first. @throws GatewayError STORE_UNREACHABLE */
  async list({ status, workflow, isVisible }: Filter): Promise<readonly ExecutionSummary[]> {
    await this.#ready();
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
    for (const key of await vault.list(SUMMARY)) {
      const id = key.slice(SUMMARY.length);
      const live = this.#liveById.get(id);
      const known = live ?? this.#endedById.get(id);
      const summary = known ?? ((await vault.get(key)) as ExecutionSummary | undefined);
      if (summary === undefined) continue;
      if (live === undefined && summary.status !== 'running') this.#endedById.set(id, summary);
      found.push(untilNow(summary));
    }
    return found.sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
  }

  /** Keeps the current summary in memory: the one in the vault is written only at the start and the end. */
  #alive(record: ExecutionRecord): ExecutionRecord {
    this.#liveById.set(record.execution_id, summaryOf(record));
    return record;
  }

  async #write(record: ExecutionRecord, withSummary: boolean): Promise<void> {
    const ttlSeconds = Math.ceil(this.#config().executionMaxAgeMs / 1000);
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

  /** At a stop the vault is removed before our runs have ended; they still write to the vault they started with. */
  #vault(): Vault {
    const [vault = this.#last] = this.#scope.all(Vault);
    this.#last = vault;
    if (vault !== undefined) return vault;
    if (!this.#hasWarned)
      this.#log.warn(
        'no vault: records of runs are lost when the process ends; enable a plugin that provides Vault',
      );
    this.#hasWarned = true;
    return this.#memory;
  }

  /** Reconciles once per process; tries again after a failure. */
  #ready(): Promise<void> {
    this.#reconciled ??= this.#reconcile().catch((error: unknown) => {
      this.#reconciled = undefined;
      throw error;
    });
    return this.#reconciled;
  }

  async #reconcile(): Promise<void> {
    for (const { execution_id: id, status } of await this.#summaries()) {
      if (status !== 'running' || this.#liveById.has(id)) continue;
      const record = (await this.#vault().get(RECORD + id)) as ExecutionRecord | undefined;
      if (record === undefined) await this.#vault().delete(SUMMARY + id);
      else await this.#write(interrupted(record), true);
    }
  }

  #tidy(): void {
    this.#tidying = (this.#tidying ?? Promise.resolve())
      .then(() => this.#ready())
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
    for (const { execution_id: id } of [...oldestFirst.filter(isOld), ...tooMany]) {
      if (this.#liveById.has(id)) continue;
      await this.#vault().delete(SUMMARY + id);
      await this.#vault().delete(RECORD + id);
      this.#endedById.delete(id);
    }
  }
}

/** Sets the duration of a live run to the time until now. */
function untilNow<T extends ExecutionSummary | ExecutionRecord>(run: T): T {
  if (run.status !== 'running') return run;
  return { ...run, duration_ms: Math.max(0, Date.now() - Date.parse(run.started_at)) };
}

/** The end of an interrupted run is unknown, so the last recorded time is used. */
function interrupted(record: ExecutionRecord): ExecutionRecord {
  const steps = record.steps.map((step) =>
    step.status === 'running' ? { ...step, status: 'failed', error: INTERRUPTED } : step,
  );
  const known = [record.started_at, ...steps.map((step) => step.completed_at ?? step.started_at)].sort();
  const completed_at = known.at(-1) ?? record.started_at;
  const duration_ms = Date.parse(completed_at) - Date.parse(record.started_at);
  return { ...record, steps, status: 'failed', error: INTERRUPTED, completed_at, duration_ms };
}
