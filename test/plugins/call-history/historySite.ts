import { GatewayError, textResult } from '../../../kernel/index.ts';
import type { Plugin, Tool } from '../../../kernel/index.ts';
import { listenerUrl, toolsPlugin } from '../../support/edge.ts';
import { callCore } from '../../support/coreTools.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import { TalkingClient } from '../../support/talkingClient.ts';
import { siteAt } from '../admin/adminGateway.ts';
import type { AdminSite } from '../admin/adminGateway.ts';

export interface ShownCall {
  readonly id: string;
  readonly ended: string;
  readonly tool: string;
  readonly server?: string;
  readonly code: string;
  readonly isRefused?: true;
  readonly error?: string;
  readonly bytes?: number;
  readonly session?: string;
  readonly request?: string;
  readonly args?: string;
  readonly result?: string;
}
export interface CallList {
  readonly calls: { readonly total: number; readonly from: number; readonly items: readonly ShownCall[] };
  readonly errors: number;
  readonly gaps: readonly { readonly lost: number }[];
}
export interface HistorySite extends AdminSite {
  readonly directory: Directory;
  /** Calls a tool past a meta-tool, as clients do; errors are part of the test. */
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<void>;
  calls(query?: string): Promise<CallList>;
  connect(): Promise<TalkingClient>;
}

/** So that no line of a test can be mistaken for it. */
export const SECRET = 'hunter2-of-the-shop';

const tool = (name: string, invoke: Tool['invoke']): Tool => ({
  name: `x_shop_${name}`,
  kind: 'tool',
  server: 'shop',
  description: name,
  inputSchema: { type: 'object', properties: { id: { type: 'string' }, password: { type: 'string' } } },
  annotations: { readOnlyHint: true },
  invoke,
});
const shop: Plugin = toolsPlugin('shop', [
  tool('get', ({ id }) => textResult(`order ${String(id)}`)),
  tool('pay', ({ password }) => textResult(`the bank answered 503, ${String(password)}`, true)),
  tool('deny', (args) => textResult(`denied: ${JSON.stringify(args)}`, true)),
  tool('gone', () => {
    throw new GatewayError('UPSTREAM_CLOSED', `the connection ended with ${SECRET}`);
  }),
]);
const SERVER = JSON.stringify({
  type: 'stdio',
  command: ['/none'],
  autoStart: false,
  env: { SHOP_PASSWORD: SECRET, SHOP_TOKEN: '${file:./token}' },
});

/** A gateway with the admin pages, and tools of a shop. @param directory of a former one: its state is there */
export async function openHistory(
  config: object | false = {},
  directory: Directory = makeDirectory(),
): Promise<HistorySite> {
  const plugins = { shop: { module: './shop.mjs' }, 'call-history': config === false ? false : { config } };
  directory.write('shop.mjs', moduleOf(shop));
  directory.write('mcpservers/shop.yaml', SERVER);
  directory.write('config.yaml', JSON.stringify({ plugins }));
  const aggregator = { host: '127.0.0.1', port: 0, admin: { enabled: true, port: 0 } };
  const gateway = await bootGateway({ builtIns: 'all', directory, aggregator });
  const site = siteAt(gateway);
  return {
    ...site,
    directory,
    call: async (name, args = {}) => {
      await callCore(gateway, name, args).catch(() => undefined);
    },
    calls: (query = '') => site.facts<CallList>(`/calls?${query}`),
    connect: async () => {
      const client = await TalkingClient.connect(listenerUrl(gateway));
      defer(() => client.leave());
      return client;
    },
  };
}
