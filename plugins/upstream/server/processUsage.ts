import { readFileSync } from 'node:fs';

/** USER_HZ, which is 100 on every platform that Node.js supports. See man 7 time. */
const TICKS_PER_SECOND = 100;
const KIB = 1_024;
/** First and last index of the CPU times in /proc/<pid>/stat, counted from the state after the name. See man 5 proc_pid_stat. */
const UTIME = 11;
const CSTIME = 14;

export interface Usage {
  /** CPU time, with that of children that have ended. */
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** What a process and those that it has started use: npx and uvx run the server in a process of their own.
 *  @returns undefined if it has ended, and where there is no /proc */
export function processUsage(pid: number): Usage | undefined {
  const own = ownUsage(pid);
  if (own === undefined) return undefined;
  let { cpuSeconds, rssBytes } = own;
  for (const child of childrenOf(pid)) {
    const usage = processUsage(child);
    cpuSeconds += usage?.cpuSeconds ?? 0;
    rssBytes += usage?.rssBytes ?? 0;
  }
  return { cpuSeconds, rssBytes };
}

function ownUsage(pid: number): Usage | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  const status = textOf(`/proc/${pid}/status`);
  if (stat === undefined || status === undefined) return undefined;
  // The name is in parentheses and may have some itself.
  const facts = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = facts.slice(UTIME, CSTIME + 1).reduce((sum, text) => sum + Number(text), 0);
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return { cpuSeconds: ticks / TICKS_PER_SECOND, rssBytes: Number(kib) * KIB };
}

/** Those that its main thread has started. */
function childrenOf(pid: number): readonly number[] {
  const text = textOf(`/proc/${pid}/task/${pid}/children`) ?? '';
  return text.split(' ').filter(Boolean).map(Number);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended, or this system has no /proc.
    return undefined;
  }
}
