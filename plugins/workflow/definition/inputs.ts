import type { JsonObject, JsonSchema } from 'pegboard';
import { exactArguments } from '../../kit/calls/exactNumbers.ts';
import { isOfType } from '../../kit/calls/wantedTypes.ts';
import { INTEGERS } from './integers.ts';
import type { Argument, Workflow } from './model.ts';

/** Arguments that control the run, as opposed to the declared arguments of the workflow. */
export interface Steering {
  /** `_async`: returns the execution id at once. */
  readonly isAsync: boolean;
  /** `_plan`: returns what the run would do, without calling tools. */
  readonly isPlan: boolean;
  /** `_debug`: shows every result. */
  readonly isDebug: boolean;
}
const RESERVED = ['_async', '_plan', '_debug'];

/** The input schema of the generated tool. Source: requirement workflow.args. */
export function inputSchemaOf({ args }: Workflow): JsonSchema {
  const properties = args.map(
    ({ name, type, description, sensitive, default: preset, enum: allowed }): [string, JsonObject] => [
      name,
      {
        type,
        description,
        ...(preset !== undefined && !sensitive && { default: preset }),
        ...(allowed && { enum: allowed }),
        ...(type === 'array' && { items: {} }),
      },
    ],
  );
  const required = args.filter((one) => one.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required: required.sort() }),
  };
}

export function steeringOf(args: JsonObject): Steering {
  const isOn = (name: string): boolean => args[name] === true || args[name] === 'true';
  return { isAsync: isOn('_async'), isPlan: isOn('_plan'), isDebug: isOn('_debug') };
}

export interface EffectiveInput {
  readonly input: JsonObject;
  /** Undefined if the input is valid. */
  readonly fault: string | undefined;
}

/** Adds defaults and checks types; arguments that are not declared are kept. */
export function effectiveInput(workflow: Workflow, args: JsonObject): EffectiveInput {
  const faults: string[] = [];
  const declared = new Map(workflow.args.map((argument) => [argument.name, argument]));
  const given = Object.entries(args).filter(([name, value]) => {
    if (RESERVED.includes(name)) return false;
    const argument = declared.get(name);
    return !(value === null && argument?.required === false);
  });
  const names = new Set(given.map(([name]) => name));
  const defaults: [string, unknown][] = [];
  for (const argument of workflow.args) {
    if (names.has(argument.name)) continue;
    if (argument.required) faults.push(`required field '${argument.name}' is missing`);
    else if (argument.default !== undefined)
      defaults.push([argument.name, structuredClone(argument.default)]);
  }
  for (const [name, value] of given) {
    const argument = declared.get(name);
    const fault = argument && faultOf(argument, value);
    if (fault !== undefined) faults.push(fault);
  }
  const fault = faults.length === 0 ? undefined : `input validation failed: ${faults.join('; ')}`;
  const exact = exactArguments(args, INTEGERS);
  const kept = given.map(([name]) => [name, exact[name]] as const);
  return { input: Object.fromEntries<unknown>([...kept, ...defaults]), fault };
}

function faultOf({ name, type, enum: allowed }: Argument, value: unknown): string | undefined {
  if (!isOfType(type, value)) return `field '${name}' has wrong type, expected ${type}`;
  if (allowed === undefined || allowed.some((one) => JSON.stringify(one) === JSON.stringify(value)))
    return undefined;
  return `field '${name}' must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`;
}

/** All texts and numbers inside the values of sensitive arguments. */
export function sensitiveTexts(workflow: Workflow, input: JsonObject): readonly string[] {
  return workflow.args.filter(({ sensitive }) => sensitive).flatMap(({ name }) => leavesOf(input[name]));
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (typeof value === 'number') return [String(value)];
  const digits = INTEGERS.digitsOf(value);
  if (digits !== undefined) return [digits];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}
