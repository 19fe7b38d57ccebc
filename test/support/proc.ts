import { readFileSync, readdirSync } from 'node:fs';

/** The /proc entry of a process; undefined once it is gone. Linux only. */
interface Facts {
  readonly pid: number;
  readonly parent: number;
  /** `Z` is a zombie. */
  readonly state: string;
}

function factsOf(pid: string): Facts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(parent), state };
  } catch {
    return undefined;
  }
}

function allFacts(): readonly Facts[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => factsOf(name) ?? []);
}

/** All descendants of `pid` except zombies. */
export function processesBelow(pid: number): number[] {
  const living = allFacts().filter(({ state }) => state !== 'Z');
  const below = (parent: number): number[] =>
    living.filter((one) => one.parent === parent).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
}

/** Zombie children of `pid`. */
export function zombiesOf(pid: number): number[] {
  return allFacts()
    .filter(({ parent, state }) => parent === pid && state === 'Z')
    .map((one) => one.pid);
}

/** Living processes whose command line contains `part`. */
export function processesNaming(part: string): number[] {
  return allFacts()
    .filter(({ state }) => state !== 'Z')
    .map(({ pid }) => pid)
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(part));
}

/** Whether a process has a handler of its own for a signal, by number. */
export function catches(pid: number, signal: number): boolean {
  const [, mask] = /^SigCgt:\s+(\w+)/m.exec(textOf(`/proc/${pid}/status`)) ?? [];
  return ((BigInt(`0x${mask ?? '0'}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function rssMegabytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`)) ?? [];
  return Math.round(Number(kib ?? 0) / 102.4) / 10;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** Number of connections to a port of this machine that are established. */
export function connectionsAt(port: number): number {
  return established().filter(({ local }) => local === port).length;
}

/** For each established connection from this machine to one of its ports, whether the system asks in silence if it is still there. */
export function keepAlivesTo(port: number): boolean[] {
  return established()
    .filter(({ remote }) => remote === port)
    .map(({ timer }) => timer === KEEP_ALIVE);
}

interface Established {
  readonly local: number;
  readonly remote: number;
  readonly timer: string | undefined;
}

/** Source: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html */
function established(): readonly Established[] {
  const portIn = (address = ''): number => Number.parseInt(address.slice(address.indexOf(':') + 1), 16);
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((file) => textOf(file).split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === ESTABLISHED)
    .map(([, local, remote, , , timer]) => ({
      local: portIn(local),
      remote: portIn(remote),
      timer: timer?.slice(0, 2),
    }));
}

/** The state of a connection in /proc/net/tcp, and its timer. */
const ESTABLISHED = '01';
const KEEP_ALIVE = '02';
