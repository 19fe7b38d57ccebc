import { fileURLToPath } from 'node:url';
import { hostOverHttp } from '../conformance/fixtureHost.ts';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { relayServer } from './relayServer.ts';

const RELAY = fileURLToPath(new URL('relayServer.js', import.meta.url));

export interface RelayGateway {
  readonly gateway: TestGateway;
  /** `web` loses its sessions. */
  forgetSessions(): Promise<void>;
  stop(): Promise<void>;
}

/** A gateway in front of the relay server twice, both connected: `web` over HTTP, `child` over stdio. */
export async function startRelayGateway(): Promise<RelayGateway> {
  const server = await hostOverHttp(relayServer);
  const gateway = await startGateway({
    files: {
      'config.yaml': '{}',
      'mcpservers/web.yaml': JSON.stringify({ type: 'streamable-http', url: server.url }),
      'mcpservers/child.yaml': JSON.stringify({
        type: 'stdio',
        autoStart: true,
        command: [process.execPath, RELAY, 'stdio'],
      }),
    },
  });
  const connected = (): boolean => gateway.log.filter(({ text }) => text === 'server connected').length === 2;
  await eventually(connected, 'both servers', 10_000);
  return {
    gateway,
    forgetSessions: () => server.forget(),
    async stop() {
      await gateway.stop();
      await server.close();
    },
  };
}
