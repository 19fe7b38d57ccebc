import { isObject, nearest } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { ROOTS, meantPath } from './meantPath.ts';
import type { Names } from './meantPath.ts';
import type { Step, Workflow } from './model.ts';

/** What the templates at one place of a definition can read. */
export interface Known {
  readonly workflow: Workflow;
  readonly steps: ReadonlyMap<string, Step>;
  /** Ids of the steps that have run by then. */
  readonly earlier: ReadonlySet<string>;
  /** Names that a loop or `outputs` have bound by then. */
  readonly bound: ReadonlySet<string>;
  /** The names that a hint may suggest. */
  readonly names: Names;
  /** Id of the step whose `outputs` these are: there, `.result` is its result. */
  readonly ownResult?: string | undefined;
  readonly isCleanUp: boolean;
  /** The schema of a tool's result, if it is known. */
  readonly resultOf: (tool: string) => JsonObject | undefined;
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  workflow: ['name', 'execution_id', 'status'],
  error: ['step', 'tool', 'message'],
};
/** What other languages have between a step and its result. */
const WRAPPERS = ['output', 'outputs', 'result', 'content', 'structuredContent'];

/** What is wrong with the path of a template, undefined if nothing is. */
export function referenceFault(path: readonly string[], known: Known): string | undefined {
  const fault = pathFault(path, known);
  if (fault !== undefined || path.at(-1) !== 'length') return fault;
  const list = `.${path.slice(0, -1).join('.')}`;
  return `.length is a field, and lists and texts have none; for the number of items write len ${list}`;
}

function pathFault(path: readonly string[], known: Known): string | undefined {
  const [root = '', name] = path;
  const { names, workflow } = known;
  if (!ROOTS.includes(root)) {
    const isOwn = known.ownResult !== undefined && ['output', 'outputs', 'response'].includes(root);
    const meant = isOwn ? ['.result', ...path.slice(1)].join('.') : meantPath(path.join('.'), names);
    const fix =
      meant === undefined ? `the roots are ${ROOTS.map((one) => `.${one}`).join(', ')}` : `write ${meant}`;
    return `.${root} is unknown; ${fix}`;
  }
  if (root === 'result') return resultFault(path, known);
  if (root === 'error' && !known.isCleanUp) return '.error is there in onFailure and finally only';
  if (name === undefined || name === '') return undefined;
  if (root === 'input') {
    const argument = workflow.args.find((one) => one.name === name);
    if (argument === undefined)
      return `.input.${name} is not declared below args${didMean('.input', name, names.inputs)}`;
    if (!argument.required && argument.default === undefined)
      return `.input.${name} is optional and has no default; read it with get .input "${name}"`;
    return undefined;
  }
  if (root === 'vars')
    return known.bound.has(name)
      ? undefined
      : `.vars.${name} is bound by no loop around it and no outputs before it${didMean('.vars', name, names.vars)}`;
  const fields = FIELDS[root];
  if (fields !== undefined)
    return fields.includes(name) ? undefined : `.${root} has ${fields.join(', ')}, and no ${name}`;
  return stepFault(path, known);
}

function didMean(root: string, name: string, names: readonly string[]): string {
  const [close] = nearest(name, names, 1);
  return close === undefined ? '' : `; did you mean ${root}.${close}?`;
}

function resultFault(path: readonly string[], { ownResult, earlier }: Known): string | undefined {
  if (ownResult !== undefined) return undefined;
  const last = [...earlier].at(-1) ?? '<id>';
  return `.result is there in outputs only; write ${['.results', last, ...path.slice(1)].join('.')}`;
}

function stepFault([root = '', name = '', ...rest]: readonly string[], known: Known): string | undefined {
  const { steps, earlier, ownResult } = known;
  const id = steps.has(name) ? name : name.replace(/_\d+$/, '');
  const step = steps.get(id);
  if (step === undefined)
    return `.${root}.${name} refers to a step that does not exist${didMean(`.${root}`, name, known.names.steps)}`;
  if (id === ownResult)
    return `in outputs, the result of the step itself is ${['.result', ...rest].join('.')}`;
  if (!earlier.has(id)) return `.${root}.${name} refers to a step that has not run by then`;
  const [field] = rest;
  if (root === 'steps') {
    if (field === undefined || field === 'status') return undefined;
    const meant = meantPath(['steps', id, ...rest].join('.'), known.names) ?? `.results.${id}`;
    return `.steps.${name} has a status only; write ${meant}`;
  }
  return field === undefined ? undefined : fieldFault(`.${root}.${name}`, step, rest, known);
}

function fieldFault(
  base: string,
  step: Step,
  [field = '', ...rest]: readonly string[],
  known: Known,
): string | undefined {
  if (step.kind === 'forEach')
    return /^\d+$/.test(field) || !base.endsWith(`.${step.id}`)
      ? undefined
      : `${base} is a list with one item for each iteration; write index ${base} 0 "${field}", or range over it`;
  if (step.kind === 'parallel') {
    const members = step.steps.map(({ id }) => id);
    return members.includes(field)
      ? undefined
      : `${base} has the results of ${members.join(', ')}, and no ${field}`;
  }
  const fields = fieldsOf(known.resultOf(step.tool));
  if (fields?.includes(field) === true) return undefined;
  const direct = [base, ...rest].join('.');
  if (fields !== undefined) {
    const [close] = nearest(field, fields, 1);
    const fix =
      close === undefined
        ? `it has ${fields.join(', ')}`
        : `did you mean ${[base, close, ...rest].join('.')}?`;
    return `the result of ${step.tool} has no ${field}; ${fix}`;
  }
  if (!WRAPPERS.includes(field) || step.tool.startsWith('workflow_')) return undefined;
  const value = field === 'content' ? base : direct;
  return `${base} is the result itself, as text or JSON; unless it has a field ${field}, write ${value}`;
}

/** The fields of a result, if it can have no others. */
function fieldsOf(schema: JsonObject | undefined): readonly string[] | undefined {
  const properties = schema?.['properties'];
  const more = schema?.['additionalProperties'];
  if (!isObject(properties) || (more !== undefined && more !== false)) return undefined;
  if (['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties'].some((key) => schema?.[key] !== undefined))
    return undefined;
  const names = Object.keys(properties);
  return names.length === 0 ? undefined : names;
}
