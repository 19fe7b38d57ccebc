import { isObject } from 'pegboard';
import type { Finding, JsonObject } from 'pegboard';
import type { Path } from '../../kit/definitions/beside.ts';
import { isOfType } from '../../kit/calls/wantedTypes.ts';
import { allSteps, innerSteps } from './model.ts';
import type { Argument, Step, Workflow } from './model.ts';
import { readSteps, readSubSteps } from './readSteps.ts';
import { durationMs, either, objectAt } from './spelling.ts';
import type { ReportFault } from './spelling.ts';

export interface ReadWorkflow {
  readonly workflow: Workflow;
  readonly findings: readonly Finding[];
}

/** Reads a spec in either spelling. Never throws: faults become findings, missing parts become empty. */
export function readWorkflow(name: string, spec: JsonObject): ReadWorkflow {
  const findings: Finding[] = [];
  const fault: ReportFault = (path, message, severity = 'error') =>
    findings.push({ path, message, severity });
  const onFailure = either(spec, 'onFailure');
  const timeoutMs = durationMs(spec['timeout']);
  if (spec['timeout'] !== undefined && !timeoutMs)
    fault(['timeout'], 'timeout must be seconds or a text such as 10m');
  const steps = readSteps(spec['steps'], ['steps'], fault);
  if (spec['steps'] === undefined) fault([], 'steps argument is required');
  else if (Array.isArray(spec['steps']) && spec['steps'].length === 0)
    fault(['steps'], 'workflow must have at least one step');
  const workflow: Workflow = {
    name,
    description: typeof spec['description'] === 'string' ? spec['description'] : '',
    args: readArguments(objectAt(spec, 'args') ?? {}, fault),
    steps,
    onFailure: readSubSteps(onFailure.value, [onFailure.key], 'validation failed: onFailure: ', fault),
    finally: readSubSteps(spec['finally'], ['finally'], 'validation failed: finally: ', fault),
    output: objectAt(spec, 'output'),
    timeoutMs,
    restricted: [],
  };
  checkIds(workflow, fault);
  return { workflow, findings };
}

function readArguments(args: JsonObject, fault: ReportFault): readonly Argument[] {
  return Object.entries(args).flatMap(([name, value]): Argument[] => {
    const path = ['args', name];
    if (!isObject(value)) {
      fault(path, `validation failed: args: argument ${name} is not a valid object`);
      return [];
    }
    const { type, required, description, sensitive, enum: allowed } = value;
    if (typeof type !== 'string') fault(path, `validation failed: args: argument ${name}: type is required`);
    if (name.startsWith('_'))
      fault(path, `validation failed: args: argument ${name}: names with a leading "_" are reserved`);
    const argument: Argument = {
      name,
      type: typeof type === 'string' ? type : '',
      required: required === true,
      ...(value['default'] !== undefined && value['default'] !== null && { default: value['default'] }),
      description: typeof description === 'string' ? description : '',
      sensitive: sensitive === true,
      ...(Array.isArray(allowed) && { enum: allowed }),
    };
    if (argument.default !== undefined && !isOfType(argument.type, argument.default)) {
      const meant = argument.type === 'boolean' ? booleanMeantBy(argument.default) : undefined;
      const text = `args: default of ${name} is not of type ${argument.type}`;
      if (meant === undefined) fault([...path, 'default'], text, 'warning');
      else fault([...path, 'default'], `${text}: this word is a text in YAML 1.2; write ${meant}`);
    }
    if (argument.sensitive && argument.default !== undefined) {
      const text = `args: the default of ${name} is sensitive, but readable in the definition; leave it out`;
      fault([...path, 'default'], text, 'warning');
    }
    if (argument.required && argument.default !== undefined)
      fault([...path, 'default'], `args: ${name} is required, so its default is never used`, 'warning');
    return [argument];
  });
}

/** What YAML 1.1 took a word for. @returns undefined for another word */
function booleanMeantBy(value: unknown): boolean | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^(y|yes|on)$/i.test(value)) return true;
  return /^(n|no|off)$/i.test(value) ? false : undefined;
}

/** Results of all steps share one map, so ids must be unique. */
function checkIds(workflow: Workflow, fault: ReportFault): void {
  const seen = new Set<string>();
  const mark = (id: string, path: Path, message: string): void => {
    if (seen.has(id)) fault([...path, 'id'], message);
    seen.add(id);
  };
  for (const step of workflow.steps) {
    mark(step.id, step.path, `duplicate step ID '${step.id}' found`);
    for (const inner of innerSteps(step))
      mark(inner.id, inner.path, `step ${step.id} ${step.kind}: duplicate sub-step id '${inner.id}'`);
  }
  for (const [list, word] of [
    [workflow.onFailure, 'onFailure'],
    [workflow.finally, 'finally'],
  ] as const) {
    for (const step of list) mark(step.id, step.path, `${word}: duplicate sub-step id '${step.id}'`);
  }
  for (const step of allSteps(workflow)) checkLoopNames(step, fault);
}

function checkLoopNames(step: Step, fault: ReportFault): void {
  if (step.kind !== 'forEach') return;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(step.as) || step.as === '__proto__')
    fault([...step.path, 'forEach', 'as'], `step ${step.id}: as must be a name of letters, digits and "_"`);
  for (const inner of step.steps) {
    if (/_\d+$/.test(inner.id))
      fault(
        [...inner.path, 'id'],
        `step ${inner.id}: an id that ends in a number may hide the result of an iteration`,
        'warning',
      );
  }
}
