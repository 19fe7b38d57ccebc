import { spawn } from '@lydell/node-pty';
import { defer } from './cleanup.ts';
import { packedProgram } from './packed.ts';
import { until } from './until.ts';

export const CTRL_C = '\u0003';

export interface OnTerminal {
  readonly type: (text: string) => void;
  /** Everything that was shown so far. */
  readonly shown: () => string;
  /** Resolves once the text was shown. @throws Error with what was shown instead */
  readonly shows: (text: string) => Promise<void>;
  /** @returns the exit code */
  readonly exited: Promise<number>;
}
export interface TerminalOptions {
  readonly columns?: number;
  readonly cwd?: string;
  /** The environment in place of this process's. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The packed program in a terminal of its own; killed after the test if it still runs. */
export function onTerminal(args: readonly string[], options?: TerminalOptions): OnTerminal {
  return commandOnTerminal([process.execPath, packedProgram(), ...args], options);
}

/** Any program, in the same way. */
export function commandOnTerminal(
  [command = '', ...args]: readonly string[],
  { columns = 200, cwd = process.cwd(), env }: TerminalOptions = {},
): OnTerminal {
  const terminal = spawn(command, args, { cols: columns, rows: 40, cwd, env: { ...(env ?? process.env) } });
  let shown = '';
  terminal.onData((data) => (shown += data));
  let isOver = false;
  const exited = new Promise<number>((resolve) =>
    terminal.onExit(({ exitCode }) => {
      isOver = true;
      resolve(exitCode);
    }),
  );
  defer(() => {
    if (!isOver) terminal.kill('SIGKILL');
    return exited;
  });
  const shows = async (text: string): Promise<void> => {
    await until(() => shown.includes(text), { what: text, withinMs: 15_000 }).catch((error: unknown) => {
      throw new Error(`${String(error)} in:\n${shown.slice(-2_000)}`);
    });
  };
  return { type: (text) => terminal.write(text), shown: () => shown, shows, exited };
}
