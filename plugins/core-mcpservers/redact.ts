import { isDeepStrictEqual } from 'node:util';
import { GatewayError, HIDDEN, replaceMarked } from 'pegboard';
import { hideInUrl, isHidden } from 'pegboard/kit';
import type { JsonObject } from 'pegboard';
import { valueAt } from '../kit/definitions/beside.ts';
import { hiddenSpec } from '../kit/secrets/hiddenSpec.ts';
import { mcpServerKind } from './mcpServerKind.ts';

/** Replaces each HIDDEN of an update by the stored secret of the same place.
 *  @throws GatewayError TOOL_ARGUMENTS if there is no stored value */
export function restore({ command, args, ...fields }: JsonObject, stored: JsonObject): JsonObject {
  const restored = replaceMarked(mcpServerKind.schema, fields, (given, { path, isAddress }) => {
    const kept = valueAt(stored, path);
    if (isAddress) return restoreUrl(String(given), typeof kept === 'string' ? kept : '');
    if (given !== HIDDEN) return given;
    if (kept !== undefined) return kept;
    throw noneStored(path.join('.'));
  });
  return {
    ...(restored as JsonObject),
    ...(command !== undefined && { command: restoreWords('command', command, stored) }),
    ...(args !== undefined && { args: restoreWords('args', args, stored) }),
  };
}

function noneStored(place: string): GatewayError {
  const text = `${place} is ${HIDDEN}, but no value of it is stored; send the value`;
  return new GatewayError('TOOL_ARGUMENTS', text);
}

function restoreUrl(url: string, stored: string): string {
  const storedByName = new Map<string, string>();
  hideInUrl(stored, (text, name) => {
    storedByName.set(name, text);
    return text;
  });
  return hideInUrl(url, (text, name) => {
    const kept = isHidden(text) ? storedByName.get(name) : text;
    if (kept !== undefined) return kept;
    throw noneStored(`${name} of url`);
  });
}

type Words = Readonly<Partial<Record<'command' | 'args', readonly string[]>>>;

/** `command` and `args` as results show them. */
export function redactWords({ command, args }: JsonObject): Words {
  const words = {
    ...(command !== undefined && { command: wordsIn(command) }),
    ...(args !== undefined && { args: wordsIn(args) }),
  };
  return hiddenSpec(words, mcpServerKind.schema);
}

/** Returns the stored list if the redacted list is sent back unchanged.
 *  @throws GatewayError TOOL_ARGUMENTS if a list with HIDDEN has other changes */
function restoreWords(field: 'command' | 'args', sent: unknown, stored: JsonObject): unknown {
  const words = wordsIn(sent);
  if (!words.some((word) => word.includes(HIDDEN))) return sent;
  if (isDeepStrictEqual(words, redactWords(stored)[field])) return stored[field];
  const why = `${field} holds ${HIDDEN}, which keeps the stored values only if nothing else of ${field} changes; send the values`;
  throw new GatewayError('TOOL_ARGUMENTS', why);
}

function wordsIn(value: unknown): readonly string[] {
  return [value].flat().filter((word) => typeof word === 'string');
}
