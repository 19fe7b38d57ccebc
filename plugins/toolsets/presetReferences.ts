import { didYouMean } from 'pegboard';
import type { Finding, ReviewFacts, ReviewFinding, Resource } from 'pegboard';
import type { PresetDefinition, Rule, ToolsetsConfig } from './config.ts';
import { labelPairs } from './match.ts';

/** Finds rules that can select nothing: they name a tool, server, workflow or label that no definition has. */
export function presetReferences({
  config,
  ...facts
}: Facts & { readonly config: ToolsetsConfig }): readonly ReviewFinding[] {
  return Object.entries(config.toolsetPresets).flatMap(([preset, definition]) =>
    idleRules(definition, facts).map(({ path, message }) => ({
      path: ['toolsetPresets', preset, ...path],
      message: `toolset preset ${JSON.stringify(preset)}: ${message}`,
      severity: 'warning' as const,
    })),
  );
}

/** Rules of one preset that select nothing, with paths within it. */
export function idleRules({ include, exclude }: PresetDefinition, facts: Facts): readonly Finding[] {
  return Object.entries({ include, exclude }).flatMap(([list, rules]) =>
    rules.flatMap((rule, at) => {
      const fault = faultOf(rule, facts);
      return fault === undefined
        ? []
        : [{ path: [list, at], message: `${list}[${at}] selects nothing: ${fault}` }];
    }),
  );
}

export type Facts = Pick<ReviewFacts<ToolsetsConfig>, 'resources' | 'toolFault'>;

function faultOf(
  { tool, server, workflow, label }: Rule,
  { resources, toolFault }: Facts,
): string | undefined {
  if (tool !== undefined) return toolFault(tool);
  if (server !== undefined) return missing('MCP server', server, namesOf('MCPServer', resources));
  if (workflow !== undefined) return missing('workflow', workflow, namesOf('Workflow', resources));
  if (label === undefined) return undefined;
  const pairs = labelPairs(label);
  const has = resources.some(({ labels }) => pairs.every(([key, value]) => labels?.[key] === value));
  const words = pairs.map((pair) => pair.join('=')).join(', ');
  return has ? undefined : `no definition carries the label ${words}; put it below metadata.labels of one`;
}

function namesOf(kind: string, resources: readonly Resource[]): readonly string[] {
  return resources.filter((one) => one.kind === kind).map(({ name }) => name);
}

function missing(what: string, name: string, known: readonly string[]): string | undefined {
  if (known.includes(name)) return undefined;
  return `no ${what} is named ${name}; ${didYouMean(name, known, 'define one, or remove the rule')}`;
}
