import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Invocation, JsonObject } from 'pegboard';
import { stringify } from 'yaml';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { allPages, kindOf } from '../kinds.ts';
import { settled } from '../plan/readSnapshot.ts';
import { withTrialGateway } from '../plan/withTrialGateway.ts';
import type { Declarations } from './declarationDiff.ts';

/** Folders of a configuration directory that the trial does not have. */
const LEFT_OUT = ['mcpservers', 'workflows', 'state'];
const SIDES = ['before', 'after'] as const;

/** What two definitions of a server declare, each started in a gateway beside the running one.
 *  @throws Failure if the second one does not start */
export async function declarationsOf(
  definitions: Readonly<Record<(typeof SIDES)[number], JsonObject>>,
  invocation: Invocation,
): Promise<readonly [Declarations, Declarations]> {
  const folder = await mkdtemp(join(tmpdir(), 'pegboard-upgrade-'));
  try {
    for (const name of await readdir(invocation.directory))
      if (!LEFT_OUT.includes(name)) await symlink(join(invocation.directory, name), join(folder, name));
    await mkdir(join(folder, 'mcpservers'));
    for (const side of SIDES) {
      const kept = Object.entries(definitions[side]).filter(([key]) => !/^(?:toolPrefix|family)$/.test(key));
      const text = stringify({ ...Object.fromEntries(kept), autoStart: true, suspended: false });
      await writeFile(join(folder, 'mcpservers', `${side}.yaml`), text, { mode: 0o600 });
    }
    return await withTrialGateway(folder, invocation, read);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }

  async function read(gateway: Gateway): Promise<readonly [Declarations, Declarations]> {
    await settled(gateway, Number(optionsOf(invocation).timeout) * 1_000);
    const servers = await kindOf('server').list(gateway);
    const after = servers.find(({ name }) => name === 'after');
    if (after?.['sessionStatus'] !== 'connected')
      throw new Failure(
        `the other version does not start: ${String(after?.['error'] ?? after?.['state'])}; nothing was written (--static writes without looking)`,
      );
    return [await toolsOf(gateway, 'before'), await toolsOf(gateway, 'after')];
  }
}

async function toolsOf(gateway: Gateway, server: string): Promise<Declarations> {
  const toolset = [`server:${server}`];
  const listed = await allPages((page) => gateway.read('filter_tools', { toolset, ...page }), 'tools');
  const found = new Map<string, JsonObject>();
  for (const { name } of listed) {
    const tool = await kindOf('tool').get(gateway, String(name));
    found.set(String(name).split(`_${server}_`).slice(1).join(`_${server}_`), tool);
  }
  return found;
}
