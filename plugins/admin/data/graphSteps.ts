import type { DefinedStep, DefinedSteps, RunFacts, RunStep } from '../../contracts/runs.ts';

/** A step of a graph. */
export interface GraphStep {
  readonly id: string;
  readonly kind: DefinedStep['kind'];
  /** How it went; absent: the graph is of a workflow, not of a run. */
  readonly state?: string;
  readonly ms?: number;
  /** How often it ran, within a loop. */
  readonly times?: number;
  /** Those of a loop or a group. */
  readonly steps: readonly GraphStep[];
}
/** Steps that run one after another, and when they do. */
export interface GraphRow {
  readonly title: string;
  readonly steps: readonly GraphStep[];
}

const TITLES: readonly (readonly [keyof DefinedSteps, string])[] = [
  ['steps', 'Steps'],
  ['onFailure', 'After a failure'],
  ['finally', 'In any case'],
];

/** The graph of a workflow. */
export function graphOfWorkflow(defined: DefinedSteps): readonly GraphRow[] {
  const step = ({ step_id: id, kind, steps }: DefinedStep): GraphStep => ({
    id,
    kind,
    steps: steps.map(step),
  });
  return rowsOf(defined, step);
}

/** The graph of a run, with the steps that it has not reached, unless the workflow has changed since: then of its records alone. */
export function graphOfRun(run: RunFacts, defined: DefinedSteps | undefined): readonly GraphRow[] {
  if (defined === undefined || run.truncated === true || !isDefinedBy(run, defined))
    return run.steps.length === 0 ? [] : [{ title: 'Steps', steps: recordedSteps(run.steps) }];
  const absent = run.status === 'running' ? 'to come' : 'not run';
  const step = ({ step_id: id, kind, steps }: DefinedStep): GraphStep => {
    const records = run.steps.filter((record) => record.step_id === id);
    return { id, kind, ...summaryOf(records, kind === 'tool' ? absent : undefined), steps: steps.map(step) };
  };
  return rowsOf(defined, step);
}

function rowsOf(defined: DefinedSteps, step: (one: DefinedStep) => GraphStep): readonly GraphRow[] {
  return TITLES.flatMap(([phase, title]) => {
    const steps = defined[phase].map(step);
    return steps.length === 0 ? [] : [{ title, steps }];
  });
}

/** Whether the run may be one of this definition: each record is of a step at the same place, and none is missing where each
 *  step leaves one, which only loops and groups need not. */
function isDefinedBy({ status, steps: records }: RunFacts, defined: DefinedSteps): boolean {
  if (!knowsAll(defined, records)) return false;
  const recorded = new Set(records.map(({ parent, step_id: id }) => parent ?? id));
  const isMissing = ({ kind, step_id: id }: DefinedStep): boolean => kind === 'tool' && !recorded.has(id);
  const last = defined.steps.findLastIndex(({ step_id: id }) => recorded.has(id));
  const due = status === 'completed' ? defined.steps : defined.steps.slice(0, Math.max(0, last));
  return !due.some(isMissing);
}

/** Whether each record is of a step at the same place of the definition. */
function knowsAll(defined: DefinedSteps, records: readonly RunStep[]): boolean {
  const all = TITLES.flatMap(([phase]) => defined[phase]);
  const known = new Set(
    all.flatMap((one) => [one.step_id, ...one.steps.map((inner) => `${one.step_id} ${inner.step_id}`)]),
  );
  return records.every(({ step_id: id, parent }) => known.has(parent === undefined ? id : `${parent} ${id}`));
}

/** Steps in the order of their records; only those of loops have an iteration. */
function recordedSteps(records: readonly RunStep[]): readonly GraphStep[] {
  const names = [...new Set(records.map(({ parent, step_id: id }) => parent ?? id))];
  return names.map((id) => {
    const own = records.filter((record) => record.parent === undefined && record.step_id === id);
    const inner = records.filter(({ parent }) => parent === id);
    const innerIds = [...new Set(inner.map((record) => record.step_id))];
    return {
      id,
      kind:
        inner.length === 0
          ? 'tool'
          : inner.some(({ iteration }) => iteration !== undefined)
            ? 'forEach'
            : 'parallel',
      ...summaryOf(own, undefined),
      steps: innerIds.map((one) => ({
        id: one,
        kind: 'tool',
        ...summaryOf(
          inner.filter((record) => record.step_id === one),
          undefined,
        ),
        steps: [],
      })),
    };
  });
}

const WORST = ['failed', 'running', 'completed'];

/** One state for all iterations: a failure is not hidden by what went well. @param absent of a step without a record */
function summaryOf(
  records: readonly RunStep[],
  absent: string | undefined,
): Pick<GraphStep, 'state' | 'ms' | 'times'> {
  if (records.length === 0) return absent === undefined ? {} : { state: absent };
  const state = WORST.find((one) => records.some(({ status }) => status === one)) ?? 'skipped';
  const hasEnded = state === 'completed' || state === 'failed';
  return {
    state,
    ...(hasEnded && { ms: records.reduce((sum, { duration_ms: ms }) => sum + ms, 0) }),
    ...(records.some(({ iteration }) => iteration !== undefined) && { times: records.length }),
  };
}
