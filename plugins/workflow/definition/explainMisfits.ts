import { isObject } from 'pegboard';
import type { Finding, JsonObject } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';
import { adviceFor } from './adviceFor.ts';
import type { KeyPlace } from './adviceFor.ts';

const LISTS: readonly unknown[] = ['steps', 'parallel', 'onFailure', 'on_failure', 'finally'];
const CONDITIONS = ['condition', 'expect', 'expectNot', 'expect_not'];

/** What does not conform to the schema, each with its step and with what to write. */
export function explainMisfits(findings: readonly Finding[], spec: JsonObject): readonly Finding[] {
  return findings.map((finding) => {
    const { path, message } = finding;
    const at = stepEnd(path);
    const below = path.slice(at);
    const step = at === 0 ? '' : `step ${stepName(spec, path.slice(0, at))}: `;
    const told = message.replace(path.join('.'), below.length === 0 ? 'it' : below.join('.'));
    const key = String(path.at(-1));
    if (!message.startsWith(`unknown key ${JSON.stringify(key)}`)) {
      const shape = shapeOf(below, at, spec);
      return { ...finding, message: `${step}${told}${shape === undefined ? '' : `; ${shape}`}` };
    }
    const advice = isSchema(spec) && path[0] === 'args' ? SCHEMA : adviceAt(path, at, spec);
    const isOwn = below.length === 1 && at > 0 && !message.includes('did you mean');
    const text = isOwn ? `unknown key "${key}"; ${OF_TOOL}` : message;
    const place = at === 0 && path.length > 1 ? `${path.slice(0, -1).join('.')}: ` : step;
    return {
      ...finding,
      message: place + (advice === undefined ? text : `unknown key "${key}"; ${advice}`),
    };
  });
}

const SCHEMA =
  'args are not a JSON Schema; write each of its properties below args: {path: {type: string, required: true}}';

const OF_TOOL =
  'if it is an argument of the tool, write it below args; a step has id, tool, args, condition, forEach, parallel, outputs, output, allowFailure, timeout, retry';

function adviceAt(path: Path, at: number, spec: JsonObject): string | undefined {
  const below = path.slice(at);
  const key = String(below.at(-1));
  const advice = adviceFor(placeOf(below, at), key);
  const isInner = at > 2 || (at > 0 && path[0] !== 'steps');
  if (isInner && below.length === 1 && (key === 'parallel' || advice?.includes('forEach'))) return INNER;
  const [, meant = ''] = /^write (\w+)/.exec(advice ?? '') ?? [];
  const around = valueAt(spec, path.slice(0, -1));
  const isThere = isObject(around) && Object.hasOwn(around, meant) && around[meant] !== undefined;
  if (!isThere) return advice;
  return at > 0 && meant !== 'args' ? OF_TOOL : `leave it out: ${meant} is there already`;
}

const INNER =
  'loops and groups, onFailure and finally hold tools only; call a workflow of its own, workflow_<name>';

/** Whether the arguments are written as the JSON Schema of an object. */
function isSchema({ args }: JsonObject): boolean {
  return isObject(args) && args['type'] === 'object' && isObject(args['properties']);
}

/** Where the path of the innermost step ends; 0 outside of steps. */
function stepEnd(path: Path): number {
  let end = 0;
  for (let at = 0; at + 1 < path.length; at += 1) {
    const isStep = LISTS.includes(path[at]) && /^\d+$/.test(String(path[at + 1]));
    // Below arguments, keys of the same names are the tool's own.
    if (path[at] === 'args') return end;
    if (isStep) end = at + 2;
  }
  return end;
}

/** The id, or the place in its list from 0. */
function stepName(spec: JsonObject, path: Path): string {
  const value = valueAt(spec, path);
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' ? id : String(path.at(-1));
}

function valueAt(spec: JsonObject, path: Path): unknown {
  return path.reduce<unknown>((value, part) => (value as JsonObject | undefined)?.[part], spec);
}

function placeOf(below: Path, at: number): KeyPlace {
  const [first] = below;
  if (below.length === 1) return at === 0 ? 'workflow' : 'step';
  if (at === 0) return 'argument';
  if (first === 'forEach' || first === 'for_each') return 'forEach';
  if (first === 'retry') return 'retry';
  return below.length > 2 && CONDITIONS.includes(String(below.at(-2))) && below.at(-2) !== 'condition'
    ? 'expect'
    : 'condition';
}

/** How a value is written that has the wrong type, where `adviceFor` says less. */
const IN_WORKFLOW: Readonly<Record<string, string>> = {
  steps: 'write a list, steps: [{id: read, tool: x_server_tool, args: {path: "{{ .input.path }}"}}]',
  onFailure: 'write a list of steps, onFailure: [{id: undo, tool: x_server_tool}]',
  finally: 'write a list of steps, finally: [{id: clean, tool: x_server_tool}]',
  output: 'write an object, output: {text: "{{ .results.read }}"}',
};
const IN_STEP: Readonly<Record<string, string>> = {
  tool: 'write the exact name of one tool; its arguments stand beside it in args',
  output:
    'write output: true to show the result; to bind a part of it, write outputs: {name: "{{ .result.name }}"}',
  outputs: 'write outputs: {name: "{{ .result.name }}"}, and read it as .vars.name',
  parallel:
    'write a list of steps with tools, parallel: [{id: a, tool: x_server_tool}, {id: b, tool: x_server_tool}]',
};

const ONE_STEP = 'write {id: read, tool: x_server_tool, args: {path: "{{ .input.path }}"}}';

function shapeOf(below: Path, at: number, spec: JsonObject): string | undefined {
  const key = String(below.at(-1));
  if (at > 0) return below.length === 0 ? ONE_STEP : (IN_STEP[key] ?? adviceFor(placeOf(below, at), key));
  if (below[0] !== 'args' || below.length === 1) return IN_WORKFLOW[key] ?? adviceFor('workflow', key);
  if (isSchema(spec)) return SCHEMA;
  if (key === 'required') return 'write required: true at each argument';
  return below.length === 2 ? `write ${key}: {type: string, required: true}` : undefined;
}
