import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually, startGateway } from '../../../contract/index.ts';
import type { TestGateway } from '../../../contract/index.ts';
import { GuardedServers } from '../../../../plugins/contracts/credentials.ts';
import type { GuardedServer } from '../../../../plugins/contracts/credentials.ts';
import { defer } from '../../../support/cleanup.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { identify } from '../../../support/identify.ts';
import { RELAY } from '../../../support/relayGateway.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';
import { Callers } from '../callersOf.ts';
import { UPDATED, change, of, seen } from '../relays.ts';

const URI = 'child://one';
const WITHIN_MS = 10_000;

interface Started {
  readonly gateway: TestGateway;
  readonly callers: Callers;
  readonly relay: GuardedServer;
  readonly as: (subject: string) => Promise<TalkingClient>;
}

/** A server of which each caller has a process with a secret of their own. */
async function start(): Promise<Started> {
  const callers = new Callers();
  for (const subject of ['ann', 'bob']) callers.values.set(subject, { KEY: `${subject}-1` });
  const definition = { type: 'stdio', autoStart: true, env: { KEY: '${caller:KEY}' } };
  const gateway = await startGateway({
    files: {
      'config.yaml': JSON.stringify({
        operators: { issuers: [{ issuer: 'https://people', subjects: ['ann', 'bob'] }] },
        plugins: {
          'auth-client': false,
          'test-identify': { module: './identify.mjs' },
          'test-callers': { module: './callers.mjs' },
        },
      }),
      'identify.mjs': moduleOf(identify),
      'callers.mjs': moduleOf(callers.plugin),
      'mcpservers/relay.yaml': JSON.stringify({
        ...definition,
        command: [process.execPath, ...RELAY, 'stdio'],
      }),
    },
  });
  defer(() => gateway.stop());
  const relay = gateway.get(GuardedServers).get('relay')!;
  const as = async (subject: string): Promise<TalkingClient> => {
    const client = await TalkingClient.connect(
      gateway.url(),
      {},
      { 'x-caller': `https://people ${subject}` },
    );
    defer(() => client.leave());
    await client.listen();
    await relay.connect(callers.credentialOf(subject, 'relay'));
    return client;
  };
  return { gateway, callers, relay, as };
}

async function subscribe(client: TalkingClient): Promise<void> {
  expect((await client.request('resources/subscribe', { uri: URI }).answer()).result).to.deep.equal({});
}

function connections({ gateway }: Started): number {
  return gateway.log.filter(({ text }) => text === 'server connected').length;
}

async function subscriptions(client: TalkingClient): Promise<readonly string[]> {
  return (await seen(client)).filter((text) => text.includes('subscribe'));
}

/** The process that the client's calls reach has the subscription once, and its updates reach the client. */
async function receives(client: TalkingClient): Promise<void> {
  const isThere = async (): Promise<boolean> => (await subscriptions(client)).length > 0;
  await eventually(isThere, 'the subscription', WITHIN_MS);
  const before = of(UPDATED, client).length;
  await change(client, URI);
  await eventually(() => of(UPDATED, client).length > before, 'the update', WITHIN_MS);
  expect(await subscriptions(client)).to.deep.equal([`subscribe ${URI}`]);
}

async function operate(client: TalkingClient, name: string, args: object = {}): Promise<void> {
  const { result } = await client.call(name, { name: 'relay', ...args }).answer();
  expect(result?.['isError'], JSON.stringify(result)).to.not.equal(true);
}

/** Its answer says that the shared connection, which has no credential, is refused. */
async function restart(client: TalkingClient): Promise<void> {
  const { result } = await client.call('core_service_restart', { name: 'relay' }).answer();
  expect(JSON.stringify(result)).to.include('requires authentication');
}

describe('upstream: subscriptions of the owner of a credential', () => {
  it('continue on the connection with the next secret of the owner', async () => {
    const started = await start();
    const { callers, as } = started;
    const [ann, bob] = [await as('ann'), await as('bob')];
    for (const client of [ann, bob]) await subscribe(client);
    const before = connections(started);
    callers.values.set('ann', { KEY: 'ann-2' });
    for (const client of [ann, bob]) await receives(client);
    expect(connections(started)).to.equal(before + 1);
  });

  it('continue when the owner is connected again after a sign-out', async () => {
    const { relay, callers, as } = await start();
    const [ann, bob] = [await as('ann'), await as('bob')];
    for (const client of [ann, bob]) await subscribe(client);
    await relay.disconnect('ann', true);
    await relay.connect(callers.credentialOf('ann', 'relay'));
    for (const client of [ann, bob]) await receives(client);
  });

  it('continue after a restart of the server, without a call of the owner', async () => {
    const started = await start();
    const [ann, bob] = [await started.as('ann'), await started.as('bob')];
    await subscribe(ann);
    const before = connections(started);
    await restart(bob);
    await eventually(() => connections(started) > before, 'the next connection', WITHIN_MS);
    await receives(ann);
    expect(await subscriptions(bob)).to.deep.equal([]);
  });

  it('wait for the next sign-in after a restart of the server, if the owner has signed out', async () => {
    const started = await start();
    const { relay, callers, as } = started;
    const [ann, bob] = [await as('ann'), await as('bob')];
    for (const client of [ann, bob]) await subscribe(client);
    const held = callers.values.get('ann')!;
    callers.values.delete('ann');
    await relay.disconnect('ann', true);
    const before = connections(started);
    await restart(bob);
    await receives(bob);
    expect(connections(started)).to.equal(before + 1);
    callers.values.set('ann', held);
    await relay.connect(callers.credentialOf('ann', 'relay'));
    await receives(ann);
  });

  it('continue when the plugin that has the credentials was off for a while', async () => {
    const started = await start();
    const { callers, as, gateway } = started;
    const ann = await as('ann');
    await subscribe(ann);
    const file = join(gateway.directory, 'config.yaml');
    const settings = await readFile(file, 'utf8');
    await writeFile(file, settings.replace('{"module":"./callers.mjs"}', 'false'));
    await gateway.control.reload();
    callers.replace();
    const before = connections(started);
    await writeFile(file, settings);
    await gateway.control.reload();
    await eventually(() => connections(started) > before, 'the next connection', WITHIN_MS);
    await receives(ann);
  });

  it('stay where they are when the definition changes in what concerns no connection', async () => {
    const started = await start();
    const ann = await started.as('ann');
    await subscribe(ann);
    const before = connections(started);
    await operate(ann, 'core_mcpserver_update', { description: 'as before' });
    await receives(ann);
    expect(connections(started)).to.equal(before);
  });

  it('end with their session', async () => {
    const { relay, callers, as } = await start();
    const [ann, other] = [await as('ann'), await as('ann')];
    await subscribe(ann);
    await fetch(ann.url, { method: 'DELETE', headers: ann.headers });
    await eventually(
      async () => (await subscriptions(other)).includes(`unsubscribe ${URI}`),
      'the end of the subscription',
    );
    await relay.disconnect('ann', false);
    await relay.connect(callers.credentialOf('ann', 'relay'));
    expect(await subscriptions(other)).to.deep.equal([]);
  });
});
