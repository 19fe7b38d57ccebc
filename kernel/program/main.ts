import { existsSync, readdirSync } from 'node:fs';
import { isatty } from 'node:tty';
import { BootFailure } from '../config/pipeline.ts';
import type { Command } from '../contracts/command.ts';
import { Endpoint } from '../contracts/endpoint.ts';
import type { JsonObject } from '../contracts/json.ts';
import { StartupReport } from '../contracts/startupReport.ts';
import { isGatewayError } from '../errors.ts';
import type { Kernel } from '../kernel.ts';
import { Cancellation } from '../lib/cancellation.ts';
import { exitCodeFor } from '../lib/exitCodeFor.ts';
import { issueText } from '../lib/placeText.ts';
import type { Log } from '../log.ts';
import { UsageError, runCommandLine } from './commandLine.ts';
import { compose, logFor } from './compose.ts';
import type { Gateway } from './compose.ts';
import { createMissingConfig, directoryIssue, openStateDirectory, warnOfLosses } from './firstRun.ts';
import type { Commands } from './loadCommands.ts';
import { SERVE_OPTIONS, directoryOf, readOptions } from './options.ts';
import { startTable, settledReports, readyWords } from './startTable.ts';

/** Servers that need longer are listed as starting. */
const TABLE_AFTER_MS = 10_000;
const EXIT = { done: 0, unexpected: 1, usage: 64 } as const;

const SERVE: Command = {
  name: 'serve',
  summary: 'serve the endpoint until stopped',
  options: SERVE_OPTIONS,
  examples: ['pegboard serve', 'pegboard serve --config-path ./gateway --port 8090'],
};
const NONE: Commands = { found: [], all: () => Promise.resolve([]) };

/** The composition root: argv, signals, exit codes. */
async function main(): Promise<number> {
  // If the reader of stdout or stderr has gone, the gateway continues without it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.stdout.once('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return;
    complain(`pegboard: standard output cannot be written: ${message}\n`);
    // Later than the exit code of the verb, which may have ended already.
    process.once('exit', () => (process.exitCode ||= EXIT.unexpected));
  });
  const argv = process.argv.slice(2);
  const [verb = ''] = argv;
  // serve loads no other verb.
  const isOwn = ['serve', '--version', '-v'].includes(verb);
  const others = isOwn ? NONE : await (await import('./loadCommands.ts')).loadCommands(argv);
  const type = (line: readonly string[]): Promise<number> =>
    runCommandLine(line, {
      commands: [SERVE, ...others.found],
      columns: process.stdout.isTTY && process.stdout.columns > 0 ? process.stdout.columns : 80,
      hasColour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
      write: (text) => void process.stdout.write(text),
      run: (command, args, values) => runVerb(command, { args, values, others }),
    });
  const words = argv.flatMap((word) => word.split(/(?<=^--config-path)=/));
  const alone = isAlone(words) ? others.found.find((command) => command.isFirstStart) : undefined;
  if (alone === undefined) return type(argv);
  const hadConfiguration = isConfigured(words);
  const code = await type([alone.name, ...argv]);
  return code !== EXIT.done || hadConfiguration || !isConfigured(words) ? code : type(['serve', ...argv]);
}

/** Whether no verb was typed, on a terminal. */
function isAlone([flag = '--config-path', path, ...others]: readonly string[]): boolean {
  if (flag !== '--config-path' || others.length > 0 || !isatty(0) || !isatty(1)) return false;
  return path === undefined || directoryIssue(directoryOf(path)) === undefined;
}

/** Whether the configuration directory holds more than state. */
function isConfigured([, path]: readonly string[]): boolean {
  const directory = directoryOf(path);
  return existsSync(directory) && readdirSync(directory).some((name) => name !== 'state');
}

interface Typed {
  readonly args: readonly string[];
  readonly values: JsonObject;
  readonly others: Commands;
}

async function runVerb(command: Command, { args, values, others }: Typed): Promise<number> {
  if (command === SERVE) return serve(values);
  const { runCommand } = await import('./runCommand.ts');
  return runCommand(command, { args, values, commands: async () => [SERVE, ...(await others.all())] });
}

