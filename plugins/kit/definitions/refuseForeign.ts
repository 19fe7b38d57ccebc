import type { JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';

const REFERENCE = /\$\{(env|file|secret|caller):[^{}]*\}?/g;

/** Refuses what Pegboard would fill in and no one has typed: a file that strangers wrote reads no variable, file or secret of this
 *  machine by it. @param what names the file in messages @param typed values that may hold references @throws Failure */
export function refuseForeign(
  spec: JsonObject,
  what: string,
  { typed = [], allowsEnv = false }: { readonly typed?: readonly string[]; readonly allowsEnv?: boolean },
): void {
  const text = JSON.stringify({ ...spec, description: '' });
  // Longer ones first, as one may be a part of another; parts around them must not come together.
  const own = typed.filter((one) => one.includes('${')).sort((a, b) => b.length - a.length);
  const rest = own.reduce((left, one) => left.replaceAll(JSON.stringify(one).slice(1, -1), '\n'), text);
  const found = [...rest.matchAll(REFERENCE)].find(([, kind]) => !(allowsEnv && kind === 'env'));
  if (found === undefined) return;
  throw new Failure(
    `${what} cannot be added: it holds ${found[0]}, which is text in it and a reference to Pegboard; type such a value with --env, --header or --set`,
  );
}
