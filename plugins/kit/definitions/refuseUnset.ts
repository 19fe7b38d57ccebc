import { didYouMean, isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { Failure } from '../text/failure.ts';
import type { Values } from './serverInputs.ts';

const SHOWN = 10;

/** Refuses values of --set that nothing takes: a misspelt name would leave the default in place. @throws Failure */
export function refuseUnset(values: Values, known: ReadonlySet<string>, file: string): void {
  const name = Object.keys(values).find((one) => !known.has(one));
  if (name === undefined) return;
  const names = [...known].sort();
  const list = names.length === 0 ? 'it takes none' : `it takes ${names.slice(0, SHOWN).join(', ')}`;
  throw new Failure(`${file} takes no value ${name} (--set ${name}=…); ${didYouMean(name, names, list)}`);
}

/** The names by which values of a package or remote of a server.json can be typed: inputs, flags, and variables of all of them. */
export function settableIn(described: JsonObject): ReadonlySet<string> {
  const known = new Set<string>();
  const open: unknown[] = [described['url']];
  for (const key of ['environmentVariables', 'runtimeArguments', 'packageArguments', 'headers'])
    open.push(described[key]);
  if (isObject(described['variables'])) open.push({ variables: described['variables'] });
  while (open.length > 0) {
    const one = open.pop();
    if (Array.isArray(one)) for (const each of one) open.push(each);
    // A URL has its variables without a description.
    else if (typeof one === 'string')
      for (const [, name = ''] of one.matchAll(/\{([\w.-]{1,100})\}/g)) known.add(name);
    else if (isObject(one)) {
      const { name, valueHint, value, type, variables } = one;
      if (typeof name === 'string') known.add(name).add(name.replace(/^-{1,2}/, ''));
      if (typeof valueHint === 'string') known.add(valueHint);
      else if (type === 'positional') known.add('value');
      const variable = typeof value === 'string' ? /^([A-Za-z_]\w*)=/.exec(value)?.[1] : undefined;
      if (variable !== undefined) known.add(variable);
      if (!isObject(variables)) continue;
      for (const [key, inner] of Object.entries(variables)) {
        known.add(key);
        // Only its own variables are named further in.
        if (isObject(inner)) open.push({ variables: inner['variables'] });
      }
    }
  }
  return known;
}
