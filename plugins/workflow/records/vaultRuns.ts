import type { Vault } from '../../contracts/vault.ts';
import type { RunRecord, RunRow, RunStore } from '../../contracts/runs.ts';
import { rowOf } from './executionRecord.ts';
import type { ExecutionRecord } from './executionRecord.ts';

const RECORD = 'execution:';
const ROW = 'execution-summary:';

/** Runs in a vault: `execution:<id>` is the full record, `execution-summary:<id>` the row for lists. */
export class VaultRuns implements RunStore {
  readonly isShared = false;
  readonly #vault: Vault;
  readonly #ttlSeconds: () => number;

  constructor(vault: Vault, ttlSeconds: () => number) {
    this.#vault = vault;
    this.#ttlSeconds = ttlSeconds;
  }

  async list(known: (id: string) => RunRow | undefined): Promise<readonly RunRow[]> {
    const found: RunRow[] = [];
    for (const key of await this.#vault.list(ROW)) {
      const id = key.slice(ROW.length);
      const row = known(id) ?? (await this.#row(id));
      if (row !== undefined) found.push(row);
    }
    return found;
  }

  async get(id: string): Promise<RunRecord | undefined> {
    return (await this.#vault.get(RECORD + id)) as RunRecord | undefined;
  }

  async put(record: RunRecord, row: RunRow, isRowDue: boolean): Promise<void> {
    const { execution_id: id } = record;
    await this.#vault.set(RECORD + id, record, this.#ttlSeconds());
    if (isRowDue) await this.#vault.set(ROW + id, row, this.#ttlSeconds());
  }

  /** The next list() mends the row. */
  swap(before: RunRecord, after: RunRecord): Promise<boolean> {
    return this.#vault.compareAndSwap(RECORD + after.execution_id, before, after, this.#ttlSeconds());
  }

  async delete(id: string): Promise<void> {
    await this.#vault.delete(ROW + id);
    await this.#vault.delete(RECORD + id);
  }

  /** The row of a run which has not ended comes from its record, which is written more often. */
  async #row(id: string): Promise<RunRow | undefined> {
    const stored = (await this.#vault.get(ROW + id)) as RunRow | undefined;
    if (stored?.status !== 'running') return stored;
    const record = (await this.get(id)) as ExecutionRecord | undefined;
    if (record === undefined) {
      await this.#vault.delete(ROW + id);
      return undefined;
    }
    const row = rowOf(record);
    if (row.status !== 'running') await this.#vault.compareAndSwap(ROW + id, stored, row, this.#ttlSeconds());
    return row;
  }
}
