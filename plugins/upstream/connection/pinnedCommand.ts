import { join } from 'node:path';
import { GatewayError, messageOf } from 'pegboard';
import { helpedBy } from '../../kit/faults/remedy.ts';
import { packageIn, sourceFault } from '../../kit/packages/packageIn.ts';
import { RegistryAway } from '../../kit/packages/registryRequest.ts';
import { OtherContent, verifiedFile } from '../../kit/packages/verifiedFile.ts';
import type { ServerDefinition } from '../definition.ts';
import type { UpstreamContext } from './context.ts';

type Parts = Pick<UpstreamContext, 'config' | 'directory' | 'state' | 'trusts'>;

/** The command with the file of its package, whose content is the one that was pinned, in place of its name. Docker and Podman check
 *  a digest themselves. @param env of the process; without that of the definition if it is confined, because npm is asked outside
 *  @throws GatewayError CONFIG_INVALID, UPSTREAM_UNREACHABLE */
export async function pinnedCommand(
  command: readonly string[],
  { source, startTimeoutMs }: Pick<ServerDefinition, 'source' | 'startTimeoutMs'>,
  env: Readonly<Record<string, string>>,
  { config, directory, state, trusts }: Parts,
): Promise<readonly string[]> {
  if (source === undefined) return command;
  const named = packageIn(command);
  // References have been filled since the definition was checked.
  const fault = sourceFault(command, source);
  if (fault !== undefined || named === undefined) {
    const what = 'write the package and its version into the command, without references';
    throw helpedBy({ do: 'edit', what }, 'CONFIG_INVALID', fault ?? '');
  }
  if (source.registry === 'oci') return command;
  const folder = join(state() ?? join(directory(), 'state'), 'packages');
  const trust = trusts();
  try {
    const file = await verifiedFile(source, folder, {
      env,
      timeoutMs: startTimeoutMs,
      trust: () => {
        const secureContext = trust();
        return secureContext && { secureContext };
      },
      proxies: config,
    });
    return named.ofFile(file);
  } catch (error) {
    if (error instanceof OtherContent) {
      const what = 'ask its publisher why, or look at another version with: pegboard upgrade';
      throw helpedBy({ do: 'say', what }, 'CONFIG_INVALID', error.message);
    }
    const code = error instanceof RegistryAway ? 'UPSTREAM_UNREACHABLE' : 'CONFIG_INVALID';
    throw new GatewayError(code, `its package cannot be checked: ${messageOf(error)}`);
  }
}
