import { isDeepStrictEqual } from 'node:util';
import { ConfigControl, GatewayError, isObject, readYaml } from 'pegboard';
import type { JsonObject, JsonSchema, Scope } from 'pegboard';
import { stringify } from 'yaml';
import { hiddenSpec } from '../../kit/secrets/hiddenSpec.ts';
import { ResourceStore } from '../../contracts/definitions.ts';
import { lineDiff } from './lineDiff.ts';
import type { DiffLine } from './lineDiff.ts';

export const KIND = 'MCPServer';
/** Put in place of a secret that the operator has typed. */
const NEW_SECRET = '[new, hidden]';

/** A definition as its form shows it. */
export interface DefinitionText {
  readonly name: string;
  /** YAML of what is stored, without literal secrets. */
  readonly text: string;
}
/** What an operator has made of a definition. */
export interface Draft extends DefinitionText {
  /** What is stored now. */
  readonly stored: string;
  /** Faults for which it cannot be written. */
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** The difference from what is stored to the draft; empty if they are equal. */
  readonly diff: readonly DiffLine[];
  /** What others have changed since the form was opened; empty if nothing. */
  readonly meanwhile: readonly DiffLine[];
  /** Arguments of core_mcpserver_update: the fields that differ; null clears one. Not for others: it has secrets. */
  readonly fields: JsonObject;
}

/** @throws GatewayError STORE_NOT_FOUND, CONFIG_UNREADABLE */
export async function definitionText(scope: Scope<unknown>, name: string): Promise<DefinitionText> {
  return { name, text: yamlOf(await shownSpec(scope, name)) };
}

/** The YAML of a definition that leaves a tool out for all clients, or no longer does. @param tool the server's own name */
export function withSwitched(text: string, tool: string, isOn: boolean): string {
  const { excludeTools, ...spec } = readYaml(text, 'definition').value as JsonObject;
  const exact = exactPattern(tool);
  const others = [excludeTools ?? []].flat().filter((pattern) => pattern !== exact);
  const next = isOn ? others : [...others, exact];
  return yamlOf({ ...spec, ...(next.length > 0 && { excludeTools: next }) });
}

/** A pattern of that name alone. */
export function exactPattern(tool: string): string {
  return tool.replaceAll(/[*?[\]\\]/g, '\\$&');
}

/** @param text YAML that the operator has sent @param base what the form showed before; without it, no change of others is looked for
 *  @throws GatewayError STORE_NOT_FOUND, CONFIG_UNREADABLE */
export async function draftOf(
  scope: Scope<unknown>,
  name: string,
  { text, base }: { readonly text: string; readonly base?: string },
): Promise<Draft> {
  const before = await shownSpec(scope, name);
  const stored = yamlOf(before);
  const meanwhile = base === undefined || base === stored ? [] : lineDiff(base, stored);
  const about = { name, text, stored, meanwhile };
  const { value, issues } = readYaml(text, 'definition');
  const faults = issues.map(
    ({ message, line = 1, column = 1 }) => `line ${line}, column ${column}: ${message}`,
  );
  const none = { warnings: [], diff: [], fields: {} };
  if (faults.length > 0) return { ...about, ...none, errors: faults };
  if (!isObject(value))
    return { ...about, ...none, errors: ['a definition is a map of keys and values; begin with type:'] };
  const found = scope.get(ConfigControl).validate(KIND, name, value);
  const texts = (severity: string): readonly string[] =>
    found.filter((issue) => issue.severity === severity).map(({ message }) => message);
  const fields = changedFields(before, value);
  const after = inOrderOf(before, hiddenSpec(value, schemaIn(scope), NEW_SECRET));
  const isSame = Object.keys(fields).length === 0;
  const diff = isSame ? [] : lineDiff(stored, yamlOf(after));
  return { ...about, fields, diff, errors: texts('error'), warnings: texts('warning') };
}

function schemaIn(scope: Scope<unknown>): JsonSchema {
  return (
    scope
      .get(ConfigControl)
      .kinds()
      .find(({ name }) => name === KIND)?.schema ?? {}
  );
}

async function shownSpec(scope: Scope<unknown>, name: string): Promise<JsonObject> {
  const stored = await scope.get(ResourceStore).get(KIND, name);
  if (stored !== undefined) return hiddenSpec(stored.spec, schemaIn(scope));
  const text = `no MCP server is called ${JSON.stringify(name.slice(0, 100))}`;
  throw new GatewayError('STORE_NOT_FOUND', text);
}

export function yamlOf(spec: unknown): string {
  return stringify(spec, { lineWidth: 0 });
}

/** What is sent back as it was shown is not sent on, so that hidden values stay as they are. */
function changedFields(before: JsonObject, after: JsonObject): JsonObject {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key]));
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]));
}

/** The same value with the keys in the order of `before`, which the file keeps. */
function inOrderOf(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const keys = [...new Set([...Object.keys(before).filter((key) => key in after), ...Object.keys(after)])];
  return Object.fromEntries(keys.map((key) => [key, inOrderOf(before[key], after[key])]));
}
