import { expect } from 'chai';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import type { ManagedService, ServiceRecord } from '../../../plugins/contracts/services.ts';
import { HttpListener } from '../../../plugins/contracts/http.ts';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import type { Tool } from '../../../kernel/contracts/call.ts';
import { Cancellation } from '../../../kernel/lib/cancellation.ts';
import { requestOf } from '../../support/requests.ts';
import { askCore } from '../../support/coreTools.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import { gate } from '../../support/until.ts';
import { boot, fakeService, refusal } from './fakeService.ts';

describe('plugins/core-services', () => {
  it('lists the aggregator beside the servers, with counts', async () => {
    const gateway = await boot([
      fakeService('a', 'running').service,
      fakeService('b', 'connected').service,
      fakeService('c', 'failed').service,
    ]);
    const { services, total } = await askCore(gateway, 'core_service_list');
    expect(total).to.equal(4);
    const [aggregator] = (services as ServiceRecord[]).filter(
      ({ service_type }) => service_type === 'Aggregator',
    );
    expect(aggregator).to.include({ name: 'mcp-aggregator', state: 'running', health: 'healthy' });
    expect(aggregator?.metadata).to.include({ port: 4711, tools: 6, servers_total: 3, servers_connected: 2 });
  });

  it('answers the status of one service, and near names when it does not exist', async () => {
    const gateway = await boot([fakeService('github', 'stopped').service]);
    expect(await askCore(gateway, 'core_service_status', { name: 'github' })).to.deep.equal({
      name: 'github',
      service_type: 'MCPServer',
      state: 'stopped',
      health: 'unknown',
      metadata: { autoStart: false },
    });
    expect(await refusal(gateway, 'core_service_status', { name: 'gihub' })).to.equal(
      'SERVICE_NOT_FOUND service gihub not found; did you mean github?',
    );
    expect(await refusal(gateway, 'core_service_start', { name: 'zzz' })).to.contain('core_service_list');
    expect(await refusal(gateway, 'core_service_status', {}))
      .to.contain('TOOL_ARGUMENTS')
      .and.contain('name is required');
  });

  it('starts, stops and restarts, and answers with the resulting state', async () => {
    const { service, heard } = fakeService('a', 'stopped', {
      start: 'running',
      stop: 'stopped',
      restart: 'running',
    });
    const gateway = await boot([service]);
    const started = await askCore(gateway, 'core_service_start', { name: 'a' });
    expect(started).to.deep.include({
      name: 'a',
      operation: 'start',
      status: 'ok',
      state: 'running',
      health: 'unknown',
    });
    expect(started['message']).to.equal("Successfully started service 'a'");
    expect((await askCore(gateway, 'core_service_restart', { name: 'a' }))['message']).to.contain(
      'restarted',
    );
    expect((await askCore(gateway, 'core_service_stop', { name: 'a' }))['state']).to.equal('stopped');
    expect(heard).to.deep.equal(['start', 'restart', 'stop']);
  });

  it('treats a state that is already reached as done, without another order', async () => {
    const running = fakeService('up', 'running');
    const remote = fakeService('remote', 'connected');
    const stopped = fakeService('down', 'stopped');
    const away = fakeService('away', 'disconnected');
    const gateway = await boot([running.service, remote.service, stopped.service, away.service]);
    const words = async (tool: string, name: string): Promise<unknown> =>
      (await askCore(gateway, tool, { name }))['message'];
    expect(await words('core_service_start', 'up')).to.equal("Service 'up' is already running");
    expect(await words('core_service_start', 'remote')).to.equal("Service 'remote' is already running");
    expect(await words('core_service_stop', 'down')).to.equal("Service 'down' is already stopped");
    expect(await words('core_service_stop', 'away')).to.equal("Service 'away' is already stopped");
    expect([...away.heard, ...running.heard, ...remote.heard, ...stopped.heard]).to.deep.equal([]);
  });

  it('fails with the reason when the server did not start, and reports one that is still starting', async () => {
    const failing = fakeService('bad', 'stopped', { start: 'failed' }).service;
    const slow = fakeService('slow', 'stopped', { start: 'starting' }).service;
    const guarded = fakeService('guarded', 'disconnected', { start: 'auth_required' }).service;
    const gateway = await boot([failing, slow, guarded]);
    expect(await refusal(gateway, 'core_service_start', { name: 'bad' })).to.equal(
      'UPSTREAM_UNREACHABLE Failed to start service: bad: spawn ENOENT',
    );
    expect((await askCore(gateway, 'core_service_start', { name: 'slow' }))['message']).to.equal(
      "Service 'slow' is starting",
    );
    expect(await refusal(gateway, 'core_service_start', { name: 'guarded' })).to.equal(
      'UPSTREAM_AUTH_REQUIRED service guarded requires authentication: set headers in its definition',
    );
  });

  it('treats a restart of an unreachable server as done, and reports its state', async () => {
    const { service } = fakeService('away', 'failed', { restart: 'failed' });
    const away: ManagedService = {
      ...service,
      status: () => ({ ...service.status(), metadata: { nextRetryAfter: '2026-01-01T00:00:00.000Z' } }),
    };
    const gateway = await boot([away]);
    const answer = await askCore(gateway, 'core_service_restart', { name: 'away' });
    expect(answer).to.include({ status: 'ok', state: 'failed' });
    expect(answer['message']).to.equal(
      "Restarted service 'away', and it is failed: spawn ENOENT; the next attempt is at 2026-01-01T00:00:00.000Z",
    );
  });

  it('stops the aggregator only when confirmed, names the ways back, and starts and restarts it', async () => {
    const heard: string[] = [];
    let isShut = false;
    const hear = (word: string, next: boolean): void => {
      heard.push(word);
      isShut = next;
    };
    const listener: HttpListener = {
      url: () => undefined,
      isShut: () => isShut,
      share: () => [],
      shut: () => hear('shut', true),
      reopen: () => {
        hear('reopen', false);
        return Promise.resolve();
      },
    };
    const http = definePlugin({
      name: 'listener',
      api: 1,
      configSchema: { type: 'object' },
      provides: [HttpListener],
      apply: (scope) => scope.provide(HttpListener, listener),
    });
    const gateway = await bootGateway({
      builtIns: ['core-services'],
      files: {
        'config.yaml': 'plugins: { listener: { module: ./listener.mjs } }\n',
        'listener.mjs': moduleOf(http),
      },
    });
    const name = 'mcp-aggregator';
    const ask = (verb: string, more: JsonObject = {}): Promise<JsonObject> =>
      askCore(gateway, `core_service_${verb}`, { name, ...more });
    const said = await refusal(gateway, 'core_service_stop', { name });
    expect(said).to.match(/^TOOL_ARGUMENTS .*config\.yaml.*SIGHUP.*"confirm": true/);
    expect((await ask('restart'))['message']).to.equal("Successfully restarted service 'mcp-aggregator'");
    const stopped = await ask('stop', { confirm: true });
    expect(stopped).to.include({ state: 'stopped', health: 'unknown' });
    expect(stopped['message']).to.match(/^Successfully stopped .*edit config\.yaml, or send SIGHUP/);
    expect((await ask('stop', { confirm: true }))['message']).to.contain('is already stopped');
    expect(await ask('start')).to.include({ state: 'running' });
    expect(heard).to.deep.equal(['reopen', 'shut', 'reopen']);
  });

  it('refuses to stop or restart the aggregator without a listener, as over stdio', async () => {
    const gateway = await boot();
    const started = await askCore(gateway, 'core_service_start', { name: 'mcp-aggregator' });
    expect(started['message']).to.equal("Service 'mcp-aggregator' is already running");
    for (const verb of ['stop', 'restart']) {
      expect(await refusal(gateway, `core_service_${verb}`, { name: 'mcp-aggregator' })).to.contain(
        'SERVICE_UNSUPPORTED',
      );
    }
  });

  it('stops waiting when the caller leaves, and still carries the order out', async () => {
    const ended = gate();
    const { service } = fakeService('a', 'stopped');
    const gateway = await boot([{ ...service, start: () => ended.opened }]);
    const cancel = new Cancellation();
    const entry: Tool = {
      name: 'entry',
      kind: 'meta',
      description: '',
      inputSchema: {},
      invoke: (_, call) => call.child('core_service_start', { name: 'a' }),
    };
    gateway.kernel.catalogue.add('test', entry);
    const call = gateway.kernel.calls
      .call('entry', {}, requestOf(), { cancel })
      .catch((error: unknown) => error);
    cancel.cancel('the client left');
    expect(String(await call)).to.contain('the client left');
    ended.open();
  });
});
