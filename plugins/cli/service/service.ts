import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { promisify } from 'node:util';
import { messageOf } from 'pegboard';
import type { Command, Invocation } from 'pegboard';
import { Failure } from '../failure.ts';
import { removeFile, replaceText, textAt } from '../files.ts';
import { printObject } from '../output/print.ts';
import { pauseFor } from '../pauseFor.ts';
import { progressTo } from '../progressTo.ts';
import { serviceFileText } from './serviceFileText.ts';
import type { ServiceManager, ServiceState } from './serviceFileText.ts';
import { serviceManager } from './serviceManager.ts';
import { verb } from '../verb.ts';

const OURS = 'Written by: pegboard service install';
/** As of systemctl status: it does not run. */
const NOT_RUNNING = 3;
const NOT_INSTALLED = 4;
const CHECKS = 20;
const CHECK_EVERY_MS = 100;

/** Runs Pegboard in the background for the user who types it. */
export const service: Command = {
  name: 'service',
  summary: 'run the gateway in the background, from your sign-in on',
  examples: ['pegboard service install', 'pegboard service status'],
  subcommands: [
    verb({
      name: 'install',
      summary: 'write the service of systemd or launchd, and start it; again after an update of Node.js',
      options: [{ flags: '--dry-run', description: 'show what would be written and run, and do nothing' }],
      examples: ['pegboard service install', 'pegboard service install --config-path ~/gateway --dry-run'],
      run: install,
    }),
    verb({
      name: 'uninstall',
      summary: 'stop the service and remove it; configuration and state stay',
      examples: ['pegboard service uninstall', 'pegboard service uninstall --quiet'],
      run: uninstall,
    }),
    verb({
      name: 'status',
      summary: 'whether it runs; exit code 0, 3 if it does not run, 4 if it is not installed',
      examples: ['pegboard service status', 'pegboard service status -o json'],
      run: status,
    }),
  ],
};

async function install(invocation: Invocation): Promise<number> {
  const { directory, env, options, terminal } = invocation;
  const tell = progressTo(invocation);
  const manager = managerFor(invocation);
  const program = realpathSync(process.argv[1] ?? '');
  if (program.includes('/_npx/'))
    throw new Failure(
      `npx may remove ${program} at any time; install it first: npm install -g pegboard, then: pegboard service install`,
    );
  const command = [process.execPath, program];
  const text = serviceFileText(manager, { command, directory, path: env['PATH'] ?? '' });
  if (options['dryRun'] === true) {
    terminal.out(`# ${manager.file}\n${text}`);
    for (const words of manager.enable) terminal.out(`# ${words.join(' ')}\n`);
    return 0;
  }
  const before = await textAt(manager.file);
  if (before !== undefined && !before.includes(OURS))
    throw new Failure(`${manager.file} was not written by pegboard service install; move it away first`);
  if (before !== text) await replaceText(manager.file, before, text);
  try {
    for (const words of manager.enable) await ran(words);
  } catch (error) {
    if (before !== undefined) throw error;
    await removeFile(manager.file);
    throw new Failure(`${messageOf(error)}\nnothing was installed; ${manager.needs}`);
  }
  tell(`${before === text ? 'unchanged' : 'written'}: ${manager.file}`);
  const { running, state } = await settled(manager, invocation);
  if (!running)
    throw new Failure(
      `the service has been written, but it does not run: ${state}\n${manager.hints.join('\n')}`,
    );
  tell(`the service runs\n${manager.hints.join('\n')}`);
  return 0;
}

async function uninstall(invocation: Invocation): Promise<number> {
  const tell = progressTo(invocation);
  const manager = managerFor(invocation);
  const text = await textAt(manager.file);
  if (text === undefined) {
    tell('no service is installed');
    return 0;
  }
  if (!text.includes(OURS))
    throw new Failure(`${manager.file} was not written by pegboard service install; remove it yourself`);
  for (const words of manager.disable) await ran(words);
  await removeFile(manager.file);
  for (const words of manager.forget) await ran(words);
  tell(`stopped and removed: ${manager.file}`);
  return 0;
}

async function status(invocation: Invocation): Promise<number> {
  const manager = managerFor(invocation);
  const installed = (await textAt(manager.file)) !== undefined;
  const { running, state, pid } = installed ? await stateOf(manager) : NONE;
  const facts = { manager: manager.name, file: manager.file, installed, running, state, pid };
  printObject(invocation, facts, state);
  if (!installed) return NOT_INSTALLED;
  return running ? 0 : NOT_RUNNING;
}

const NONE: ServiceState = { running: false, state: 'not installed', pid: undefined };

function managerFor({ env }: Invocation): ServiceManager {
  return serviceManager(process.platform, env, process.getuid?.() ?? 0);
}

/** A service that ends at once has been started too, so it is looked at for two seconds. */
async function settled(manager: ServiceManager, { cancel }: Invocation): Promise<ServiceState> {
  let state = await stateOf(manager);
  for (let count = 0; count < CHECKS && state.running; count += 1) {
    await pauseFor(CHECK_EVERY_MS, cancel);
    state = await stateOf(manager);
  }
  return state;
}

async function stateOf({ query, stateIn }: ServiceManager): Promise<ServiceState> {
  return stateIn(await ran(query).catch((error: unknown) => messageOf(error)));
}

/** @returns what it has printed @throws Failure with what it complains about */
async function ran([program = '', ...args]: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(program, args)).stdout;
  } catch (error) {
    const { stderr = '', code } = error as { readonly stderr?: string; readonly code?: unknown };
    const why = code === 'ENOENT' ? `${program} is not there` : stderr.trim() || messageOf(error);
    throw new Failure(`${[program, ...args].join(' ')}: ${why}`);
  }
}
