import { readdirSync, utimesSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Directory } from '../support/directory.ts';
import { McpClient } from '../support/mcpClient.ts';
import { processesBelow, processesNaming, zombiesOf } from '../support/proc.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';

const GONE_MS = 10_000;
/** Scratch files of atomic writes that did not reach their rename. */
const UNFINISHED = /(\.tmp|~)$|\.tmp[.-]|^\.tmp/;

export interface Killed {
  readonly pegboards: number;
  readonly children: number;
  /** Leftovers; empty on success. */
  readonly faults: readonly string[];
}
export interface KillOptions {
  readonly kills: number;
  /** Number of them that kill a child before Pegboard itself. */
  readonly childrenPerLife: number;
  /** Random number from 0 to 1. */
  readonly random: () => number;
  readonly told?: (text: string) => void;
}

/** Starts Pegboard again and again, busy with calls, runs and edits, and kills its children and then itself at random moments. */
export async function killAgainAndAgain(directory: Directory, options: KillOptions): Promise<Killed> {
  const { kills, childrenPerLife, random, told } = options;
  const faults: string[] = [];
  let pegboards = 0;
  let children = 0;
  while (pegboards + children < kills) {
    const pegboard = await servePegboard(directory.path);
    const load = keepBusy(pegboard, random);
    for (let at = 0; at < childrenPerLife && pegboards + children < kills - 1; at += 1) {
      await pause(random() * 150);
      children += killOneChild(pegboard.pid, random);
    }
    await pause(random() * 300);
    const zombies = await lastingZombies(pegboard.pid);
    if (zombies.length > 0) faults.push(`zombies ${zombies.join()}`);
    await pegboard.kill();
    pegboards += 1;
    await load;
    faults.push(...(await leftBehind(directory)), ...damageIn(pegboard));
    told?.(`${pegboards + children} kills, ${faults.length} faults`);
  }
  const last = await servePegboard(directory.path);
  ageDrafts(directory);
  const client = await McpClient.connect(last.url);
  const edited = await client.callTool('core_mcpserver_update', { name: 'a', description: 'last edit' });
  if (edited.isError === true) faults.push(`edits fail: ${JSON.stringify(edited)}`);
  const ran = await client.callTool('workflow_once');
  if (ran.isError === true) faults.push(`runs fail: ${JSON.stringify(ran)}`);
  await last.stop();
  faults.push(...(await leftBehind(directory)), ...damageIn(last), ...unfinishedFiles(directory));
  return { pegboards, children, faults };
}

/** Calls, runs of a workflow and edits of a definition until the connection breaks. Never rejects. */
async function keepBusy(pegboard: Pegboard, random: () => number): Promise<void> {
  try {
    const client = await McpClient.connect(pegboard.url);
    for (let at = 0; ; at += 1) {
      const tasks = [
        () => client.callTool('x_a_echo', { text: 'x' }),
        () => client.callTool('workflow_once'),
        () => client.callTool('core_mcpserver_update', { name: 'a', description: `edit ${at}` }),
      ];
      await tasks[Math.floor(random() * tasks.length)]?.();
    }
  } catch {
    // Killed, as planned.
  }
}

function killOneChild(pid: number, random: () => number): number {
  const below = processesBelow(pid);
  const hit = below[Math.floor(random() * below.length)];
  if (hit === undefined) return 0;
  try {
    process.kill(hit, 'SIGKILL');
    return 1;
  } catch {
    return 0;
  }
}

/** A zombie is normal for the moment until its parent waits for it. */
async function lastingZombies(pid: number): Promise<readonly number[]> {
  const first = zombiesOf(pid);
  if (first.length === 0) return [];
  await pause(500);
  return zombiesOf(pid).filter((one) => first.includes(one));
}

async function leftBehind(directory: Directory): Promise<readonly string[]> {
  const living = (): readonly number[] => processesNaming(directory.path);
  const isEmpty = (): boolean => living().length === 0;
  return until(isEmpty, { what: 'the end of all processes', withinMs: GONE_MS }).then(
    () => [],
    () => [`orphans ${living().join()}`],
  );
}

/** Pegboard's own messages about files that it could not read. */
function damageIn({ lines }: Pegboard): readonly string[] {
  return lines
    .filter(
      ({ level, text }) =>
        level === 'error' || /damage|put aside|cannot be (read|used)|not remembered/.test(text),
    )
    .map(({ text, ...facts }) => `${text} ${JSON.stringify(facts)}`);
}

/** Leftovers of a killed write are deleted by a later write, once they are old. */
function ageDrafts({ at, path }: Directory): void {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((one) => one.endsWith('.tmp'))) utimesSync(at(name), 0, 0);
}

function unfinishedFiles({ path }: Directory): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => UNFINISHED.test(name.split('/').at(-1) ?? ''))
    .map((name) => `unfinished file ${name}`);
}