async function serve(values: JsonObject): Promise<number> {
  const startedAt = Date.now();
  const options = readOptions(values);
  const gateway: Partial<Gateway> = {};
  const log = logFor(options, () => gateway.pipeline?.logLevel);
  if (options.isDefaultDirectory) createMissingConfig(options.directory, log);
  const fault = directoryIssue(options.directory);
  if (fault !== undefined) throw new BootFailure([fault]);
  const stop = new Cancellation();
  const state = openStateDirectory(options.statePath);
  const { kernel, pipeline } = Object.assign(gateway, compose(options, log, state, stop));
  handleSignals(stop, log, () => {
    log.info('reading the configuration again', { reason: 'SIGHUP' });
    void pipeline.reload().catch(() => undefined);
  });
  try {
    await pipeline.boot();
  } catch (error) {
    if (stop.reason === undefined) throw error;
    log.info('stopped before the start was complete', { reason: stop.reason, error });
    return EXIT.done;
  }
  if (state.path === undefined) {
    const kept = kernel.running.flatMap(({ plugin }) => plugin.keeps ?? []);
    warnOfLosses(kept, { path: options.statePath, reason: state.reason }, log);
  }
  log.info('ready', readyFacts(kernel));
  if (process.stderr.isTTY && options.logFormat === 'text') void showTable(kernel, startedAt, stop);
  const reason = await new Promise<string>((resolve) => stop.onCancel(resolve));
  log.info('stopping; a second signal ends at once', { reason });
  await pipeline.close();
  await kernel.stop();
  log.info('stopped');
  return EXIT.done;
}

/** The first signal requests an orderly shutdown, the second exits at once. SIGHUP means that the terminal is gone; for a
 *  process that never had one, it means a reload. */
function handleSignals(stop: Cancellation, log: Log, reload: () => void): void {
  const end = (signal: NodeJS.Signals): void => {
    if (stop.reason !== undefined) process.exit(EXIT.unexpected);
    stop.cancel(signal);
  };
  process.on('SIGTERM', end).on('SIGINT', end);
  process.on('SIGHUP', [0, 1, 2].some((fd) => isatty(fd)) ? end : reload);
  process.on('SIGUSR1', () => log.info('SIGUSR1 opens no debugger; to debug, start with node --inspect'));
  process.on('SIGUSR2', () => log.info('SIGUSR2 does nothing; SIGHUP reads the configuration again'));
}

function startupReports(kernel: Kernel): readonly StartupReport[] {
  return kernel.registry.all(StartupReport.id) as readonly StartupReport[];
}

function readyFacts(kernel: Kernel): Record<string, unknown> {
  const [endpoint] = kernel.registry.all(Endpoint.id) as readonly Endpoint[];
  const reports = startupReports(kernel).map((report) => [`${report.subject}s`, readyWords(report)] as const);
  return { url: endpoint?.url() ?? 'none', ...Object.fromEntries(reports) };
}

/** Shows, on a terminal, a table of each report after the first attempts. */
async function showTable(kernel: Kernel, startedAt: number, stop: Cancellation): Promise<void> {
  const ended = new AbortController();
  stop.onCancel(() => ended.abort());
  const reports = await settledReports(() => startupReports(kernel), {
    atMostMs: TABLE_AFTER_MS,
    signal: ended.signal,
  });
  for (const report of reports ?? []) complain(startTable(report, startedAt));
}

function report(error: unknown): number {
  if (error instanceof UsageError) {
    complain(`pegboard: ${error.message}\ntry: ${error.command} --help\n`);
    return EXIT.usage;
  }
  if (error instanceof BootFailure) {
    for (const issue of error.issues) complain(`${issueText(issue)}\n`);
    complain(`pegboard: ${error.message}; nothing was started\n`);
    return exitCodeFor(error.issues);
  }
  if (isGatewayError(error)) {
    complain(`pegboard: ${error.message} (${error.code})\n`);
    return exitCodeFor([{ severity: 'error', code: error.code, message: error.message }]);
  }
  complain(
    `pegboard: unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return EXIT.unexpected;
}

function complain(text: string): void {
  process.stderr.write(text);
}

process.exitCode = await main().catch(report);
// A handle that a plugin left open must not keep a stopped process alive.
setTimeout(() => process.exit(), 1_000).unref();
