import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { Cancellation, didYouMean, messageOf } from 'pegboard';
import type { Invocation } from 'pegboard';
import { lastingTransport } from '../bridge/lastingTransport.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { Completions } from './completions.ts';
import { REPL_COMMANDS, replCommand } from './replCommands.ts';

const HISTORY_LINES = 1_000;
const PROMPT = 'pegboard> ';

/** The lines typed in the REPL: state/repl-history in the configuration directory, mode 0600, the newest first. */
class LineHistory {
  readonly #file: string;

  constructor(directory: string) {
    this.#file = join(directory, 'state', 'repl-history');
  }

  /** Empty if there is no file yet, or it cannot be read. */
  read(): string[] {
    try {
      return readFileSync(this.#file, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
    } catch {
      return [];
    }
  }

  /** @throws Error if the folder cannot be written */
  write(lines: readonly string[]): void {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    writeFileSync(this.#file, `${lines.slice(0, HISTORY_LINES).join('\n')}\n`, { mode: 0o600 });
  }
}

/** Reads commands until `exit` or the end of input; Ctrl-C cancels the command that runs. The gateway may restart meanwhile.
 *  @throws Failure */
export async function repl(invocation: Invocation): Promise<number> {
  // A person is told at once that there is no gateway; only one that goes away later is waited for.
  await Gateway.connected(invocation, () => Promise.resolve());
  const run = { cancel: new Cancellation() };
  const live: Invocation = {
    ...invocation,
    get cancel() {
      return run.cancel;
    },
  };
  return Gateway.apart(live, (gateway) => converse(live, gateway, run), lastingTransport);
}

async function converse(
  invocation: Invocation,
  gateway: Gateway,
  run: { cancel: Cancellation },
): Promise<number> {
  const { terminal, directory } = invocation;
  const completions = new Completions(gateway);
  const isTerminal = terminal.input.isTTY === true && terminal.isTerminal;
  const history = new LineHistory(directory);
  const lines = createInterface({
    input: terminal.input,
    ...(isTerminal && { output: process.stdout, history: history.read(), historySize: HISTORY_LINES }),
    terminal: isTerminal,
    removeHistoryDuplicates: true,
    prompt: PROMPT,
    completer: (line, done) => void completions.of(line).then((found) => done(null, found)),
  });
  lines.on('SIGINT', () => {
    run.cancel.cancel('SIGINT');
    lines.write(null, { ctrl: true, name: 'u' });
    terminal.err('\n');
    lines.prompt();
  });
  lines.on('history', (typed) => save(history, typed, invocation));
  if (isTerminal) terminal.err(`connected to ${gateway.endpoint.url}; type help, or exit to end\n`);
  if (isTerminal) lines.prompt();
  for await (const line of lines) {
    run.cancel = new Cancellation();
    if (!(await runLine(line.trim(), gateway, invocation))) break;
    if (isTerminal) lines.prompt();
  }
  lines.close();
  return 0;
}

/** @returns false to end */
async function runLine(line: string, gateway: Gateway, invocation: Invocation): Promise<boolean> {
  const [, word = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(line) ?? [];
  if (word === '') return true;
  try {
    const command = replCommand(word);
    if (command === undefined) throw new Failure(unknown(word));
    if (command.run === undefined) return false;
    await command.run(gateway, rest, invocation);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    invocation.terminal.err(`${error.message}\n`);
  }
  return true;
}

function unknown(word: string): string {
  const known = REPL_COMMANDS.flatMap(({ names }) => names);
  return `unknown command ${word}; ${didYouMean(word, known, 'type help')}`;
}

/** A history that cannot be written is reported once a line, and the REPL continues. */
function save(history: LineHistory, lines: readonly string[], { terminal }: Invocation): void {
  try {
    history.write(lines);
  } catch (error) {
    terminal.err(`the history is not saved: ${messageOf(error)}\n`);
  }
}
