import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { asText, printList } from '../output/print.ts';
import type { Column } from '../output/print.ts';
import { shownText } from '../../kit/text/shownText.ts';
import { wordDiffText } from '../../kit/text/wordDiff.ts';
import type { WordChange } from '../../kit/text/wordDiff.ts';
import { verb } from '../verb.ts';

const COLUMNS: readonly Column[] = [
  { title: 'name', value: 'name' },
  { title: 'server', value: 'server' },
  { title: 'state', value: 'state' },
  { title: 'held', value: 'held' },
  { title: 'hash', value: 'hash', isWide: true },
  { title: 'widens', value: 'widens' },
  { title: 'kind', value: 'kind' },
];
const FINDING_COLUMNS: readonly Column[] = [
  { title: 'name', value: 'name' },
  { title: 'server', value: 'server' },
  { title: 'rule', value: 'rule' },
  { title: 'the tool', value: 'says' },
  { title: 'found', value: 'found', isWide: true },
];
/** Something waits for an operator. */
const WAITING = 1;

export const pins = verb({
  name: 'pins',
  summary: 'what servers declare otherwise than it was accepted',
  parameters: [
    { name: '[action]', description: 'list, findings, diff, accept or refuse; list when absent' },
    { name: '[name]', description: 'the tool, prompt or uri, or the server for its instructions' },
    { name: '[hash]', description: 'accept and refuse: the hash that diff has shown' },
  ],
  options: [
    { flags: '--server <name>', description: 'diff, accept, refuse: all that waits of that server' },
    { flags: '--hash <hash>', description: 'accept and refuse: the hash that diff has shown' },
  ],
  examples: [
    'pegboard pins',
    'pegboard pins findings',
    'pegboard pins diff x_notes_read',
    'pegboard pins accept x_notes_read HASH',
    'pegboard pins diff --server notes',
    'pegboard pins accept --server notes --hash HASH',
  ],
  run: (invocation) =>
    Gateway.connected(invocation, (gateway) => {
      const [action = 'list', one, given] = invocation.args;
      const { server, hash = given } = invocation.options as Asked;
      if (server !== undefined && one !== undefined)
        throw new Failure(`give a name or --server, not both: ${one} and ${server}`);
      const name = server ?? one;
      if (action === 'list') return list(invocation, gateway);
      if (action === 'findings') return listFindings(invocation, gateway);
      if (!['diff', 'accept', 'refuse'].includes(action))
        throw new Failure(`pins does not know ${action}; it knows list, findings, diff, accept and refuse`);
      if (name === undefined) throw new Failure(`name what to ${action}; pegboard pins lists it`);
      if (action === 'diff') return showDiff(invocation, gateway, { name, isServer: server !== undefined });
      if (hash === undefined)
        throw new Failure(
          `give the hash that was looked at; pegboard pins diff ${server === undefined ? name : `--server ${name}`} shows it`,
        );
      return settle(invocation, gateway, { name, hash, refuse: action === 'refuse' });
    }),
});

interface Asked {
  readonly server?: string;
  readonly hash?: string;
}

async function list(invocation: Invocation, gateway: Gateway): Promise<number> {
  const found = await pinsIn(gateway, {});
  printList(invocation, 'changed declarations', found, COLUMNS);
  return found.length > 0 ? WAITING : 0;
}

/** They are hints for people, so the exit code is always 0. */
async function listFindings(invocation: Invocation, gateway: Gateway): Promise<number> {
  const { findings } = await gateway.readCore('core_pins_list', {});
  printList(
    invocation,
    'declarations that deserve a look',
    findings as readonly JsonObject[],
    FINDING_COLUMNS,
  );
  return 0;
}

async function showDiff(
  invocation: Invocation,
  gateway: Gateway,
  { name, isServer }: { readonly name: string; readonly isServer: boolean },
): Promise<number> {
  const { pins: all, sets } = await gateway.readCore('core_pins_list', { name });
  const found = (all as readonly JsonObject[]).filter((pin) => pin[isServer ? 'server' : 'name'] === name);
  const [set] = isServer ? (sets as readonly JsonObject[]) : [];
  const { output } = optionsOf(invocation);
  if (output === 'json' || output === 'yaml')
    invocation.terminal.out(asText(isServer ? { pins: found, set } : found, output));
  else {
    for (const pin of found) invocation.terminal.out(diffText(pin));
    if (set !== undefined)
      invocation.terminal.out(
        `hash of all ${String(set['count'])} of server ${name}: ${String(set['hash'])}\n`,
      );
  }
  if (found.length === 0) throw new Failure(`nothing of the name ${name} waits to be accepted`);
  return WAITING;
}

/** Words of servers are escaped wherever they go: a file with them may be shown on a terminal later. */
function diffText({ name, server, why, hash, before, changes }: JsonObject): string {
  const parts = (changes as readonly JsonObject[]).map(({ part, words }) => {
    const text = wordDiffText(words as readonly WordChange[]);
    return `${shownText(String(part))}:\n  ${text.replaceAll('\n', '\n  ')}\n`;
  });
  const unknown = before === true ? '' : 'What was accepted is not kept; this is what is declared now.\n';
  return `${String(name)} of server ${String(server)}: ${String(why)}\n${unknown}${parts.join('')}hash: ${String(hash)}\n`;
}

async function settle(
  { terminal }: Invocation,
  gateway: Gateway,
  args: { readonly name: string; readonly hash: string; readonly refuse: boolean },
): Promise<number> {
  await gateway.readCore('core_pins_accept', args);
  terminal.out(`${args.refuse ? 'refused' : 'accepted'} ${args.name}\n`);
  return 0;
}

async function pinsIn(gateway: Gateway, args: JsonObject): Promise<readonly JsonObject[]> {
  const { pins: found } = await gateway.readCore('core_pins_list', args);
  return found as readonly JsonObject[];
}
