import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';

/** A gateway over one server named `conf`, connected unless it is meant to be unreachable. */
export async function gatewayOver(server: string, isUp = true): Promise<TestGateway> {
  const gateway = await startGateway({
    files: {
      'config.yaml': 'plugins:\n  metatools:\n    config: { maxPageBytes: 10000000 }\n',
      'mcpservers/conf.yaml': JSON.stringify({
        type: 'streamable-http',
        url: server,
        timeout: 5,
        questions: ['elicitation', 'sampling', 'roots'],
      }),
    },
  });
  const isConnected = (): boolean => gateway.log.some(({ text }) => text === 'server connected');
  if (isUp) await eventually(isConnected, `a connection to ${server}`, 10_000);
  return gateway;
}
