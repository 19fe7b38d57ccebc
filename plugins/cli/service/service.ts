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
import { heldPortFix, socketAddresses } from './socketAddresses.ts';
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
  const listen = manager.socket === undefined ? [] : await socketAddresses(directory);
  const what = { command, directory, path: env['PATH'] ?? '', listen };
  const enable = manager.enable(what);
  const files: Wanted[] = [{ file: manager.file, text: serviceFileText(manager, what) }];
  if (manager.socket !== undefined)
    files.push({
      file: manager.socket.file,
      text: listen.length > 0 ? manager.socket.text(what) : undefined,
    });
  const former = listen.length > 0 ? undefined : manager.socket;
  const closing = former !== undefined && (await textAt(former.file)) !== undefined ? [former.disable] : [];
  if (options['dryRun'] === true) {
    for (const words of closing) terminal.out(`# ${words.join(' ')}\n`);
    for (const { file, text } of files) if (text !== undefined) terminal.out(`# ${file}\n${text}`);
    for (const words of enable) terminal.out(`# ${words.join(' ')}\n`);
    return 0;
  }
  const before = new Map<string, string | undefined>();
  for (const { file } of files) before.set(file, await ownTextAt(file, 'move it away first'));
  for (const words of closing) await ran(words);
  for (const { file, text } of files) await put(file, before.get(file), text);
  let latest: readonly string[] = [];
  try {
    for (latest of enable) await ran(latest);
  } catch (error) {
    // Before that command, and after it, the port is held by the socket itself.
    const held = latest === manager.socket?.open ? await heldPortFix(listen) : undefined;
    if (before.get(manager.file) !== undefined)
      throw held === undefined ? error : new Failure(`${messageOf(error)}\n${held}`);
    // What was enabled before it failed would stay behind as links to nothing; its own failures say less than the first one.
    for (const words of manager.disable) await ran(words).catch(() => undefined);
    for (const { file } of files) await put(file, undefined, undefined);
    for (const words of manager.forget) await ran(words).catch(() => undefined);
    throw new Failure(`${messageOf(error)}\nnothing was installed; ${held ?? manager.needs}`);
  }
  for (const { file, text } of files)
    if (text !== undefined) tell(`${before.get(file) === text ? 'unchanged' : 'written'}: ${file}`);
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
  const files = [manager.file, ...(manager.socket === undefined ? [] : [manager.socket.file])];
  const texts = await Promise.all(files.map((file) => ownTextAt(file, 'remove it yourself')));
  const there = files.filter((_, at) => texts[at] !== undefined);
  if (there.length === 0) {
    tell('no service is installed');
    return 0;
  }
  for (const words of manager.disable) await ran(words);
  for (const file of there) await removeFile(file);
  for (const words of manager.forget) await ran(words);
  tell(`stopped and removed: ${there.join(', ')}`);
  return 0;
}

interface Wanted {
  readonly file: string;
  /** Undefined: the file is to be removed. */
  readonly text: string | undefined;
}

/** @throws Failure for a file that another has written */
async function ownTextAt(file: string, fix: string): Promise<string | undefined> {
  const text = await textAt(file);
  if (text !== undefined && !text.includes(OURS))
    throw new Failure(`${file} was not written by pegboard service install; ${fix}`);
  return text;
}

async function put(file: string, before: string | undefined, text: string | undefined): Promise<void> {
  if (text !== undefined && before !== text) await replaceText(file, before, text);
  if (text === undefined && (await textAt(file)) !== undefined) await removeFile(file);
}

async function status(invocation: Invocation): Promise<number> {
  const manager = managerFor(invocation);
  const installed = (await textAt(manager.file)) !== undefined;
  const { running, state, pid } = installed ? await stateOf(manager) : NONE;
  const socket = manager.socket?.file;
  const hasSocket = socket !== undefined && (await textAt(socket)) !== undefined;
  const facts = { manager: manager.name, file: manager.file, installed, running, state, pid };
  const more = hasSocket ? { socket } : {};
  printObject(invocation, { ...facts, ...more }, state);
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
