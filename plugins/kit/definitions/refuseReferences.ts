import { GatewayError } from 'pegboard';
import type { Finding, Scope } from 'pegboard';
import { References } from '../../contracts/secrets.ts';
import type { Write } from '../../contracts/secrets.ts';

/** None without the plugin. */
export function refusedReferences(scope: Pick<Scope<unknown>, 'all'>, write: Write): readonly Finding[] {
  return scope.all(References).flatMap((references) => references.refusedIn(write));
}

/** @throws GatewayError TOOL_ARGUMENTS */
export function refuseReferences(scope: Pick<Scope<unknown>, 'all'>, write: Write): void {
  const findings = refusedReferences(scope, write);
  if (findings.length === 0) return;
  const text = findings.map(({ message }) => message).join('; ');
  throw new GatewayError('TOOL_ARGUMENTS', text, { details: { findings } });
}
