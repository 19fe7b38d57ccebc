import { realpath } from 'node:fs/promises';
import { GatewayError } from 'pegboard';

/** Environment variable of stdio servers: the gateways that have started them, as a JSON list of configuration directory and process id. */
const VARIABLE = 'PEGBOARD_PARENT_DIRECTORIES';

/** What a process that this gateway starts is told. */
export async function parentsVariable(directory: string): Promise<Readonly<Record<string, string>>> {
  return { [VARIABLE]: JSON.stringify([...parents(), [await realOf(directory), process.pid]]) };
}

/** A gateway that is a server of its own directory would start itself without end.
 *  @throws GatewayError CONFIG_REFERENCE */
export async function refuseOwnServer(directory: string): Promise<void> {
  const real = await realOf(directory);
  if (!parents().some((parent) => isRunningAt(parent, real))) return;
  const text = `this gateway was started from within a stdio server of the gateway at ${real}, and would start that server again, without end: give its definition another --config-path, or remove it; a program that a server only happens to run can unset ${VARIABLE}`;
  throw new GatewayError('CONFIG_REFERENCE', text);
}

function isRunningAt(parent: unknown, directory: string): boolean {
  const [path, pid] = Array.isArray(parent) ? (parent as readonly unknown[]) : [];
  return path === directory && typeof pid === 'number' && pid > 0 && isRunning(pid);
}

/** A process that outlives its gateway is not started again by it. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function parents(): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(process.env[VARIABLE] ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    // Another program has set it.
    return [];
  }
}

function realOf(directory: string): Promise<string> {
  return realpath(directory).catch(() => directory);
}
