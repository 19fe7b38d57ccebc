import { GatewayError, one } from 'pegboard';
import type { Finding, JsonObject, Scope } from 'pegboard';

export { isMovedBeside, valueAt } from './shared/beside.ts';

/** What tools write, and what holds now. */
export interface Write {
  readonly next: JsonObject;
  /** The references in it may stay where they are; empty if they would go elsewhere, to another address or program. */
  readonly stored: JsonObject;
}

/** Which references a definition may get through tools; provided by the plugin `references`. */
export interface References {
  /** The references that only a file or custom resource may have, each with the place and the fix. */
  refusedIn(write: Write): readonly Finding[];
}
export const References = one<References>('references');

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
