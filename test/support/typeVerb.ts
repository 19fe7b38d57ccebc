import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Terminal } from '../../kernel/contracts/command.ts';
import { UsageError, runCommandLine } from '../../kernel/program/commandLine.ts';
import { directoryOf } from '../../kernel/program/options.ts';
import { loadPlugins } from '../../kernel/program/runCommand.ts';
import { Cancellation } from '../../kernel/index.ts';
import { VERBS } from '../../plugins/cli/verbs.ts';
import { until } from './until.ts';

export interface Typed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A verb that runs, at a terminal that a test types on. */
export interface Typing {
  readonly type: (line: string) => void;
  /** What matches on standard error, or its first group. */
  readonly shows: (pattern: RegExp) => Promise<string>;
  readonly cancel: Cancellation;
  readonly ended: Promise<Typed>;
}

/** One run of a verb of plugins/cli in this process, which saves the start of a program: 300 ms of CPU.
 *  Flags do not read their environment variables from `env`. */
export function typeVerb(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Typed> {
  return typeVerbWith(args, { ...process.env, ...env });
}

/** As typeVerb, with no other environment variables. */
export function typeVerbWith(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Typed> {
  const input = new PassThrough();
  input.end();
  return run(args, { env, input, cancel: new Cancellation(), heard: () => undefined });
}

/** As typeVerb, with a terminal as standard input, or with a pipe that stays open. */
export function typeAtTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  isTTY = true,
): Typing {
  const input = Object.assign(new PassThrough(), { isTTY });
  const cancel = new Cancellation();
  let stderr = '';
  const ended = run(args, {
    env: { ...process.env, ...env },
    input,
    cancel,
    heard: (text) => (stderr += text),
  });
  const over = ended.then((typed) => {
    throw new Error(`it ended: ${JSON.stringify(typed)}`);
  });
  over.catch(() => undefined);
  const shows = async (pattern: RegExp): Promise<string> => {
    const found = until(() => pattern.exec(stderr), { what: String(pattern), withinMs: 15_000 });
    const [whole, group = whole] = await Promise.race([found, over]);
    return group;
  };
  return { type: (line) => void input.write(`${line}\n`), shows, cancel, ended };
}

interface Run {
  readonly env: NodeJS.ProcessEnv;
  readonly input: Terminal['input'];
  readonly cancel: Cancellation;
  readonly heard: (text: string) => void;
}
async function run(args: readonly string[], { env, input, cancel, heard }: Run): Promise<Typed> {
  let stdout = '';
  let stderr = '';
  const out = (text: string): void => void (stdout += text);
  const err = (text: string): void => {
    stderr += text;
    heard(text);
  };
  const code = await runCommandLine(args, {
    commands: VERBS,
    columns: 80,
    hasColour: false,
    write: out,
    run: async (command, words, { configPath, ...options }) => {
      const directory = directoryOf((configPath as string | undefined) ?? defaultDirectoryIn(env));
      const code = await command.run?.({
        args: words,
        options,
        directory,
        env,
        cancel,
        terminal: { input, isTerminal: false, hasColour: false, columns: 80, out, err },
        commands: () => Promise.resolve(VERBS),
        plugins: () => loadPlugins(directory, env),
        check: () => Promise.resolve({ issues: [], definitions: [] }),
      });
      return code ?? 0;
    },
  }).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error;
    err(`pegboard: ${error.message}\n`);
    return 64;
  });
  return { code, stdout, stderr };
}

/** As directoryOf names it for a program with this environment. */
function defaultDirectoryIn({ HOME }: NodeJS.ProcessEnv): string | undefined {
  return HOME === undefined ? undefined : join(HOME, '.config', 'pegboard');
}
