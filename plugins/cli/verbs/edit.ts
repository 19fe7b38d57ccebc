import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Invocation } from 'pegboard';
import { definitionIn, fileText, updateArguments } from '../definitions/plainDefinition.ts';
import type { PlainDefinition } from '../definitions/plainDefinition.ts';
import { definitionKindOf, toolsOf } from '../definitions/definitionKinds.ts';
import { readDocuments } from '../definitions/readDocuments.ts';
import { progressTo } from '../progressTo.ts';
import { verdictOn } from '../definitions/definitionVerdict.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { schemaLineIn } from '../schemaLineIn.ts';
import { verb } from '../verb.ts';

const HINT = '# Save and close to write it; [redacted] keeps the stored value. An empty text gives up.';

export const edit = verb({
  name: 'edit',
  summary: 'change a definition in your editor ($VISUAL, $EDITOR)',
  parameters: [
    { name: '<kind>', description: 'server or workflow' },
    { name: '<name>', description: 'its name' },
  ],
  examples: ['pegboard edit server git', 'EDITOR="code --wait" pegboard edit workflow release-notes'],
  run: async (invocation) => {
    const [word = '', name = ''] = invocation.args;
    const kind = definitionKindOf(word);
    const editor = editorOf(invocation);
    // The editor may stay open for long, so each turn has a session of its own.
    const before = await Gateway.connected(invocation, (gateway) => definitionIn(gateway, kind, name));
    const folder = await mkdtemp(join(tmpdir(), 'pegboard-edit-'));
    return editFile(join(folder, `${name}.yaml`), before, { invocation, editor });
  },
});

/** Opens the editor until the text is written, unchanged or empty. @throws Failure naming the file with the text */
async function editFile(
  file: string,
  before: PlainDefinition,
  { invocation, editor }: { readonly invocation: Invocation; readonly editor: string },
): Promise<number> {
  const say = progressTo(invocation);
  const about = `${before.kind.word} ${before.name}`;
  const head = `${await schemaLineIn(invocation.directory, before.kind.kind)}${HINT}`;
  let shown = `${head}\n${fileText(before)}`;
  let faults: string | undefined;
  for (;;) {
    await writeFile(file, shown, { mode: 0o600 });
    await openEditor(file, editor);
    const text = await readFile(file, 'utf8');
    const body = withoutComments(text);
    if (body.trim() === '' || body === fileText(before)) {
      await rm(dirname(file), { recursive: true });
      say(`${about} is unchanged`);
      return 0;
    }
    if (text === shown)
      throw new Failure(`${about} is not changed; your text is kept in ${file}:\n${faults ?? ''}`);
    faults = await faultsOfWriting(body, before, invocation);
    if (faults === undefined) {
      await rm(dirname(file), { recursive: true });
      say(`${about} is changed`);
      return 0;
    }
    const marked = faults.split('\n');
    const above = head.split('\n').length + marked.length;
    shown = [head, ...marked.map((line) => `# ERROR ${moved(line, above)}`), body].join('\n');
  }
}

/** Validates and writes. @returns why it is not written */
async function faultsOfWriting(
  text: string,
  before: PlainDefinition,
  invocation: Invocation,
): Promise<string | undefined> {
  try {
    const [document, ...others] = readDocuments(text, 'line');
    if (document === undefined || others.length > 0) return 'keep one document';
    if (document.kind !== before.kind || document.name !== before.name)
      return `kind and name cannot change; they are ${before.kind.kind} and ${before.name}`;
    return await Gateway.connected(invocation, async (gateway) => {
      const { errors } = await verdictOn(gateway, document);
      if (errors.length > 0) return errors.join('\n');
      await gateway.readCore(`${toolsOf(before.kind)}_update`, updateArguments(before, document));
      return undefined;
    });
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

/** `line:3:5: …` → `line 6: …`, as lines are added on top. */
function moved(fault: string, by: number): string {
  return fault.replace(/^line:(\d+):\d+/, (_, line: string) => `line ${Number(line) + by}`);
}

/** The text without the lines of this verb on top; comments of the user stay. */
function withoutComments(text: string): string {
  const lines = text.split('\n');
  const own = [HINT, '# ERROR ', '# yaml-language-server: '];
  const first = lines.findIndex((line) => !own.some((begin) => line.startsWith(begin)));
  return lines.slice(first).join('\n');
}

/** @throws Failure if none is named and vi would have no terminal */
function editorOf({ env, terminal }: Invocation): string {
  const named = [env['VISUAL'], env['EDITOR']].find((one) => one !== undefined && one !== '');
  if (named !== undefined || (terminal.isTerminal && terminal.input.isTTY === true)) return named ?? 'vi';
  throw new Failure('there is no terminal for vi; name an editor in $VISUAL or $EDITOR');
}

async function openEditor(file: string, editor: string): Promise<void> {
  // Through a shell, because the variable may hold arguments.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === 0) return;
  throw new Failure(`the editor ${editor} ended with ${String(code)}; the text is in ${file}`);
}
