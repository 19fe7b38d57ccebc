import { isObject } from 'pegboard';
import { variableIn } from 'pegboard/kit';
import type { Path } from '../kit/definitions/beside.ts';

export interface FoundReference {
  /** `env:NAME`, `file:PATH` or `secret:NAME/KEY` */
  readonly name: string;
  readonly path: Path;
}

const ENV = 'env:';
/** Each beginning, also one within another, as in `${env:A${secret:B/C}`. */
const BEGUN = /\$\{(?=((?:env|file|secret):[^{}]*))/g;
const FILLED = /\$\{(env|file):([^{}]+)\}/g;

/** The references in all texts of a definition, and the secrets that it names by key (`clientCredentialsSecretRef`). */
export function referencesIn(value: unknown, path: Path = []): readonly FoundReference[] {
  if (typeof value === 'string') return namesIn(value).map((name) => ({ name, path }));
  if (Array.isArray(value)) return value.flatMap((one, at) => referencesIn(one, [...path, at]));
  if (!isObject(value)) return [];
  const below = Object.entries(value).flatMap(([key, one]) => referencesIn(one, [...path, key]));
  return String(path.at(-1)).endsWith('SecretRef') ? [...below, secretAt(value, path)] : below;
}

/** An empty value, or a default, joins what stands around its reference to that of a secret, which is read last. */
function namesIn(text: string): readonly string[] {
  const joined = text.replace(FILLED, (_, kind: string, target: string) =>
    kind === 'env' ? (variableIn(target).fallback ?? '') : '',
  );
  const begun = [text, joined].flatMap((one) => [...one.matchAll(BEGUN)]);
  return [...new Set(begun.map(([, name = '']) => nameOf(name)))];
}

function nameOf(reference: string): string {
  return reference.startsWith(ENV) ? ENV + variableIn(reference.slice(ENV.length)).name : reference;
}

function secretAt(
  { namespace, name, ...keys }: Readonly<Record<string, unknown>>,
  path: Path,
): FoundReference {
  const { clientSecretKey = 'client-secret' } = keys;
  const parts = [namespace, name, clientSecretKey].filter((part) => part !== undefined);
  return { name: `secret:${parts.map(String).join('/')}`, path };
}
