import type { Invocation, JsonObject } from 'pegboard';
import { SERVER_KIND } from '../definitions/definitionKinds.ts';
import { namesIn } from '../definitions/plainDefinition.ts';
import { unseenNames } from '../definitions/unseenNames.ts';
import { Failure } from '../failure.ts';
import type { Gateway } from '../gateway.ts';
import { allPages } from '../kinds.ts';
import { printList } from '../output/print.ts';
import { progressTo } from '../progressTo.ts';
import { isUnfilled } from '../../kit/definitions/secretsApart.ts';
import type { Apart } from '../../kit/definitions/secretsApart.ts';
import { startAdded } from './startAdded.ts';
import { sayUnfilled } from './sayUnfilled.ts';
import { definitionOf } from '../../kit/add/definitionOf.ts';
import { detectArguments } from '../../kit/add/detectArguments.ts';
import type { Wanted } from '../../kit/add/wantedServer.ts';
import { sayHeld } from './withLeave.ts';
import { writeDefinition } from './writeDefinition.ts';

/** Adds a server at a running gateway, starts it, and prints its tools. @throws Failure */
export async function addTo(
  gateway: Gateway,
  wanted: Wanted,
  apart: Apart,
  invocation: Invocation,
): Promise<number> {
  const { name } = wanted;
  if ((await namesIn(gateway, SERVER_KIND)).includes(name))
    throw new Failure(
      `a server ${name} exists already; choose another name, change it with: pegboard edit server ${name}, or remove it with: pegboard remove ${name}`,
    );
  const type = wanted.spec['type'] ?? (await transportAt(wanted, apart, gateway, invocation));
  const { isOwn } = gateway.endpoint;
  // Tools write no references; files of the configuration directory may hold them.
  const isByFile = isOwn && JSON.stringify(apart.spec).includes('${');
  const spec = definitionOf({ type, ...(isByFile ? apart.spec : wanted.spec) }, apart, wanted);
  if (isByFile) await addByFile(gateway, { ...apart, name, spec }, invocation);
  else await addByTool(gateway, name, spec, invocation);
  if (isUnfilled(apart))
    return sayUnfilled(name, apart, { invocation, where: `pegboard edit server ${name}` });
  if (wanted.isHeld === true) return sayHeld(name, invocation);
  await startAdded(gateway, { name, spec }, invocation);
  printList(
    invocation,
    'tools',
    await allPages((page) => gateway.read('filter_tools', { toolset: [`server:${name}`], ...page }), 'tools'),
    [
      { title: 'name', value: 'name' },
      { title: 'summary', value: 'summary' },
    ],
  );
  return 0;
}

async function addByTool(
  gateway: Gateway,
  name: string,
  spec: JsonObject,
  invocation: Invocation,
): Promise<void> {
  const created = await gateway.readCore('core_mcpserver_create', { name, ...spec });
  const say = progressTo(invocation);
  for (const warning of (created['warnings'] ?? []) as string[]) say(`warning: ${warning}`);
}

async function addByFile(
  gateway: Gateway,
  added: Apart & { readonly name: string },
  invocation: Invocation,
): Promise<void> {
  const { name } = added;
  const file = await writeDefinition(added, invocation.directory);
  const unseen = await unseenNames(gateway, [name], () => namesIn(gateway, SERVER_KIND), invocation);
  if (unseen.length > 0)
    throw new Failure(
      `${file} is written, but the gateway at ${gateway.endpoint.url} does not take it; see: pegboard check`,
    );
}

/** What answers at the URL; left to the gateway if nothing does. */
async function transportAt(
  { spec, isHeld }: Wanted,
  { unfilled }: Apart,
  gateway: Gateway,
  invocation: Invocation,
): Promise<string> {
  if (unfilled.length > 0 || isHeld === true) return 'auto';
  const say = progressTo(invocation);
  const found = await gateway.readCore('core_mcpserver_detect', detectArguments(spec));
  const { transport, detail } = found;
  if (transport === 'sse' || transport === 'streamable-http') {
    say(`${transport} answers at ${String(found['url'])}`);
    return transport;
  }
  say(`the transport is not known yet, each is tried: ${String(detail)}`);
  return 'auto';
}
