import { isObject } from 'pegboard';
import type { JsonObject, Log } from 'pegboard';
import type { RunRecord, RunRow } from '../../contracts/runs.ts';
import type { KeyRing } from '../../contracts/vault.ts';
import { sealBytes, unsealBytes } from '../../kit/secrets/seal.ts';
import { vaultKeys } from '../../kit/vault/vaultKeys.ts';
import type { KubeObject } from '../api/kubeObject.ts';
import { GROUP, VERSION } from '../store/customResource.ts';

/** The row of the run, so that lists need not read whole records. */
const ROW = `${GROUP}/row`;
/** What the object of a run shows to all who may read it: never its contents, which are inputs, results, texts of
 *  errors and outcomes of conditions, and never its owner. */
const OPEN_OF_RUN = ['started_at', 'completed_at', 'duration_ms', 'truncated', 'process'];
const OPEN_OF_STEP = [
  ...['step_id', 'tool', 'status', 'started_at', 'completed_at', 'duration_ms'],
  ...['attempts', 'parent', 'iteration', 'stored_as'],
];
/** Members that have another name in an object than snake_case in camelCase. */
const RENAMED: Readonly<Record<string, string>> = { status: 'state', step_id: 'id' };
const FORMER: Readonly<Record<string, string>> = { state: 'status', id: 'step_id' };
const LOST =
  'sealed with keys that this process does not have; give all processes the same PEGBOARD_KEYS_FILE';

/** Encrypts the contents of one run; `open` returns undefined for what other keys have sealed. */
export interface RunSeal {
  seal(id: string, text: string): string;
  open(id: string, sealed: string): string | undefined;
}

/** The WorkflowExecution object of a run. @param seal undefined: it shows its contents to all who may read it */
export function runObject(record: RunRecord, row: RunRow, seal: RunSeal | undefined): KubeObject {
  const { execution_id: id, workflow_name: workflow, status: state, input, steps, ...facts } = record;
  const isSealed = seal !== undefined;
  const kept = isSealed ? sealedRow(row, seal) : row;
  const shown = (part: object, open: readonly string[]): JsonObject =>
    respelled(
      Object.entries(part).filter(([key]) => key !== 'owner' && (!isSealed || open.includes(key))),
      camelCase,
    );
  return {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'WorkflowExecution',
    metadata: {
      name: id,
      labels: { [`${GROUP}/workflow`]: workflow, [`${GROUP}/status`]: state },
      annotations: { [ROW]: JSON.stringify(kept) },
    },
    spec: { workflow, ...(!isSealed && { input }) },
    status: {
      state,
      ...shown(facts, OPEN_OF_RUN),
      stepCount: row.step_count,
      steps: steps.map((step) => shown(step, OPEN_OF_STEP)),
      ...(isSealed && { sealed: seal.seal(id, JSON.stringify(record)) }),
    },
  };
}

/** The run of an object, also of one that version 0.1.0 has written first, which has it as `record`. */
export function recordIn(object: KubeObject, seal: RunSeal): RunRecord {
  const { metadata, record } = object;
  if (record !== undefined) return record as unknown as RunRecord;
  const { sealed, steps = [], ...facts } = (object.status ?? {}) as JsonObject;
  const { name } = metadata;
  const text = typeof sealed === 'string' ? seal.open(name, sealed) : undefined;
  const opened = text === undefined ? undefined : (JSON.parse(text) as RunRecord);
  if (opened !== undefined && opened.status === facts['state']) return opened;
  const { workflow, input = { _sealed: LOST } } = (object.spec ?? {}) as JsonObject;
  const [row] = rowsIn(object, seal);
  const shown = (steps as readonly JsonObject[]).map((step) => respelled(Object.entries(step), snakeCase));
  return {
    execution_id: name,
    workflow_name: workflow,
    owner: row?.owner ?? '',
    input,
    ...opened,
    ...(row?.error !== undefined && { error: row.error }),
    ...respelled(
      Object.entries(facts).filter(([key]) => key !== 'stepCount'),
      snakeCase,
    ),
    steps: shown.map((step, at) => ({ ...opened?.steps[at], ...step })),
  } as unknown as RunRecord;
}

