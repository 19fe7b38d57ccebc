import { CallError } from '../errors.ts';
import type { Env } from '../env.ts';
import { func } from '../signature.ts';
import type { FuncTable } from '../signature.ts';

export const SYSTEM: FuncTable = {
  env: func(['string'], (env, name) => read(env, name)),
  expandenv: func(['string'], (env, text) => {
    const expanded = expand(text, (name) => read(env, name));
    env.checkString(expanded.length);
    return expanded;
  }),
  getHostByName: func(['string'], (env, name) => {
    const { lookUpHost } = env.settings;
    if (lookUpHost === undefined) throw new CallError('name lookup is not available', 'policy');
    const address = lookUpHost(name);
    if (address === undefined) throw new CallError(`lookup ${name}: no such host`);
    return address;
  }),
};

function read(env: Env, name: string): string {
  return env.settings.readVariable?.(name) ?? '';
}

const REFERENCE = /\$(?:\{([^}]*)\}|([*#$@!?\-0-9])|([A-Za-z_][A-Za-z0-9_]*)|(\{))/g;

// Go's os.Expand; malformed braces are dropped.
function expand(text: string, lookUp: (name: string) => string): string {
  return text.replace(REFERENCE, (_whole, braced?: string, special?: string, name?: string) => {
    const found = braced ?? special ?? name;
    return found === undefined || found === '' ? '' : lookUp(found);
  });
}
