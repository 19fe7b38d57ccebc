import { isDeepStrictEqual } from 'node:util';
import { GatewayError, HIDDEN, replaceMarked } from 'pegboard';
import { hideInUrl, holdsOnlyReferences, isHidden } from 'pegboard/kit';
import type { JsonObject } from 'pegboard';
import { isMovedBeside } from '../kit/definitions/beside.ts';
import { mcpServerKind } from './mcpServerKind.ts';
import { redactWords } from './redact.ts';

interface Update {
  /** Fields of the update; absent fields keep their stored values. */
  readonly sent: JsonObject;
  readonly stored: JsonObject;
  readonly next: JsonObject;
}
/** A secret that the caller has seen only redacted, and that the update keeps. */
interface Kept {
  readonly field: string;
  readonly place: string;
}

/** Prevents a caller from sending secrets it cannot see to another origin or another command (decision D19).
 *  @throws GatewayError TOOL_ARGUMENTS naming the fields that must be sent again */
export function refuseMoved({ sent, stored, next }: Update): void {
  refuse('an address beside a secret has changed', 'the former', keptBeside(sent, stored));
  if (next['type'] === 'stdio') {
    if (isDeepStrictEqual(programOf(stored), programOf(next))) return;
    const what = isDeepStrictEqual(wordsOf(stored), wordsOf(next)) ? 'cwd' : 'command or args';
    const kept = [
      ...keptIn('env', sent, stored),
      ...keptWords('command', sent, stored),
      ...keptWords('args', sent, stored),
    ];
    refuse(`${what} has changed`, 'the former', kept);
  } else if (originOf(stored) !== originOf(next)) {
    refuse('url is at another origin', 'the former one', [
      ...keptIn('headers', sent, stored),
      ...keptParts('url', sent),
    ]);
  } else if (!isDeepStrictEqual([stored['proxy'], stored['tls']], [next['proxy'], next['tls']]))
    refuse('proxy or tls has changed', 'the former', [
      ...keptIn('headers', sent, stored),
      ...keptParts('url', sent),
    ]);
  if (hostOf(stored['proxy']) !== hostOf(next['proxy']))
    refuse('proxy is another one', 'the former', keptParts('proxy', sent));
}

/** What decides where a remote server is. */
const ADDRESSES = ['type', 'url', 'messageUrl', 'proxy', 'tls'];

/** Whether what the definition holds would go to another program or address. */
export function isMoved(stored: JsonObject, next: JsonObject): boolean {
  const placeIn = (spec: JsonObject): readonly unknown[] => [
    ...ADDRESSES.map((key) => spec[key]),
    ...programOf(spec),
  ];
  return !isDeepStrictEqual(placeIn(stored), placeIn(next));
}

function refuse(what: string, former: string, kept: readonly Kept[]): void {
  if (kept.length === 0) return;
  const places = kept.map(({ place }) => place).join(', ');
  const fields = [...new Set(kept.map(({ field }) => field))].join(', ');
  const were = kept.length === 1 ? 'was' : 'were';
  const clear = fields === 'url' ? '' : ', or null';
  const text = `${what}, and ${places} ${were} given for ${former}; send ${fields} again${clear}`;
  throw new GatewayError('TOOL_ARGUMENTS', text);
}

function keptIn(field: 'env' | 'headers', sent: JsonObject, stored: JsonObject): readonly Kept[] {
  const given = sent[field] as JsonObject | null | undefined;
  const entries = Object.entries((stored[field] ?? {}) as Readonly<Record<string, string>>);
  return entries
    .filter(([key, value]) => value !== '' && !holdsOnlyReferences(value, key))
    .filter(([key]) => given === undefined || given?.[key] === HIDDEN)
    .map(([key]) => ({ field, place: `${field}.${key}` }));
}

/** Secrets beside an address, to which they are sent: the client secret beside an issuer. */
function keptBeside(sent: JsonObject, stored: JsonObject): readonly Kept[] {
  const kept: Kept[] = [];
  replaceMarked(mcpServerKind.schema, sent, (given, { path, isAmongOthers }) => {
    if (given === HIDDEN && !isAmongOthers && isMovedBeside(path, sent, stored))
      kept.push({ field: String(path[0]), place: path.join('.') });
    return given;
  });
  return kept;
}

function keptWords(field: 'command' | 'args', sent: JsonObject, stored: JsonObject): readonly Kept[] {
  const shown = field in sent ? sent[field] : redactWords(stored)[field];
  const isKept = [shown].flat().some((word) => typeof word === 'string' && word.includes(HIDDEN));
  return isKept ? [{ field, place: field }] : [];
}

function keptParts(field: 'url' | 'proxy', { [field]: url }: JsonObject): readonly Kept[] {
  const kept: Kept[] = [];
  hideInUrl(typeof url === 'string' ? url : '', (text, name) => {
    if (isHidden(text)) kept.push({ field, place: `${name} of ${field}` });
    return text;
  });
  return kept;
}

function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined;
}

/** A url whose host is a reference is at another origin than any other text. */
function originOf({ url }: JsonObject): string | undefined {
  if (typeof url !== 'string') return undefined;
  return URL.canParse(url) ? new URL(url).origin : url;
}

/** What runs: a relative word is another file in another folder. */
function programOf(spec: JsonObject): readonly unknown[] {
  return [spec['cwd'], ...wordsOf(spec)];
}

function wordsOf({ command, args }: JsonObject): readonly unknown[] {
  return [command ?? [], args ?? []].flat();
}
