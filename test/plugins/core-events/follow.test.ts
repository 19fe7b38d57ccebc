import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import type { Scope } from '../../../kernel/contracts/plugin.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import type { EventsConfig } from '../../../plugins/core-events/config.ts';
import type { EventEntry } from '../../../plugins/core-events/entryReader.ts';
import { Followers } from '../../../plugins/core-events/followers.ts';
import { Front } from '../../../plugins/contracts/mcp.ts';
import { defer } from '../../support/cleanup.ts';
import { listenerUrl } from '../../support/edge.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { post, statelessCall } from '../../support/stateless.ts';
import { until } from '../../support/until.ts';

function failed({ kernel }: Gateway, server: string): void {
  const message = `MCPServer ${server} operation failed`;
  kernel.emit({ type: 'server.failed', reason: 'MCPServerFailed', server, message, severity: 'Warning' });
}

describe('plugins/core-events: follow', () => {
  it('refuses a request without a session, which could receive no notification', async () => {
    const files = { 'config.yaml': 'aggregator: { port: 0 }\n', 'state/.keep': '' };
    const builtIns = ['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'core-events'];
    const gateway = await bootGateway({ files, builtIns });
    const follow = { name: 'core_events', arguments: { follow: true } };
    const answer = await post(listenerUrl(gateway), statelessCall('call_tool', follow));
    expect(answer.json().result).to.include({ isError: true });
    expect(answer.text).to.contain('follow needs a client with a session');
  });

  it('answers with the page and notifies the session of each later event that passes the filter', async () => {
    const files = { 'config.yaml': 'aggregator: { port: 0 }\n', 'state/.keep': '' };
    const builtIns = ['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'core-events'];
    const gateway = await bootGateway({ files, builtIns });
    const heard: JsonObject[] = [];
    const client = new Client({ name: 'test', version: '1' });
    client.fallbackNotificationHandler = ({ method, params }) => {
      heard.push({ method, ...params });
      return Promise.resolve();
    };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', listenerUrl(gateway))));
    defer(() => client.close());
    failed(gateway, 'a');
    const follow = { name: 'core_events', arguments: { follow: true, resourceName: 'a', until: '1h' } };
    await client.callTool({ name: 'call_tool', arguments: follow });
    await client.callTool({ name: 'call_tool', arguments: follow });
    // The SDK opens its standing stream asynchronously.
    await until(
      () => {
        failed(gateway, 'b');
        failed(gateway, 'a');
        return heard.length > 0;
      },
      { what: 'an event' },
    );
    expect(heard.every(({ resource_name }) => resource_name === 'a')).to.equal(true);
    expect(heard[0]).to.include({
      method: 'notifications/service/event',
      type: 'Warning',
      reason: 'MCPServerFailed',
      resource_type: 'MCPServer',
      message: 'MCPServer a operation failed',
    });
    expect(new Set(heard.map(({ id }) => id)).size, 'each once').to.equal(heard.length);
  });

  it('ends with the session, and the longest one ends when there is one too many', async () => {
    const told: string[] = [];
    let listening = new Set(['a', 'b', 'c']);
    const front = { tell: (id: string) => listening.has(id) && told.push(id) > 0 };
    const scope = {
      config: { maxFollowers: 2, followGraceMs: 100 },
      find: ({ id }: { readonly id: string }) => (id === Front.id ? front : undefined),
      each: () => undefined,
      onStart: () => undefined,
    } as unknown as Scope<EventsConfig>;
    const followers = new Followers(scope);
    const entry = { resource_name: 'a' } as unknown as EventEntry;
    for (const id of ['a', 'b', 'c']) await followers.add(id, { fields: { resource_name: 'a' } });
    followers.tell(entry, 0);
    expect(told.splice(0)).to.deep.equal(['b', 'c']);
    listening = new Set(['b']);
    for (const now of [1_000, 1_100, 1_101]) followers.tell(entry, now);
    listening = new Set(['b', 'c']);
    followers.tell(entry, 1_102);
    expect(told).to.deep.equal(['b', 'b', 'b', 'b']);
  });
});
