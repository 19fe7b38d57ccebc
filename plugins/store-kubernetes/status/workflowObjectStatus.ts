import { isObject } from 'pegboard';
import type { Issue, JsonObject } from 'pegboard';

/** `status` of a Workflow, without conditions. A key that is null is removed. */
export interface WorkflowObjectStatus {
  readonly steps: number;
  /** The same as `steps`, in the word of other gateways. */
  readonly stepCount: number;
  /** Names of tools that its steps, loops, groups and conditions call, each once. */
  readonly referencedTools: readonly string[];
  /** Why the stored definition is not in force; null if it is. */
  readonly validationErrors: readonly string[] | null;
}

const MAX_ERRORS = 20;

export function workflowStatusOf(
  spec: JsonObject,
  errors: readonly Pick<Issue, 'message'>[],
): WorkflowObjectStatus {
  const { steps } = spec;
  const count = Array.isArray(steps) ? steps.length : 0;
  return {
    steps: count,
    stepCount: count,
    referencedTools: [...new Set(toolsIn(spec))],
    validationErrors: validationErrorsOf(errors),
  };
}

/** Why a definition is not in force; null if it is. */
export function validationErrorsOf(errors: readonly Pick<Issue, 'message'>[]): readonly string[] | null {
  const messages = errors.slice(0, MAX_ERRORS).map(({ message }) => message);
  return messages.length > 0 ? messages : null;
}

/** What may hold steps and conditions; arguments, results and templates may have any keys. */
const HOLDERS: ReadonlySet<string> = new Set([
  'steps',
  'onFailure',
  'on_failure',
  'finally',
  'forEach',
  'for_each',
  'parallel',
  'condition',
  'all',
  'any',
  'not',
]);

function toolsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(toolsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'tool' && typeof inner === 'string') return [inner];
    return HOLDERS.has(key) ? toolsIn(inner) : [];
  });
}
