import { isOffer } from 'pegboard';
import type { Item, Tool } from 'pegboard';
import { compileGlob } from '../kit/text/glob.ts';
import type { Rule } from './config.ts';

export type Match = (item: Item) => boolean;

/** Matches tools only. A tool also matches by the name of its `group`: a rule may name either. */
function onTools(match: (tool: Tool) => boolean): Match {
  return (item) => !isOffer(item) && (match(item) || (item.group !== undefined && match(item.group)));
}

const WORKFLOW_PREFIX = 'workflow_';

export function matchTool(name: string): Match {
  return onTools((tool) => tool.name === name);
}

export function matchServer(name: string): Match {
  const ofServer = onTools(({ server }) => server === name);
  return (item) => item.server === name || ofServer(item);
}

export function matchWorkflow(name: string): Match {
  return ({ kind, name: toolName }) => kind === 'workflow' && toolName === WORKFLOW_PREFIX + name;
}

/** Reads the current annotations, because a workflow's hint is derived from its steps. Resources and prompts are read-only. */
export function isReadOnly(item: Item): boolean {
  return isOffer(item) || item.annotations?.readOnlyHint === true;
}

/** Compiles one rule of a preset, except a `preset` rule. @throws SyntaxError for an invalid pattern */
export function matchRule({ tool, pattern, server, workflow, readOnly, label }: Rule): Match {
  if (tool !== undefined) return matchTool(tool);
  if (server !== undefined) return matchServer(server);
  if (workflow !== undefined) return matchWorkflow(workflow);
  if (readOnly === true) return isReadOnly;
  if (label !== undefined) return matchLabels(labelPairs(label));
  if (pattern === undefined) return () => false;
  const matches = compileGlob(pattern);
  return onTools(({ name }) => matches(name));
}

function matchLabels(pairs: readonly (readonly [string, string])[]): Match {
  return onTools(
    ({ labels }) => labels !== undefined && pairs.every(([key, value]) => labels[key] === value),
  );
}

export function labelPairs(
  label: string | Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  if (typeof label !== 'string') return Object.entries(label);
  const at = label.indexOf('=');
  return [[label.slice(0, at), label.slice(at + 1)]];
}
