import { join } from 'node:path';
import type { JsonObject } from 'pegboard';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { fileOf } from '../definitions/fileOf.ts';
import { fileText } from '../definitions/plainDefinition.ts';
import { Failure } from '../failure.ts';
import { createPrivate, textAt } from '../files.ts';
import { schemaLineIn } from '../schemaLineIn.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';

/** Writes a definition with the files of its secrets, as the gateway would write it. @returns its file @throws Failure */
export async function writeDefinition(
  { name, spec, secrets }: { readonly name: string; readonly spec: JsonObject } & Pick<Apart, 'secrets'>,
  directory: string,
): Promise<string> {
  const existing = await fileOf(directory, SERVER_KIND, name);
  if (existing !== undefined)
    throw new Failure(
      `a server ${name} exists already in ${existing}; choose another name, or edit the file`,
    );
  const file = join(directory, SERVER_KIND.folder, `${name}.yaml`);
  for (const secret of secrets)
    if ((await textAt(secret.path)) !== secret.text) await createPrivate(secret.path, secret.text);
  const line = await schemaLineIn(directory, SERVER_KIND.kind);
  await createPrivate(file, `${line}${fileText({ kind: SERVER_KIND, name, spec })}`);
  return file;
}
