import type { JsonObject } from 'pegboard';
import type { Invocation } from 'pegboard';
import { didYouMean } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { printObject } from '../output/print.ts';
import { namesIn } from './definition.ts';
import { SERVER } from './definitionKinds.ts';
import type { Kind } from './definitionKinds.ts';
import { progressTo } from '../progressTo.ts';

/** Deletes a definition; a server is stopped first. @throws Failure */
export async function remove(invocation: Invocation, kind: Kind, name: string): Promise<number> {
  return Gateway.with(invocation, async (gateway) => {
    const names = await namesIn(gateway, kind);
    if (!names.includes(name)) refuseUnknown(kind, name, names);
    if (kind === SERVER) await gateway.readCore('core_service_stop', { name });
    const deleted: JsonObject = await gateway.readCore(`${kind.tools}_delete`, { name });
    progressTo(invocation)(`${kind.word} ${name} is removed`);
    if (optionsOf(invocation).output !== 'table') printObject(invocation, deleted, name);
    return 0;
  });
}

function refuseUnknown(kind: Kind, name: string, names: readonly string[]): never {
  const fix = didYouMean(name, names, `see: pegboard list ${kind.word}s`);
  throw new Failure(`there is no ${kind.word} ${name}; ${fix}`);
}
