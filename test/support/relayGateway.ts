import { hostOverHttp } from '../conformance/fixtureHost.ts';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { relayServer, release } from './relayServer.ts';
import { TalkingClient } from './talkingClient.ts';
import { programAt } from './programs.ts';

/** Run with `stdio`. */
export const RELAY = programAt('test/support/relayServer.ts');

export interface RelayGateway {
  url(): string;
  /** A client that is closed after the test. */
  connect(capabilities?: object): Promise<TalkingClient>;
  /** Makes `web` lose its sessions. */
  forgetSessions(): Promise<void>;
}

/** A gateway for a whole describe with two connected relay servers, `web` over HTTP and `child` over stdio.
 *  @param questions the questions they may ask: all, or those allowed by default */
export function useRelayGateway(questions: 'all' | 'default' = 'all'): RelayGateway {
  let gateway: TestGateway;
  let server: Awaited<ReturnType<typeof hostOverHttp>>;
  const clients: TalkingClient[] = [];
  const asking = questions === 'all' && { questions: ['elicitation', 'sampling', 'roots'] };
  before(async () => {
    server = await hostOverHttp(relayServer);
    gateway = await startGateway({
      files: {
        'config.yaml': '{}',
        'mcpservers/web.yaml': JSON.stringify({ type: 'streamable-http', url: server.url, ...asking }),
        'mcpservers/child.yaml': JSON.stringify({
          type: 'stdio',
          autoStart: true,
          command: [process.execPath, ...RELAY, 'stdio'],
          ...asking,
        }),
      },
    });
    const connected = (): boolean =>
      gateway.log.filter(({ text }) => text === 'server connected').length === 2;
    await eventually(connected, 'both servers', 10_000);
  });
  afterEach(() => {
    release();
    for (const client of clients.splice(0)) client.leave();
  });
  after(async () => {
    await gateway.stop();
    await server.close();
  });
  return {
    url: () => gateway.url(),
    async connect(capabilities = {}) {
      const client = await TalkingClient.connect(gateway.url(), capabilities);
      clients.push(client);
      return client;
    },
    forgetSessions: () => server.forget(),
  };
}
