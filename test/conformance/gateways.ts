import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';

type Json = Readonly<Record<string, unknown>>;

export interface GatewayOver {
  /** Whether to wait until the server is connected. Default: true. */
  readonly isUp?: boolean;
  /** `aggregator.oauth.mcpClient`, if people can sign in at the server. */
  readonly mcpClient?: Json;
  /** `auth` of the definition. */
  readonly auth?: Json;
}

/** A gateway over one server named `conf`. */
export async function gatewayOver(
  server: string,
  { isUp = true, mcpClient, auth }: GatewayOver = {},
): Promise<TestGateway> {
  const gateway = await startGateway({
    files: {
      'config.yaml': JSON.stringify({
        plugins: { metatools: { config: { maxPageBytes: 10_000_000 } } },
        ...(mcpClient !== undefined && { aggregator: { oauth: { mcpClient } } }),
      }),
      'mcpservers/conf.yaml': JSON.stringify({
        type: 'streamable-http',
        url: server,
        timeout: 5,
        questions: ['elicitation', 'sampling', 'roots'],
        ...(auth !== undefined && { auth }),
      }),
    },
  });
  const isConnected = (): boolean => gateway.log.some(({ text }) => text === 'server connected');
  if (isUp) await eventually(isConnected, `a connection to ${server}`, 10_000);
  return gateway;
}
