import type { JsonObject } from 'pegboard';
import { EntryFields } from '../clients/entry/entryFields.ts';
import { timesOf } from '../clients/entry/timesOf.ts';
import { transportOf } from '../clients/entry/transportOf.ts';
import { Failure } from '../text/failure.ts';

const HOUR_SECONDS = 3_600;

/** The flags beside what is added. */
export interface AddOptions {
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly set?: readonly string[];
  readonly transport?: string;
  readonly package?: string;
  readonly scope?: string;
  readonly trust?: boolean;
  readonly description?: string;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly callTimeout?: string;
}

/** What the flags of a line say. */
export interface Flags {
  readonly headers: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
  readonly transport?: string;
  readonly package?: string;
  /** Keys of the definition. */
  readonly keys: JsonObject;
  /** What flags of other clients mean here. */
  readonly notes: readonly string[];
}

/** @throws Failure that holds no value */
export function readOptions(own: AddOptions): Flags {
  const { scope, trust, description, includeTools, excludeTools, callTimeout } = own;
  const transport = own.transport === undefined ? undefined : transportNamed(own.transport);
  return {
    headers: Object.fromEntries(pairs(own.header, '--header', /[=:]/)),
    env: Object.fromEntries(pairs(own.env, '--env', /=/)),
    values: grouped(pairs(own.set, '--set', /=/)),
    ...(transport !== undefined && { transport }),
    ...(own.package !== undefined && { package: own.package }),
    keys: {
      ...(description !== undefined && { description }),
      ...(includeTools !== undefined && { includeTools: listed(includeTools) }),
      ...(excludeTools !== undefined && { excludeTools: listed(excludeTools) }),
      ...(callTimeout !== undefined && timesNamed(callTimeout)),
    },
    notes: [
      ...(scope === undefined
        ? []
        : [`--scope ${scope} changes nothing: a definition is for all clients of its gateway`]),
      ...(trust === true
        ? ['--trust changes nothing: whether a call is asked about is up to the client']
        : []),
    ],
  };
}

function transportNamed(word: string): string {
  // Claude Code, and who follows it, mean by it what MCP calls streamable HTTP.
  const said = word.toLowerCase() === 'http' ? 'streamable-http' : word;
  const transport = transportOf(new EntryFields({ type: said }));
  if (transport !== undefined && 'type' in transport) return transport.type;
  throw new Failure(`--transport is streamable-http, sse or stdio, not ${word}`);
}

/** Lines of other clients have milliseconds: a larger number than an hour of seconds is one of these. */
function timesNamed(text: string): JsonObject {
  const said = /^\d+$/.test(text) && Number(text) <= HOUR_SECONDS ? `${text}s` : text;
  const { callTimeout } = timesOf(new EntryFields({ timeout: said }), '');
  if (callTimeout === undefined) throw new Failure('--call-timeout is a time, such as 60, 5m or 5000ms');
  return { callTimeout };
}

function listed(names: readonly string[]): readonly string[] {
  return names
    .flatMap((one) => one.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function pairs(
  list: readonly string[] | undefined,
  flag: string,
  sign: RegExp,
): readonly (readonly [string, string])[] {
  return (list ?? []).map((pair) => {
    const at = pair.search(sign);
    // The value may be a secret.
    if (at < 1) throw new Failure(`${flag} is written as ${flag} key=value`);
    return [pair.slice(0, at).trim(), referring(pair.slice(at + 1).trim())] as const;
  });
}

/** A value that is one variable of a shell, `Bearer $TOKEN`, in our words: within single quotes no shell has filled it in. */
function referring(value: string): string {
  return value.replace(
    /^((?:Bearer |Basic |Token )?)(?:\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\}|\{env:([A-Za-z_]\w*)\})$/,
    (_, scheme: string, ...names: (string | undefined)[]) =>
      `${scheme}\${env:${names.slice(0, 3).find((name) => name !== undefined) ?? ''}}`,
  );
}

function grouped(list: readonly (readonly [string, string])[]): Readonly<Record<string, readonly string[]>> {
  const values = new Map<string, string[]>();
  for (const [name, value] of list) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}
