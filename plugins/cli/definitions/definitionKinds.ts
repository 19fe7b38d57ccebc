import { didYouMean, readSchema } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';

/** A kind of definitions, as verbs and tools know it. */
export interface DefinitionKind {
  /** As people type it. */
  readonly word: 'server' | 'workflow' | 'preset' | 'access';
  /** As files name it. */
  readonly kind: 'MCPServer' | 'Workflow' | 'ToolsetPreset' | 'Access';
  /** Folder below the configuration directory. */
  readonly folder: string;
  /** `<tools>_create` and its siblings; undefined for a kind that no tool writes. */
  readonly tools: string | undefined;
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
const PRESET_KIND: DefinitionKind = {
  word: 'preset',
  kind: 'ToolsetPreset',
  folder: 'toolsetpresets',
  tools: undefined,
  fields: fieldsOf('kinds/toolsetpreset'),
};
const ACCESS_KIND: DefinitionKind = {
  word: 'access',
  kind: 'Access',
  folder: 'accesses',
  tools: undefined,
  fields: fieldsOf('kinds/access'),
};
export const DEFINITION_KINDS: readonly DefinitionKind[] = [
  ...[SERVER_KIND, WORKFLOW_KIND, PRESET_KIND, ACCESS_KIND],
];
/** All folders, and all kinds, in words. */
export const FOLDERS = inWords(DEFINITION_KINDS.map(({ folder }) => `${folder}/`));
export const KIND_NAMES = inWords(DEFINITION_KINDS.map(({ kind }) => kind));

/** @throws Failure for a kind that no tool writes */
export function toolsOf({ kind, folder, tools }: DefinitionKind): string {
  if (tools !== undefined) return tools;
  throw new Failure(
    `no tool writes a definition of the kind ${kind}; write a file in ${folder}/ of the configuration directory, or, in orchestrator mode, use kubectl apply`,
  );
}

/** The kind that a word names, of those that tools write: `server`, `servers`, `mcpserver`. @throws Failure */
export function definitionKindOf(word: string): DefinitionKind {
  const typed = word.toLowerCase();
  const isNamed = ({ word: own, kind, folder }: DefinitionKind): boolean =>
    [own, `${own}s`, kind.toLowerCase(), folder].includes(typed);
  const found = DEFINITION_KINDS.find(isNamed);
  if (found !== undefined) {
    toolsOf(found);
    return found;
  }
  const words = DEFINITION_KINDS.filter(({ tools }) => tools !== undefined).map((one) => one.word);
  const fix = didYouMean(typed, words, `use ${words.join(' or ')}`);
  throw new Failure(`${JSON.stringify(word)} is not a kind of definition; ${fix}`);
}

function inWords(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}

function fieldsOf(schema: string): DefinitionKind['fields'] {
  return readSchema(schema)['properties'] as DefinitionKind['fields'];
}
