import { ConfigControl, ToolTable, isGatewayError, validateArguments } from 'pegboard';
import type { Finding, InboundRequest, JsonObject, Scope } from 'pegboard';
import { refusedReferences } from '../../kit/definitions/refuseReferences.ts';
import { missingTools } from '../definition/availability.ts';
import type { MissingTool } from '../definition/availability.ts';
import { cycleOf, cycleText } from '../definition/cycles.ts';
import { explainMisfits } from '../definition/explainMisfits.ts';
import { WORKFLOW, readChecked, workflowKind } from '../definition/workflowKind.ts';
import { toolUses } from '../definition/model.ts';
import { findingOf, restrictedUses } from '../definition/restrictedUses.ts';
import { argumentWarnings, resultSchema } from './argumentWarnings.ts';
import type { ToolParts } from './toolParts.ts';
import { writerFaults } from './writerFaults.ts';

export interface Examined {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly missing: readonly MissingTool[];
  /** The same as warnings. */
  readonly absent: readonly Finding[];
  readonly referenced: readonly string[];
}

/** Finds all errors and warnings of a definition before it is stored. */
export function examine(
  name: string,
  spec: JsonObject,
  { scope, config, registry }: ToolParts,
  request: InboundRequest,
): Examined {
  const misfits = schemaFindings(spec);
  const table = scope.get(ToolTable);
  const { model: workflow, findings } = readChecked(spec, name, (tool) => resultSchema(tool, table, request));
  const faults = findings.filter(({ severity = 'error' }) => severity === 'error');
  const errors = [
    ...misfits,
    ...faults.filter((fault) => !isToldBy(misfits, fault)),
    ...writerFaults(workflow, table, request),
    ...refusedReferences(scope, { next: spec, stored: specOf(name, scope) }),
  ];
  const find = (other: string) => (other === name ? workflow : registry.find(other)?.workflow);
  const cycle = cycleOf(workflow, find);
  const isNew = cycle !== undefined && cycle.names.length > 2;
  const uses = toolUses(workflow);
  const pathOf = new Map(uses.map(({ tool, step, path }) => [`${step} ${tool}`, path]));
  const missing =
    cycle === undefined
      ? missingTools({ scope, find: registry.find, request })({ workflow, locate: () => ({}) })
      : [];
  const absent = missing
    .filter(({ tool }) => tool !== '')
    .map(({ tool, step, reason, remedy }): Finding => {
      const fix = remedy === undefined ? '' : `; ${remedy}`;
      const message = `step ${step}: tool ${tool} is missing: ${reason}${fix}`;
      return { path: pathOf.get(`${step} ${tool}`) ?? [], message };
    });
  return {
    errors: isNew ? [...errors, { path: cycle.path, message: cycleText(cycle) }] : errors,
    warnings: [
      ...findings.filter(({ severity }) => severity === 'warning'),
      ...restrictedUses(workflow, config()).map(findingOf),
      ...argumentWarnings(workflow, table, request),
      ...absent,
    ],
    absent,
    missing,
    referenced: [...new Set(uses.map(({ tool }) => tool))].sort(),
  };
}

/** The definition in force, if there is one. */
function specOf(name: string, scope: Pick<Scope<unknown>, 'get'>): JsonObject {
  const all = scope.get(ConfigControl).resources(WORKFLOW);
  return all.find((resource) => resource.name === name)?.spec ?? {};
}

/** Whether a schema finding for the same value, or one around it, already reports this fault. */
function isToldBy(misfits: readonly Finding[], { path }: Finding): boolean {
  return misfits.some((misfit) => misfit.path.every((part, at) => String(part) === String(path[at])));
}

function schemaFindings(spec: JsonObject): readonly Finding[] {
  try {
    validateArguments(workflowKind.schema, spec, 'workflow');
    return [];
  } catch (error) {
    if (!isGatewayError(error) || error.code !== 'TOOL_ARGUMENTS') throw error;
    return explainMisfits(error.details.findings ?? [], spec);
  }
}

/** `steps[1].condition` */
function pathText(path: Finding['path']): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number' || /^\d+$/.test(part)) return `${text}[${part}]`;
    return text === '' ? part : `${text}.${part}`;
  }, '');
}

/** A finding as answers have it. */
export function rowOf({ path, message }: Finding): JsonObject {
  return { path: pathText(path), message };
}
