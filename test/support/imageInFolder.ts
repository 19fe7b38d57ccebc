import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './sources.ts';
import { defer } from './cleanup.ts';
import { makeDirectory } from './directory.ts';
import { stagesOfDockerfile } from './dockerfile.ts';
import type { Instruction, Stage } from './dockerfile.ts';
import type { LogLine } from './serve.ts';
import { until } from './until.ts';

/** What has no counterpart on this machine: the images that a stage copies from. */
const FOREIGN = /--from=ghcr\.io\//;
const BUILD_MS = 240_000;

export interface ImageProcess {
  readonly lines: readonly LogLine[];
  /** Id of the process as this machine sees it. */
  readonly pid: () => number;
  readonly stop: () => Promise<number | null>;
}

/** Does what `docker build --target <target>` and `docker run --read-only` would do, without either: each stage is an overlay over
 *  the root folder of this machine (Debian), with the node of a package; its RUN and COPY are carried out in it. The process
 *  has process ids of its own, no capabilities, the user of USER, and a root folder that cannot be written. Needs root.
 *  @param args are added to CMD */
export async function runImage(target: string, node: string, args: readonly string[]): Promise<ImageProcess> {
  const stages = stagesOfDockerfile();
  const directory = makeDirectory();
  const sent = makeDirectory({ files: filesOfContext().join('\0') });
  const script = [
    'set -e',
    `cd ${directory.path}`,
    'mount -t tmpfs none . && cd "$PWD"',
    `mkdir context && cd ${ROOT} && xargs -0 cp --parents -t ${directory.path}/context < ${sent.at('files')} && cd ${directory.path}`,
    ...stages
      .filter(({ name }) => isNeeded(name, target, stages))
      .flatMap((stage) => linesOf(stage, stages, node)),
    ...startOf(target, stages, args),
  ].join('\n');
  const child = spawn('unshare', ['--mount', 'sh', '-c', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let exit: number | null | undefined;
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  void exited.then((code) => (exit = code));
  const lines: LogLine[] = [];
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface(stream).on('line', (line) => {
      output.push(line);
      if (line.startsWith('{')) lines.push(JSON.parse(line) as LogLine);
    });
  const pid = (): number =>
    Number(execFileSync('pgrep', ['-f', '/app/dist/kernel/program/pegboard.js serve', '--newest']));
  const stop = (): Promise<number | null> => {
    if (exit === undefined) process.kill(pid(), 'SIGTERM');
    return exited;
  };
  defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await until(() => exit !== undefined || lines.some(({ text }) => text === 'ready'), {
    what: 'the image to be built and started',
    withinMs: BUILD_MS,
  });
  if (exit !== undefined)
    throw new Error(`ended with ${exit ?? 'a signal'}:\n${output.slice(-40).join('\n')}`);
  return {
    lines,
    pid,
    stop,
  };
}

/** What a build sends: the files of the repository. */
function filesOfContext(): readonly string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const names = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0');
  return names.filter((name) => name !== '' && existsSync(join(ROOT, name)));
}

function isNeeded(name: string, target: string, stages: readonly Stage[]): boolean {
  const uses = ({ from, instructions }: Stage): readonly string[] => [
    from,
    ...instructions.flatMap(({ text }) => /--from=(\S+)/.exec(text)?.[1] ?? []),
  ];
  if (name === target) return true;
  const stage = stages.find((one) => one.name === target);
  return stage !== undefined && uses(stage).some((one) => one !== target && isNeeded(name, one, stages));
}

/** The shell lines that make the folder `<name>/root`. */
function linesOf(
  { name, from, instructions }: Stage,
  stages: readonly Stage[],
  node: string,
): readonly string[] {
  const below = [...layersOf(from, stages)].map((layer) => `$PWD/${layer}/layer`);
  const lower = [...below, '/'].join(':');
  const inRoot = [
    `mkdir -p ${name}/layer ${name}/work ${name}/root`,
    `mount -t overlay none -o lowerdir=${lower},upperdir=$PWD/${name}/layer,workdir=$PWD/${name}/work ${name}/root`,
    `mount -t proc none ${name}/root/proc && mount --rbind /dev ${name}/root/dev && mount -t tmpfs none ${name}/root/tmp`,
    `cp -L /etc/resolv.conf ${name}/resolv && mount --bind ${name}/resolv ${name}/root/etc/resolv.conf || true`,
  ];
  if (from.startsWith('node:')) inRoot.push(`cp ${node} ${name}/root/usr/local/bin/node`);
  // People of this machine are not in an image.
  for (const file of ['passwd', 'group'])
    inRoot.push(`grep -vE '^[^:]*:[^:]*:[1-9][0-9]{3,}:' /etc/${file} > ${name}/root/etc/${file}`);
  let workdir = '/';
  for (const instruction of instructions) {
    if (instruction.name === 'WORKDIR') workdir = instruction.text;
    inRoot.push(...linesOfInstruction(instruction, name, workdir));
  }
  return inRoot;
}

function layersOf(from: string, stages: readonly Stage[]): readonly string[] {
  const stage = stages.find((one) => one.name === from);
  return stage === undefined ? [] : [stage.name, ...layersOf(stage.from, stages)];
}

function linesOfInstruction({ name, text }: Instruction, stage: string, workdir: string): readonly string[] {
  const root = `${stage}/root`;
  if (name === 'WORKDIR') return [`mkdir -p ${root}${text}`];
  if (name === 'RUN')
    return [
      `PATH=/usr/local/bin:$PATH chroot ${root} sh -ec 'cd ${workdir}; ${text.replaceAll("'", `'\\''`)}' 1>&2`,
    ];
  if (name !== 'COPY' || FOREIGN.test(text)) return [];
  const [, from, source = '', target = ''] = /^(?:--from=(\S+) )?(\S+) (\S+)$/.exec(text) ?? [];
  const path = `${root}${target === '.' ? workdir : target}`;
  const origin = from === undefined ? 'context' : `${from}/root${source}`;
  const isFolder = from === undefined || !source.includes('/bin/');
  return [
    `mkdir -p "$(dirname ${path})"`,
    isFolder ? `mkdir -p ${path} && cp -a ${origin}/. ${path}/` : `cp -a ${origin} ${path}`,
  ];
}

function startOf(target: string, stages: readonly Stage[], args: readonly string[]): readonly string[] {
  const own = [target, ...layersOf(target, stages)].flatMap(
    (name) => stages.find((stage) => stage.name === name)?.instructions ?? [],
  );
  const found = (name: string): string => own.find((one) => one.name === name)?.text ?? '';
  const words = [
    ...(JSON.parse(found('ENTRYPOINT')) as string[]),
    ...(JSON.parse(found('CMD')) as string[]),
    ...args,
  ];
  const [user = '', group = ''] = found('USER').split(':');
  const root = `${target}/root`;
  return [
    `umount ${root}/proc`,
    `mount -t tmpfs -o uid=${user},gid=${group} none ${root}${found('VOLUME')}`,
    `mount -o remount,ro,bind ${root}`,
    // As a container: process ids of its own, the user, no capabilities, and a root folder that is read-only.
    `exec unshare --pid --fork --kill-child --mount sh -ec 'mount -t proc none ${root}/proc; exec chroot ${root} setpriv --reuid=${user} --regid=${group} --clear-groups --bounding-set=-all --no-new-privs env -i HOME=/tmp PATH=/usr/local/bin:/usr/bin:/bin ${words.map((word) => `"${word}"`).join(' ')}'`,
  ];
}
