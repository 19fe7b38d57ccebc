import { resolve } from 'node:path';
import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import { kindOf } from '../kinds.ts';
import { openTransport } from '../openTransport.ts';
import { asText } from '../output/print.ts';
import { definedServers } from './definedServers.ts';
import { planText } from './planText.ts';
import type { DirectoryPlan } from './planText.ts';
import { readSnapshot, settled } from './readSnapshot.ts';
import type { Snapshot } from './readSnapshot.ts';
import { serverChanges } from './serverChanges.ts';
import { toolChanges } from './toolChanges.ts';
import { withTrial } from './withTrial.ts';
import { progressTo } from '../progressTo.ts';
import { runCheck } from '../runCheck.ts';
import { headersFor } from '../signIn/localToken.ts';
import { verb } from '../verb.ts';

export const plan = verb({
  name: 'plan',
  summary: 'what a changed configuration directory would do to a running gateway',
  parameters: [
    {
      name: '[directory]',
      description: 'the changed configuration directory (default: that of --config-path)',
    },
  ],
  options: [{ flags: '--static', description: 'start nothing; compare the servers, not their tools' }],
  examples: ['pegboard plan ./new', 'pegboard plan ./new --context work --static -o json'],
  run: async (invocation) => {
    const directory = resolve(invocation.args[0] ?? invocation.directory);
    const { isValid, stdout } = await runCheck(directory, 'text');
    if (!isValid) {
      invocation.terminal.err(stdout);
      return 1;
    }
    const made = await planFor(invocation, directory);
    print(invocation, made);
    return 0;
  },
});

/** @throws Failure */
async function planFor(invocation: Invocation, directory: string): Promise<DirectoryPlan> {
  const tell = progressTo(invocation);
  if (optionsOf<{ readonly static?: boolean }>(invocation).static === true) {
    tell('tools are not compared: --static starts nothing');
    const [before, after] = await Promise.all([
      Gateway.apart(invocation, (gateway) => kindOf('server').list(gateway)),
      definedServers(directory),
    ]);
    return serverChanges(before, after);
  }
  const before = await snapshotOf(invocation);
  tell(
    `serving ${directory} beside the running gateway, which does not change; its servers run beside the others`,
  );
  const after = await withTrial(directory, invocation.cancel, async (endpoint, state) =>
    snapshotOf({ ...invocation, options: { ...invocation.options, endpoint } }, await headersFor(state)),
  );
  return { ...serverChanges(before.servers, after.servers), tools: toolChanges(before, after) };
}

/** What the gateway offers once its servers have connected or failed. @throws Failure */
function snapshotOf(
  invocation: Invocation,
  headers: Readonly<Record<string, string>> = {},
): Promise<Snapshot> {
  const { timeout } = optionsOf(invocation);
  return Gateway.apart(
    invocation,
    async (gateway) => {
      await settled(gateway, Number(timeout) * 1_000);
      return readSnapshot(gateway);
    },
    (asked, endpoint) => openTransport(asked, endpoint, {}, headers),
  );
}

function print(invocation: Invocation, made: DirectoryPlan): void {
  const { terminal } = invocation;
  const { output } = optionsOf(invocation);
  const tell = progressTo(invocation);
  const { servers, hidden } = made;
  if (output === 'json' || output === 'yaml') terminal.out(asText(made, output));
  else if (output === 'name') for (const { name } of servers) terminal.out(`${name}\n`);
  else terminal.out(planText(made));
  if (planText(made) === '') tell('nothing changes');
  if (hidden.length > 0)
    tell(`secrets are not compared; a changed one would restart its server: ${hidden.join(', ')}`);
}
