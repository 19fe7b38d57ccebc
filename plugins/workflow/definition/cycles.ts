import type { Path } from '../../kit/definitions/beside.ts';
import { TOOL_PREFIX, toolUses } from './model.ts';
import type { Workflow } from './model.ts';

export interface Cycle {
  /** Workflow names along the cycle; the first is repeated at the end. */
  readonly names: readonly string[];
  readonly step: string;
  readonly path: Path;
}

/** The first cycle by which a workflow calls itself, or undefined. */
export function cycleOf(workflow: Workflow, find: (name: string) => Workflow | undefined): Cycle | undefined {
  const dead = new Set<string>();
  const wayBack = (name: string): readonly string[] | undefined => {
    if (name === workflow.name) return [name];
    if (dead.has(name)) return undefined;
    dead.add(name);
    for (const next of nestedNames(find(name))) {
      const rest = wayBack(next);
      if (rest !== undefined) return [name, ...rest];
    }
    return undefined;
  };
  for (const { tool, step, path } of toolUses(workflow)) {
    const rest = tool.startsWith(TOOL_PREFIX) ? wayBack(tool.slice(TOOL_PREFIX.length)) : undefined;
    if (rest !== undefined) return { names: [workflow.name, ...rest], step, path };
  }
  return undefined;
}

export function cycleText({ names, step }: Cycle): string {
  return `step ${step}: workflow recursion detected: ${names.join(' -> ')}; let one of them call something else`;
}

function nestedNames(workflow: Workflow | undefined): readonly string[] {
  if (workflow === undefined) return [];
  return toolUses(workflow).flatMap(({ tool }) =>
    tool.startsWith(TOOL_PREFIX) ? [tool.slice(TOOL_PREFIX.length)] : [],
  );
}
