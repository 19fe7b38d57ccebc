import { expect } from 'chai';
import type { KernelEvent } from '../../../kernel/contracts/events.ts';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import { initialize, listenerUrl } from '../../support/edge.ts';
import { moduleOf } from '../../support/gateway.ts';
import { send } from '../../support/rawHttp.ts';
import type { AdminSite, Fields } from './adminGateway.ts';
import { auditedCalls, openBooth } from './booth.ts';
import { routesOf } from './routesOf.ts';

interface Write {
  /** Name of the call that records it. */
  readonly tool: string;
  readonly params?: Fields;
  readonly fields?: () => Promise<Fields>;
}
const CONFIG = JSON.stringify({
  plugins: { audit: { config: {} }, recorder: { module: './recorder.mjs' } },
});

describe('what the operator changes on the admin pages', () => {
  const events: KernelEvent[] = [];
  const recorder = definePlugin({
    name: 'recorder',
    api: 1,
    configSchema: { type: 'object' },
    apply: (scope) => scope.tap('onEvent', (event) => void events.push(event)),
  });
  let site: AdminSite;

  it('is in the events and in the audit trail as the operator’s, on each route, also if it fails', async () => {
    site = await openBooth({ 'config.yaml': CONFIG, 'recorder.mjs': moduleOf(recorder) });
    const session = async (): Promise<Fields> => {
      await initialize(listenerUrl(site.gateway));
      const { items } = await site.facts<{ items: readonly { id: string }[] }>('/sessions');
      return { id: items[0]?.id ?? '', name: 'booth' };
    };
    const edited = async (): Promise<Fields> => {
      const { text } = await site.facts<{ text: string }>('/mcps/booth/edit');
      return { text: text.replace(/^description: .*$/m, 'description: changed') };
    };
    const booth = { name: 'booth' };
    const grant = { id: 'none', server: 'none' };
    const writes: Readonly<Record<string, Write | undefined>> = {
      'POST /tools/:name': {
        tool: 'x_booth_burn',
        params: { name: 'x_booth_burn' },
        fields: () => Promise.resolve({ confirm: 'yes' }),
      },
      'POST /calls/:id/cancel': { tool: 'admin_call_cancel', params: { id: '999999' } },
      'POST /runs/:id/cancel': { tool: 'core_workflow_execution_cancel', params: { id: 'none' } },
      'POST /sessions/:id/servers/:name/reconnect': { tool: 'core_service_restart', params: await session() },
      'POST /sessions/:id/delete': { tool: 'admin_session_end', params: await session() },
      'POST /config/save': { tool: 'core_config_save' },
      'POST /config/reload': { tool: 'core_config_reload' },
      'POST /grants/:id/refresh': { tool: 'admin_grant_refresh', params: grant },
      'POST /grants/:id/drop': { tool: 'admin_grant_drop', params: grant },
      'POST /sign-ins/:id/end': { tool: 'admin_sign_in_end', params: grant },
      'POST /sign-ins/:id/end-all': { tool: 'admin_sign_ins_end_all', params: grant },
      'DELETE /auth/:server': { tool: 'admin_grants_drop_server', params: grant },
      'DELETE /user-tokens': { tool: 'admin_grants_drop_all' },
      // These only show what a change would do.
      'POST /mcps/new': undefined,
      'POST /mcps/:name/tools': undefined,
      'POST /mcps/:name/edit': undefined,
      'POST /toolsets': undefined,
      'POST /toolsets/write': {
        tool: 'admin_toolsets_write',
        fields: () =>
          Promise.resolve({ text: 'toolsetPresets: { shown: { include: [{ readOnly: true }] } }' }),
      },
      'POST /mcps': {
        tool: 'core_mcpserver_create',
        fields: () => Promise.resolve({ text: '/nowhere/server', name: 'added' }),
      },
      'POST /mcps/:name/write': { tool: 'core_mcpserver_update', params: booth, fields: edited },
      'POST /mcps/:name/restart': { tool: 'core_service_restart', params: booth },
      'POST /mcps/:name/stop': { tool: 'core_service_stop', params: booth },
      'POST /mcps/:name/start': { tool: 'core_service_start', params: booth },
    };
    expect(Object.keys(writes)).members(routesOf().actions);
    for (const [route, write] of Object.entries(writes)) {
      if (write === undefined) continue;
      const { tool, params = {}, fields } = write;
      const [method = '', pattern = ''] = route.split(' ');
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => params[name] ?? '');
      const before = auditedCalls(site, tool).length;
      events.length = 0;
      const body = await fields?.();
      const { status, text } =
        method === 'POST' ? await site.post(path, body) : await send(site.url, { method, path });
      // 204 and 503: without a sign-in there are neither grants nor sign-ins here.
      expect(status, `${route}: ${text}`).oneOf(
        pattern.includes(':id') || method === 'DELETE' ? [204, 303, 404, 503] : [200, 303],
      );
      const lines = auditedCalls(site, tool).slice(before);
      expect(lines, route).have.length(1);
      expect((JSON.parse(lines[0] ?? '') as { event: object }).event).include({ tool, caller: 'operator' });
      const calls = events.flatMap((event) => (event.type === 'call.settled' ? event.call : []));
      const own = calls.filter((call) => call.tool.name === tool);
      expect(
        own.map(({ request }) => [request.transport, request.caller]),
        route,
      ).deep.equal([['admin', undefined]]);
    }
  });
});
