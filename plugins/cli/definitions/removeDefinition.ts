import type { JsonObject } from 'pegboard';
import type { Invocation } from 'pegboard';
import { didYouMean } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { printObject } from '../output/print.ts';
import { namesIn } from './plainDefinition.ts';
import { SERVER_KIND, toolsOf } from './definitionKinds.ts';
import type { DefinitionKind } from './definitionKinds.ts';
import { progressTo } from '../progressTo.ts';

/** Deletes a definition; a server is stopped first. @throws Failure */
export async function removeDefinition(
  invocation: Invocation,
  kind: DefinitionKind,
  name: string,
): Promise<number> {
  return Gateway.connected(invocation, async (gateway) => {
    const names = await namesIn(gateway, kind);
    if (!names.includes(name)) refuseUnknown(kind, name, names);
    if (kind === SERVER_KIND) await gateway.readCore('core_service_stop', { name });
    const deleted: JsonObject = await gateway.readCore(`${toolsOf(kind)}_delete`, { name });
    progressTo(invocation)(`${kind.word} ${name} is removed`);
    if (optionsOf(invocation).output !== 'table') printObject(invocation, deleted, name);
    return 0;
  });
}

function refuseUnknown(kind: DefinitionKind, name: string, names: readonly string[]): never {
  const fix = didYouMean(name, names, `see: pegboard list ${kind.word}s`);
  throw new Failure(`there is no ${kind.word} ${name}; ${fix}`);
}
