import { expect } from 'chai';
import { ServiceSource } from '../../../plugins/contracts/services.ts';
import { McpResourceSource } from '../../../plugins/contracts/mcp.ts';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import { requestOf } from '../../support/requests.ts';

const STDIO = 'type: stdio\ncommand: node\n';
const SERVICES = {
  up: { state: 'running' },
  locked: { state: 'auth_required', error: 'sign in' },
};

describe('plugins/core-mcpservers: auth://status', () => {
  it('shows the sign-in state of each server, and notifies of changes', async () => {
    const upstream = definePlugin({
      name: 'fake-upstream',
      api: 1,
      configSchema: { type: 'object' },
      provides: [ServiceSource],
      apply(scope) {
        const services = Object.entries(SERVICES).map(([name, facts]) => ({
          name,
          status: () => ({
            name,
            service_type: 'MCPServer' as const,
            health: 'unknown',
            metadata: {},
            ...facts,
          }),
        }));
        scope.provide(ServiceSource, { services: () => services });
      },
    });
    const { kernel } = await bootGateway({
      builtIns: ['store-file', 'core-mcpservers'],
      files: {
        'config.yaml': 'plugins: { fake-upstream: { module: ./fake.mjs } }\n',
        'fake.mjs': moduleOf(upstream),
        'mcpservers/up.yaml': STDIO,
        'mcpservers/locked.yaml': STDIO,
        'mcpservers/down.yaml': STDIO,
        'mcpservers/asleep.yaml': `${STDIO}suspended: true\n`,
      },
    });
    const [source] = kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const request = requestOf();
    expect(source?.resources(request)).to.have.length(1);
    const answer = JSON.parse((await source?.read('auth://status', request, {})) ?? '{}') as {
      readonly contents: readonly { readonly text: string }[];
    };
    expect(JSON.parse(answer.contents[0]?.text ?? '')).to.deep.equal({
      servers: [
        { name: 'asleep', status: 'disconnected', suspended: true },
        { name: 'down', status: 'disconnected' },
        { name: 'locked', status: 'auth_required', error: 'sign in' },
        { name: 'up', status: 'connected' },
      ],
    });
    expect(source?.read('auth://other', request, {})).to.equal(undefined);

    let updates = 0;
    const end = await source?.subscribe?.('auth://status', request, () => (updates += 1));
    kernel.emit({ type: 'server.stateChanged', server: 'up', state: 'failed', health: 'unhealthy' });
    kernel.emit({ type: 'catalogue.changed' });
    end?.();
    kernel.emit({ type: 'server.stateChanged', server: 'up', state: 'ready', health: 'healthy' });
    expect(updates).to.equal(1);
  });
});
