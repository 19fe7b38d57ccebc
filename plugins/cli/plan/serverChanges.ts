import { isDeepStrictEqual } from 'node:util';
import { HIDDEN, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { parse } from 'yaml';
import { comparableText } from '../definitions/plainDefinition.ts';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';

/** added and removed: without a process or connection. changed: without a restart. */
export type ServerChangeKind = 'started' | 'stopped' | 'restarted' | 'added' | 'removed' | 'changed';

export interface ServerChange {
  readonly name: string;
  readonly change: ServerChangeKind;
  /** The fields of the definition that differ. */
  readonly fields: readonly string[];
}

export interface ServerChanges {
  readonly servers: readonly ServerChange[];
  /** Servers whose definitions look the same, but hold secrets that the gateway does not show. */
  readonly hidden: readonly string[];
}

/** A change of these needs a new connection. */
const ENDPOINT = [
  ...['type', 'command', 'args', 'cwd', 'env', 'url', 'messageUrl', 'headers', 'proxy', 'tls', 'auth'],
  ...['questions', 'revision'],
];
const DOWN = ['Stopped', 'Disconnected', 'Stopping'];

/** What the gateway would do with its servers. @param before records of core_mcpserver_list @param after records, or
 *  definitions with `name` and the fields of `spec` */
export function serverChanges(before: readonly JsonObject[], after: readonly JsonObject[]): ServerChanges {
  const [old, next] = [byName(before), byName(after)];
  const names = [...new Set([...old.keys(), ...next.keys()])].sort();
  const hidden: string[] = [];
  const servers = names.flatMap((name): readonly ServerChange[] => {
    const [a, b] = [old.get(name), next.get(name)];
    if (a === undefined) return [{ name, change: startsByItself(b ?? {}) ? 'started' : 'added', fields: [] }];
    if (b === undefined) return [{ name, change: isUp(a) ? 'stopped' : 'removed', fields: [] }];
    const [was, is] = [specOf(name, a), specOf(name, b)];
    const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])]
      .filter((field) => !isDeepStrictEqual(was[field], is[field]))
      .sort();
    if (fields.length > 0) return [{ name, change: changeOf(a, is, fields), fields }];
    if (JSON.stringify(is).includes(HIDDEN)) hidden.push(name);
    return [];
  });
  return { servers, hidden };
}

/** As the gateway decides when a definition changes. Source: plugins/upstream/definition.ts. */
function changeOf(record: JsonObject, is: JsonObject, fields: readonly string[]): ServerChangeKind {
  if (is['suspended'] === true) return isUp(record) ? 'stopped' : 'changed';
  const isNewRestart = fields.includes('restartRequestedAt') && is['restartRequestedAt'] !== undefined;
  const needsConnection = isNewRestart || fields.some((field) => ENDPOINT.includes(field));
  if (isUp(record)) return needsConnection ? 'restarted' : 'changed';
  const isSwitchedOn = fields.includes('autoStart') && is['autoStart'] === true;
  return record['suspended'] === true || isNewRestart || isSwitchedOn ? 'started' : 'changed';
}

function startsByItself({ type, autoStart, suspended, restartRequestedAt }: JsonObject): boolean {
  if (suspended === true) return false;
  if (restartRequestedAt !== undefined) return true;
  return type === 'stdio' ? autoStart === true : autoStart !== false;
}

function isUp({ state }: JsonObject): boolean {
  return !DOWN.includes(String(state));
}

/** The definition without defaults, its secrets hidden as in the answers of a gateway. */
function specOf(name: string, spec: JsonObject): JsonObject {
  const file = parse(comparableText({ kind: SERVER_KIND, name, spec })) as JsonObject;
  return isObject(file['spec']) ? file['spec'] : {};
}

function byName(list: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(list.map((one) => [String(one['name']), one]));
}
