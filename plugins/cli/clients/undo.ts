import type { Invocation } from 'pegboard';
import { Failure } from '../failure.ts';
import { digestOf } from './importRecord.ts';
import type { ImportRecord, ImportStep, Step, WrittenFile } from './importRecord.ts';
import { unlink } from './linkClients.ts';
import { removeFile, textAt } from '../files.ts';

/** Takes these steps back, the newest first; one that fails stops those before it of the same kind only.
 *  @param say gets a line for each file @returns whether all succeeded */
export async function undo(
  steps: readonly Step[],
  record: ImportRecord,
  { terminal, say }: { readonly terminal: Invocation['terminal']; readonly say: (line: string) => void },
): Promise<boolean> {
  let isDone = true;
  for (const step of [...steps].reverse()) {
    // The servers of a client that could not be unlinked are still needed.
    if (step.kind === 'import' && !isDone) break;
    try {
      if (step.kind === 'link') say(await unlink(step, record));
      else for (const line of await removeImport(step, record)) say(line);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      terminal.err(`pegboard: ${error.message}\n`);
      isDone = false;
    }
  }
  return isDone;
}

async function removeImport(step: ImportStep, record: ImportRecord): Promise<readonly string[]> {
  const said: string[] = [];
  for (const { definition, secrets } of step.servers) {
    const state = await stateOf(definition);
    if (state === 'changed') {
      said.push(`${definition.path} has been changed, so it is left as it is`);
      continue;
    }
    for (const file of [definition, ...secrets])
      if ((await stateOf(file)) === 'as written') await removeFile(file.path);
    said.push(`${definition.path} is ${state === 'gone' ? 'gone already' : 'removed'}`);
  }
  await record.remove(step);
  return said;
}

async function stateOf({ path, digest }: WrittenFile): Promise<'gone' | 'as written' | 'changed'> {
  const text = await textAt(path);
  if (text === undefined) return 'gone';
  return digestOf(text) === digest ? 'as written' : 'changed';
}
