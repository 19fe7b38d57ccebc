import type { HttpOptions } from '../client/wire/httpWire.ts';
import type { CallerCredential } from '../../contracts/credentials.ts';

/** What a connection sends for its owner. */
export type OwnCredential = Pick<CallerCredential, 'headers' | 'values' | 'secrets' | 'prepare'>;

/** Those of the credential replace those of the definition. @param changed called when the credential has others */
export function headersWith(
  own: HttpOptions['headers'],
  credential: OwnCredential | undefined,
  changed: () => void,
): HttpOptions['headers'] {
  if (credential === undefined) return own;
  let [seen, base, both] = [credential.headers, own(), own()];
  const merge = (): void => {
    [seen, base] = [credential.headers, own()];
    const names = new Set(Object.keys(seen).map((name) => name.toLowerCase()));
    const kept = Object.entries(base).filter(([name]) => !names.has(name.toLowerCase()));
    both = { ...Object.fromEntries(kept), ...seen };
  };
  merge();
  return () => {
    if (credential.headers === seen && own() === base) return both;
    merge();
    changed();
    return both;
  };
}

/** Texts of the credential that must not be shown. */
export function secretsOf(credential: OwnCredential | undefined): readonly (readonly [string, string])[] {
  return (credential?.secrets ?? []).map((text) => ['credential', text] as const);
}
