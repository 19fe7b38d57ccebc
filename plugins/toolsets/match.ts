import { compileGlob } from 'pegboard';
import type { Tool } from 'pegboard';
import type { Rule } from './config.ts';

export type Match = (tool: Tool) => boolean;

/** One that a tool also passes by the name of the tool that stands for it: a rule may name either. */
function orFamily(match: Match): Match {
  return (tool) => match(tool) || (tool.group !== undefined && match(tool.group));
}

const WORKFLOW_PREFIX = 'workflow_';

export function matchTool(name: string): Match {
  return orFamily((tool) => tool.name === name);
}

export function matchServer(name: string): Match {
  return orFamily(({ server }) => server === name);
}

export function matchWorkflow(name: string): Match {
  return ({ kind, name: toolName }) => kind === 'workflow' && toolName === WORKFLOW_PREFIX + name;
}

/** Of the annotations as they stand now: a workflow's hint is derived from its steps. */
export function isReadOnly({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true;
}

/** What one rule of a preset says, its `preset` key aside. @throws SyntaxError for an invalid pattern */
export function matchRule({ tool, pattern, server, workflow, readOnly, label }: Rule): Match {
  if (tool !== undefined) return matchTool(tool);
  if (server !== undefined) return matchServer(server);
  if (workflow !== undefined) return matchWorkflow(workflow);
  if (readOnly === true) return isReadOnly;
  if (label !== undefined) return matchLabels(labelPairs(label));
  if (pattern === undefined) return () => false;
  const matches = compileGlob(pattern);
  return orFamily(({ name }) => matches(name));
}

function matchLabels(pairs: readonly (readonly [string, string])[]): Match {
  return ({ labels }) => labels !== undefined && pairs.every(([key, value]) => labels[key] === value);
}

export function labelPairs(
  label: string | Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  if (typeof label !== 'string') return Object.entries(label);
  const at = label.indexOf('=');
  return [[label.slice(0, at), label.slice(at + 1)]];
}
