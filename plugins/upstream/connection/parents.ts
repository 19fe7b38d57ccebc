import { realpath } from 'node:fs/promises';
import { GatewayError } from 'pegboard';

/** Environment variable of stdio servers: the configuration directories of the gateways that have started them, as a JSON list. */
const VARIABLE = 'PEGBOARD_PARENT_DIRECTORIES';

/** What a process that this gateway starts is told. */
export async function parentsVariable(directory: string): Promise<Readonly<Record<string, string>>> {
  return { [VARIABLE]: JSON.stringify([...parents(), await realOf(directory)]) };
}

/** A gateway that is a server of its own directory would start itself without end.
 *  @throws GatewayError CONFIG_REFERENCE */
export async function refuseOwnServer(directory: string): Promise<void> {
  const real = await realOf(directory);
  if (!parents().includes(real)) return;
  const text = `this gateway was started as a stdio server of a gateway on the same directory, ${real}, and would start itself without end; give its definition another --config-path, or remove it`;
  throw new GatewayError('CONFIG_REFERENCE', text);
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
