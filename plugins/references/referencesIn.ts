import { isObject } from 'pegboard';
import type { Path } from '../kit/definitions/beside.ts';

export interface FoundReference {
  /** `env:NAME`, `file:PATH` or `secret:NAME/KEY` */
  readonly name: string;
  readonly path: Path;
}

const REFERENCE = /\$\{((?:env|file|secret):[^{}]*)\}?/g;

/** The references in all texts of a definition, and the secrets that it names by key (`clientCredentialsSecretRef`). */
export function referencesIn(value: unknown, path: Path = []): readonly FoundReference[] {
  if (typeof value === 'string') return namesIn(value).map((name) => ({ name, path }));
  if (Array.isArray(value)) return value.flatMap((one, at) => referencesIn(one, [...path, at]));
  if (!isObject(value)) return [];
  const below = Object.entries(value).flatMap(([key, one]) => referencesIn(one, [...path, key]));
  return String(path.at(-1)).endsWith('SecretRef') ? [...below, secretAt(value, path)] : below;
}

/** An empty value would join what stands around its reference, to another reference. */
function namesIn(text: string): readonly string[] {
  const names = [...text.matchAll(REFERENCE)].map(([, name = '']) => name);
  return names.length === 0 ? [] : [...names, ...namesIn(text.replace(REFERENCE, ''))];
}

function secretAt(
  { namespace, name, ...keys }: Readonly<Record<string, unknown>>,
  path: Path,
): FoundReference {
  const { clientSecretKey = 'client-secret' } = keys;
  const parts = [namespace, name, clientSecretKey].filter((part) => part !== undefined);
  return { name: `secret:${parts.map(String).join('/')}`, path };
}