/** The object in place of another one, with the contents of that one if this process has no keys for them. */
export function replacing(before: KubeObject, after: KubeObject, seal: RunSeal): KubeObject {
  const { metadata, status } = before;
  const { sealed } = (status ?? {}) as JsonObject;
  if (typeof sealed !== 'string' || seal.open(metadata.name, sealed) !== undefined) return after;
  const [former, row] = [before, after].map(({ metadata: { annotations } }) =>
    parsed(annotations?.[ROW] ?? ''),
  );
  const owner = isObject(former) ? former['sealed_owner'] : undefined;
  const kept = { ...(row as JsonObject), ...(owner !== undefined && { sealed_owner: owner }) };
  const annotations = { [ROW]: JSON.stringify(kept) };
  return {
    ...after,
    metadata: { ...after.metadata, annotations },
    status: { ...(after.status as JsonObject), sealed },
  };
}

/** The row of an object; none of one that Pegboard has not written. */
export function rowsIn({ metadata }: Pick<KubeObject, 'metadata'>, seal: RunSeal): readonly RunRow[] {
  const { name, annotations } = metadata;
  const kept = parsed(annotations?.[ROW] ?? '');
  if (!isObject(kept) || kept['execution_id'] !== name) return [];
  const { sealed_owner: sealedOwner, sealed_error: sealedError, ...row } = kept;
  const opened = (sealed: unknown): string | undefined =>
    typeof sealed === 'string' ? (seal.open(name, sealed) ?? LOST) : undefined;
  const [owner, error] = [opened(sealedOwner), opened(sealedError)];
  return [
    {
      ...row,
      ...(owner !== undefined && { owner }),
      ...(error !== undefined && { error }),
    } as unknown as RunRow,
  ];
}

function sealedRow({ owner, error, ...row }: RunRow, seal: RunSeal): JsonObject {
  const { execution_id: id } = row;
  return {
    ...row,
    sealed_owner: seal.seal(id, owner),
    ...(error !== undefined && { sealed_error: seal.seal(id, error) }),
  };
}

/** Undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function respelled(
  facts: readonly (readonly [string, unknown])[],
  spell: (key: string) => string,
): JsonObject {
  return Object.fromEntries(facts.map(([key, value]) => [spell(key), value]));
}

function camelCase(key: string): string {
  return RENAMED[key] ?? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function snakeCase(key: string): string {
  return FORMER[key] ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A seal with the keys that the vault uses. @param shared those of all processes, if a plugin keeps some */
export function sealWith(
  shared: () => KeyRing | undefined,
  stateDirectory: () => string | undefined,
  log: Pick<Log, 'warn'>,
): RunSeal {
  let given: KeyRing | undefined;
  let ring: KeyRing | undefined;
  const keys = (): KeyRing => {
    // At a stop the plugin that keeps them may have ended before the last run.
    const now = shared() ?? given;
    if (ring !== undefined && now === given) return ring;
    const state = stateDirectory();
    ring = vaultKeys(state, now);
    given = now;
    if (now === undefined && state === undefined && (process.env['PEGBOARD_KEYS_FILE'] ?? '') === '')
      log.warn(
        'contents of runs are sealed with keys of this process only: no one can read them after its end',
        {
          fix: 'name a file of keys, the same for all processes, in PEGBOARD_KEYS_FILE',
        },
      );
    return ring;
  };
  // Sealed contents open in the object of their own run only.
  const contextOf = (id: string): Buffer => Buffer.from(`contents of the run ${id}`);
  return {
    seal: (id, text) => sealBytes(keys()[0], contextOf(id), Buffer.from(text)).toString('base64'),
    open: (id, sealed) => {
      const bytes = Buffer.from(sealed, 'base64');
      const [plain] = keys().flatMap((key) => unsealBytes(key, contextOf(id), bytes) ?? []);
      return plain?.toString();
    },
  };
}
