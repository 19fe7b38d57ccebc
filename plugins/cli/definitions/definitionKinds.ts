import { didYouMean, readSchema } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';

/** A kind of definitions, as verbs and tools know it. */
export interface DefinitionKind {
  /** As people type it. */
  readonly word: 'server' | 'workflow';
  /** As files name it. */
  readonly kind: 'MCPServer' | 'Workflow';
  /** Folder below the configuration directory. */
  readonly folder: string;
  /** `<tools>_create` and its siblings. */
  readonly tools: string;
  /** The fields of a spec: name → JSON Schema. */
  readonly fields: Readonly<Record<string, JsonObject>>;
}

export const SERVER_KIND: DefinitionKind = {
  word: 'server',
  kind: 'MCPServer',
  folder: 'mcpservers',
  tools: 'core_mcpserver',
  fields: fieldsOf('kinds/mcpserver'),
};
export const WORKFLOW_KIND: DefinitionKind = {
  word: 'workflow',
  kind: 'Workflow',
  folder: 'workflows',
  tools: 'core_workflow',
  fields: fieldsOf('kinds/workflow'),
};
export const DEFINITION_KINDS: readonly DefinitionKind[] = [SERVER_KIND, WORKFLOW_KIND];

/** The kind that a word names: `server`, `servers`, `mcpserver`. @throws Failure */
export function definitionKindOf(word: string): DefinitionKind {
  const typed = word.toLowerCase().replace(/s$/, '');
  const found = DEFINITION_KINDS.find((one) => one.word === typed || one.kind.toLowerCase() === typed);
  if (found !== undefined) return found;
  const words = DEFINITION_KINDS.map((one) => one.word);
  const fix = didYouMean(typed, words, `use ${words.join(' or ')}`);
  throw new Failure(`${JSON.stringify(word)} is not a kind of definition; ${fix}`);
}

function fieldsOf(schema: string): DefinitionKind['fields'] {
  return readSchema(schema)['properties'] as DefinitionKind['fields'];
}
