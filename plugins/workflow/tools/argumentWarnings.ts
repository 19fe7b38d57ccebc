import { isDeepStrictEqual } from 'node:util';
import { isObject, nearest } from 'pegboard';
import type { Finding, InboundRequest, JsonObject, Tool, ToolTable } from 'pegboard';
import { isOfType, typeOf, wantedTypes } from '../../kit/calls/wantedTypes.ts';
import { toolUses } from '../definition/model.ts';
import type { ToolUse, Workflow } from '../definition/model.ts';
import { isTemplate } from '../definition/templates.ts';

const MAX_DEPTH = 9;
const MAX_WARNINGS = 100;
/** How many unknown arguments of an object are named, and how many names of those that there are. */
const MAX_NAMES = 20;
/** Keywords by which a schema says more than its properties. */
const COMBINED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'not', 'dependentSchemas'];

/** What the schemas and hints of tools say against the steps. Warnings only: a server's schema may change, and
 *  templates give any type. */
export function argumentWarnings(
  workflow: Workflow,
  table: ToolTable,
  request: InboundRequest,
): readonly Finding[] {
  const warnings: Finding[] = [];
  for (const use of toolUses(workflow)) {
    if (warnings.length >= MAX_WARNINGS) break;
    const tool = table.declared(use.tool, request);
    if (tool === undefined || tool.kind === 'meta' || tool.members !== undefined) continue;
    const where = `step ${use.step}: ${use.own === undefined ? 'condition: ' : ''}`;
    const faults = misfits(use.args, tool.inputSchema, ['args']).map(({ path, message }) => ({
      path,
      message: `${message} by the schema of ${use.tool}`,
    }));
    for (const { path, message } of [...faults, ...repeated(use, tool)])
      warnings.push({
        path: [...use.path.slice(0, -1), ...path],
        message: where + message,
        severity: 'warning',
      });
  }
  return warnings.slice(0, MAX_WARNINGS);
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

/** A retry may do again what a call whose answer was lost has done. */
function repeated({ own, tool }: ToolUse, { annotations }: Tool): readonly Finding[] {
  const { max = 0, isOnGiven = false } = own?.retry ?? {};
  if (max === 0 || isOnGiven || annotations?.idempotentHint === true || annotations?.readOnlyHint === true)
    return [];
  const message = `retry calls ${tool} again after a time-out or a lost connection too, when it may have done its work; it does not say that it is idempotent, so write retryOn: [isError]`;
  return [{ path: ['retry'], message }];
}

/** @param path of the value from the step on */
function misfits(value: unknown, schema: unknown, path: Finding['path']): readonly Finding[] {
  if (!isObject(schema) || path.length > MAX_DEPTH || (typeof value === 'string' && isTemplate(value)))
    return [];
  const { enum: allowed, items } = schema;
  const misfit = (what: string): readonly Finding[] => [
    { path, message: `argument ${path.slice(1).join('.')} must be ${what},` },
  ];
  const types = wantedTypes(schema);
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return misfit(`of type ${types.join(' or ')}, not ${typeOf(value)}`);
  if (Array.isArray(allowed) && !isObject(value) && !allowed.some((one) => isDeepStrictEqual(one, value)))
    return misfit(`one of ${listed(allowed.map((one) => JSON.stringify(one)))}`);
  if (Array.isArray(value)) return value.flatMap((one, at) => misfits(one, items, [...path, at]));
  return isObject(value) ? misfitsInside(value, schema, path) : [];
}

function misfitsInside(value: JsonObject, schema: JsonObject, path: Finding['path']): readonly Finding[] {
  const { properties, required, patternProperties, additionalProperties: more } = schema;
  const known = isObject(properties) ? properties : {};
  const names = Object.keys(known);
  const absent = (name: unknown): name is string => typeof name === 'string' && !Object.hasOwn(value, name);
  const missing = Array.isArray(required) ? required.filter(absent) : [];
  const mayBeOpen = names.length === 0 || COMBINED.some((key) => schema[key] !== undefined);
  const isClosed = patternProperties === undefined && (more === false || (more === undefined && !mayBeOpen));
  const dotted = (name: string): string => [...path.slice(1), name].join('.');
  const free = names.filter(absent);
  return [
    ...Object.entries(value).flatMap(([name, one], at): readonly Finding[] => {
      if (Object.hasOwn(known, name)) return misfits(one, known[name], [...path, name]);
      if (!isClosed || at >= MAX_NAMES) return [];
      const close = nearest(name, free, 1)[0] ?? (missing.length === 1 ? missing[0] : undefined);
      const all = names.length === 0 ? 'there are none' : `there are ${listed(names)}`;
      const fix = close === undefined ? all : `did you mean ${close}?`;
      return [{ path: [...path, name], message: `no argument ${dotted(name)}, ${fix}` }];
    }),
    ...missing.map((name) => ({ path, message: `argument ${dotted(name)} is missing, required` })),
  ];
}

function listed(names: readonly string[]): string {
  return names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
}
