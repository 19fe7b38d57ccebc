import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { confirm } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { progressTo } from '../progressTo.ts';
import { textDigest } from './importRecord.ts';
import type { ImportRecord, ImportStep, RecordedStep, WrittenFile } from './importRecord.ts';
import { unlinkFile } from './linkClients.ts';
import { removeFile, textAt } from '../files.ts';

interface UndoOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/** Takes these steps back after a question, the newest first; one that fails stops those before it of the same kind only.
 *  @returns the exit code @throws Failure */
export async function undo(
  steps: readonly RecordedStep[],
  record: ImportRecord,
  invocation: Invocation,
): Promise<number> {
  const { terminal } = invocation;
  const { yes, dryRun } = optionsOf<UndoOptions>(invocation);
  const say = progressTo(invocation);
  const newestFirst = [...steps].reverse();
  const lines = newestFirst.flatMap(linesOf);
  if (dryRun === true) for (const line of lines) terminal.out(`${line}\n`);
  if (dryRun === true || lines.length === 0) return 0;
  if (yes !== true) for (const line of lines) say(line);
  if (!(await confirm(invocation, 'Undo these changes?'))) {
    say('nothing was written');
    return 1;
  }
  let isDone = true;
  for (const step of newestFirst) {
    // The servers of a client that could not be unlinked are still needed.
    if (step.kind === 'import' && !isDone) break;
    try {
      if (step.kind === 'link') say(await unlinkFile(step, record));
      else for (const line of await removeImport(step, record)) say(line);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      terminal.err(`pegboard: ${error.message}\n`);
      isDone = false;
    }
  }
  return isDone ? 0 : 1;
}

function linesOf(step: RecordedStep): readonly string[] {
  if (step.kind === 'import') return step.servers.map(({ definition }) => `remove ${definition.path}`);
  return [`${step.backup === undefined ? 'remove' : 'bring back'} ${step.file.path}`];
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
  return textDigest(text) === digest ? 'as written' : 'changed';
}
