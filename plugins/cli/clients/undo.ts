import { rm } from 'node:fs/promises';
import type { Invocation } from 'pegboard';
import { Failure } from '../failure.ts';
import { digestOf } from './importRecord.ts';
import type { ImportRecord, ImportStep, Step, WrittenFile } from './importRecord.ts';
import { unlink } from './linkClients.ts';
import { textAt } from './writeFile.ts';

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
    if (!(await isAsWritten(definition))) {
      said.push(`${definition.path} has been changed or removed, so it is left as it is`);
      continue;
    }
    for (const { path } of [definition, ...secrets]) await rm(path, { force: true });
    said.push(`${definition.path} is removed`);
  }
  await record.remove(step);
  return said;
}

async function isAsWritten({ path, digest }: WrittenFile): Promise<boolean> {
  const text = await textAt(path);
  return text !== undefined && digestOf(text) === digest;
}
