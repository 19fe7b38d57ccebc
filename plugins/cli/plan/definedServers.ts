import type { JsonObject } from 'pegboard';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { documentsBelow } from '../definitions/documentsBelow.ts';

/** The servers that the files of a configuration directory define, as `name` and the fields of `spec`. @throws Failure */
export async function definedServers(directory: string): Promise<readonly JsonObject[]> {
  const documents = await documentsBelow(directory, SERVER_KIND);
  return documents.map(({ name, spec }) => ({ name, ...spec }));
}
