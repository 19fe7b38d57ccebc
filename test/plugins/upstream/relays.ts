import { eventually, startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { defer } from '../../support/cleanup.ts';
import { RELAY } from '../../support/relayGateway.ts';
import { TalkingClient } from '../../support/talkingClient.ts';

export const UPDATED = 'notifications/resources/updated';

/** A server that announces on demand, with an instance per session. */
export async function startRelay(config: object = {}): Promise<TestGateway> {
  const definition = { type: 'stdio', autoStart: true, instances: 'perSession' };
  const gateway = await startGateway({
    files: {
      'config.yaml': JSON.stringify({ operators: { local: 'define' }, plugins: { upstream: { config } } }),
      'mcpservers/relay.yaml': JSON.stringify({
        ...definition,
        command: [process.execPath, ...RELAY, 'stdio'],
      }),
    },
  });
  defer(() => gateway.stop());
  await eventually(() => gateway.log.some(({ text }) => text === 'server connected'), 'relay', 10_000);
  return gateway;
}

/** Clients whose standing streams are open. */
export async function two(url: string, capabilities: object = {}): Promise<[TalkingClient, TalkingClient]> {
  const connect = async (): Promise<TalkingClient> => {
    const client = await TalkingClient.connect(url, capabilities);
    defer(() => client.leave());
    await client.listen();
    return client;
  };
  return [await connect(), await connect()];
}

/** What the process of the client's instance has received. */
export function seen(client: TalkingClient): Promise<readonly string[]> {
  return client.told('x_relay_seen') as Promise<readonly string[]>;
}

export function of(method: string, { aside }: TalkingClient): readonly unknown[] {
  return aside.filter((one) => one.method === method).map(({ params }) => params);
}

/** Has the server that a call of the client reaches announce an update. */
export async function change(client: TalkingClient, uri: string): Promise<void> {
  await client.told('x_relay_notify_aside', { method: UPDATED, params: { uri } });
}
