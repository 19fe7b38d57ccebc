import { isObject, nearest } from 'pegboard';
import type { Finding, InboundRequest, JsonObject, Tool, ToolTable } from 'pegboard';
import { allSteps, flatConditions } from '../definition/model.ts';
import type { Step, Workflow } from '../definition/model.ts';
import { isTemplate } from '../definition/templates.ts';

const MAX_DEPTH = 8;
const MAX_WARNINGS = 100;
/** How many unknown arguments of an object are named. */
const MAX_UNKNOWN = 20;
/** Keywords by which a schema says more than its properties. */
const COMBINED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'not', 'patternProperties', 'dependentSchemas'];

interface Use {
  readonly step: Step;
  readonly tool: string;
  readonly args: JsonObject;
  readonly path: Finding['path'];
  readonly where: string;
}

/** What the schemas and hints of tools say against the steps. Warnings only: a server's schema may change, and
 *  templates give any type. */
export function argumentWarnings(
  workflow: Workflow,
  table: ToolTable,
  request: InboundRequest,
): readonly Finding[] {
  const warnings: Finding[] = [];
  for (const use of allSteps(workflow).flatMap(usesIn)) {
    const tool = table.declared(use.tool, request);
    if (
      warnings.length > MAX_WARNINGS ||
      tool === undefined ||
      tool.kind === 'meta' ||
      tool.members !== undefined
    )
      continue;
    const faults = misfits(use.args, tool.inputSchema, []).map(({ path, text }) => ({
      path: [...use.path, 'args', ...path],
      message: `${use.where}: ${text} of ${use.tool}`,
    }));
    warnings.push(
      ...[...faults, ...repeated(use, tool)].map((one): Finding => ({ ...one, severity: 'warning' })),
    );
  }
  return warnings;
}

/** The schema of a tool's structured result, if its server declares one. */
export function resultSchema(
  name: string,
  table: ToolTable,
  request: InboundRequest,
): JsonObject | undefined {
  const schema = table.declared(name, request)?.declared?.['outputSchema'];
  return isObject(schema) ? schema : undefined;
}

function usesIn(step: Step): readonly Use[] {
  const asked = flatConditions(step.condition).flatMap((one) =>
    one.from === 'tool' ? [{ ...one, step, where: `step ${step.id}: condition` }] : [],
  );
  return step.kind === 'tool' ? [...asked, { ...step, step, where: `step ${step.id}` }] : asked;
}

/** A retry may do again what a call whose answer was lost has done. */
function repeated({ step, where, tool: name }: Use, { annotations }: Tool): readonly Finding[] {
  if (step.kind !== 'tool' || step.tool !== name || step.retry === undefined) return [];
  const { retry, path } = step;
  if (
    retry.max === 0 ||
    retry.isOnGiven ||
    annotations?.idempotentHint === true ||
    annotations?.readOnlyHint === true
  )
    return [];
  const message = `${where}: retry calls ${name} again after a time-out or a lost connection too, when it may have done its work; it does not say that it is idempotent, so write on: [isError]`;
  return [{ path: [...path, 'retry'], message }];
}

interface Misfit {
  readonly path: Finding['path'];
  readonly text: string;
}

function misfits(value: unknown, schema: unknown, path: Finding['path']): readonly Misfit[] {
  if (!isObject(schema) || path.length > MAX_DEPTH || (typeof value === 'string' && isTemplate(value)))
    return [];
  const types = typesIn(schema);
  if (types !== undefined && !types.some((type) => isOf(type, value)))
    return [
      {
        path,
        text: `argument ${path.join('.')} must be of type ${types.join(' or ')}, not ${typeOf(value)}, by the schema`,
      },
    ];
  const { enum: allowed, items } = schema;
  if (Array.isArray(allowed) && !isObject(value) && !allowed.includes(value))
    return [
      {
        path,
        text: `argument ${path.join('.')} must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}, by the schema`,
      },
    ];
  if (Array.isArray(value)) return value.flatMap((one, at) => misfits(one, items, [...path, at]));
  return isObject(value) ? misfitsInside(value, schema, path) : [];
}

function misfitsInside(value: JsonObject, schema: JsonObject, path: Finding['path']): readonly Misfit[] {
  const { properties, required, additionalProperties } = schema;
  const known = isObject(properties) ? properties : {};
  const names = Object.keys(known);
  const missing = (Array.isArray(required) ? (required as unknown[]) : []).filter(
    (name): name is string => typeof name === 'string' && !Object.hasOwn(value, name),
  );
  const isClosed =
    additionalProperties === false ||
    (additionalProperties === undefined &&
      names.length > 0 &&
      !COMBINED.some((key) => schema[key] !== undefined));
  const dotted = (name: string): string => [...path, name].join('.');
  const free = names.filter((name) => !Object.hasOwn(value, name));
  return [
    ...Object.entries(value).flatMap(([name, one], at): readonly Misfit[] => {
      if (Object.hasOwn(known, name)) return misfits(one, known[name], [...path, name]);
      if (!isClosed || at >= MAX_UNKNOWN) return [];
      const close = nearest(name, free, 1)[0] ?? (missing.length === 1 ? missing[0] : undefined);
      const fix =
        close === undefined
          ? names.length === 0
            ? 'there are none'
            : `there are ${names.join(', ')}`
          : `did you mean ${close}?`;
      return [{ path: [...path, name], text: `no argument ${dotted(name)}, ${fix} by the schema` }];
    }),
    ...missing.map((name) => ({ path, text: `argument ${dotted(name)} is missing, required by the schema` })),
  ];
}

/** The types that a schema allows; undefined if it may allow any. */
function typesIn(schema: JsonObject): readonly string[] | undefined {
  const { type, anyOf, oneOf } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type as string[];
  const branches = [anyOf, oneOf].find((list) => Array.isArray(list)) as readonly unknown[] | undefined;
  const each = (branches ?? []).map((branch) => (isObject(branch) ? typesIn(branch) : undefined));
  return each.length === 0 || each.includes(undefined)
    ? undefined
    : [...new Set(each.flatMap((one) => one ?? []))];
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeOf(value) === type;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
