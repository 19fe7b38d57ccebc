import { didYouMean } from 'pegboard';
import { consistsOfReferences } from 'pegboard/kit';
import type { Finding } from 'pegboard';
import { readAuthRules } from '../kit/oauth/authRules.ts';
import { SECRET_REFERENCE } from '../contracts/secrets.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';

const BRACED = /\$\{([^{}]*)\}/g;
const FORMS = 'references are ${env:NAME}, ${file:PATH}, ${caller:NAME} and ${secret:NAME/KEY}';
/** A default where none is read, or the variable of a shell with one. */
const DEFAULT = /^(?:(file|caller|secret):|[A-Z][A-Z0-9_]*(?=:-)).*:-/;
/** Names of secrets that callers enter. */
const CALLER = /^\$\{caller:[\w.-]{1,64}\}$/;

/** Warns about text that looks like a reference but is not one: it would be sent literally. Messages show the text only if
 *  it is written like the name of a variable. */
export function misspeltReferences({ env, headers, url = '' }: McpServerSpec): readonly Finding[] {
  return Object.entries({ env, headers, '': { url } }).flatMap(([field, values]) =>
    Object.entries(values).flatMap(([key, value]) =>
      [...value.matchAll(BRACED)].flatMap(([whole, inside = '']): readonly Finding[] => {
        const path = field === '' ? [key] : [field, key];
        if (DEFAULT.test(inside)) {
          const message = `${path.join('.')}: a default is read in \${env:NAME:-default} only; write it so`;
          return [{ path, message, severity: 'warning' }];
        }
        const isSecret = inside.startsWith('secret:');
        if (
          isSecret ? whole.search(SECRET_REFERENCE) >= 0 : consistsOfReferences(whole) || CALLER.test(whole)
        )
          return [];
        return [{ path, message: `${path.join('.')}: ${faultOf(inside)}`, severity: 'warning' }];
      }),
    ),
  );
}

/** Warns about descriptions of secrets that no caller is asked for. */
export function unusedSecrets(spec: McpServerSpec): readonly Finding[] {
  const { callerSecrets: names } = readAuthRules(spec);
  const otherwise = 'no ${caller:NAME} is in env or headers';
  return Object.keys(spec.callerSecrets ?? {})
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: ['callerSecrets', name],
      message: `callerSecrets.${name} describes no reference; ${didYouMean(name, names, otherwise)}`,
      severity: 'warning',
    }));
}

function faultOf(inside: string): string {
  const [, kind = '', name = ''] = /^(?:([a-z]+):)?(.*)$/is.exec(inside.trim()) ?? [];
  const asMeant = ['env', 'file', 'caller', 'secret'].find((one) => one === kind.toLowerCase());
  if (asMeant !== undefined && name.trim() === '') return `\${${kind}:} names nothing; ${FORMS}`;
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name.trim());
  if (kind === '' && isVariable) return `\${${name}} is sent literally; write \${env:${name}}`;
  if (asMeant === undefined) return `\${${kind === '' ? '' : `${kind}:`}…} is sent literally; ${FORMS}`;
  const shown = isVariable ? name.trim() : '…';
  return `\${${kind}:${shown}} is sent literally; write \${${asMeant}:${shown}}`;
}
