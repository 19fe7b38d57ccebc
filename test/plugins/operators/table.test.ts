import { expect } from 'chai';
import type { Caller, InboundRequest } from '../../../kernel/index.ts';
import { answerIn } from '../../support/coreTools.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { requestOf } from '../../support/requests.ts';

/** What each core tool takes, as an operator would expect it: written by hand, and never read from the code. */
const TAKES: Readonly<Record<'use' | 'operate' | 'define', readonly string[]>> = {
  use: [
    ...['core_auth_login', 'core_auth_logout', 'core_events', 'core_server_logs', 'core_service_list'],
    ...['core_service_status', 'core_mcpserver_list', 'core_mcpserver_get', 'core_mcpserver_validate'],
    ...['core_workflow_list', 'core_workflow_get', 'core_workflow_available', 'core_workflow_validate'],
    ...['core_workflow_execution_list', 'core_workflow_execution_get', 'core_workflow_execution_cancel'],
  ],
  operate: [
    ...['core_service_start', 'core_service_stop', 'core_service_restart', 'core_mcpserver_detect'],
    ...['core_config_get', 'core_config_get_aggregator', 'core_config_reload', 'core_audit_verify'],
    'core_pins_list',
  ],
  define: [
    ...['core_mcpserver_create', 'core_mcpserver_update', 'core_mcpserver_delete', 'core_config_save'],
    ...['core_workflow_create', 'core_workflow_update', 'core_workflow_delete'],
    ...['core_config_update_aggregator', 'core_pins_accept'],
  ],
};
const CONFIG = `
aggregator:
  port: 0
  oauth: { mcpClient: { enabled: true, publicUrl: 'http://localhost:1' } }
operators: { groups: [platform] }
access:
  - { groups: ['*'], toolset: ['preset:full'] }
  - { groups: [support], toolset: ['preset:full'], operator: operate }
plugins: { audit: {} }
`;
const person = (...groups: readonly string[]): Caller => ({
  subject: 'bob',
  issuer: 'https://idp.example',
  claims: { groups },
});
const http = (more: Partial<InboundRequest> = {}): Partial<InboundRequest> => ({
  transport: 'http',
  remoteAddress: '127.0.0.1',
  ...more,
});
/** Who, over which surface → what they hold. Without a sign-in, `access` gives nothing over HTTP; see the second table. */
const SIGNED_IN: readonly (readonly [who: string, request: Partial<InboundRequest>, holds: number])[] = [
  ['a person over HTTP', http({ caller: person() }), 1],
  ['a person over SSE', http({ transport: 'sse', caller: person('sales') }), 1],
  ['a person from another machine', http({ remoteAddress: '203.0.113.9', caller: person() }), 1],
  ['a person who operates', http({ caller: person('support') }), 2],
  ['an operator', http({ caller: person('platform') }), 3],
  ['an operator from another machine', http({ remoteAddress: '203.0.113.9', caller: person('platform') }), 3],
  ['an operator on the admin pages', { transport: 'admin', caller: person('platform') }, 3],
  ['a person on the admin pages', { transport: 'admin', caller: person() }, 1],
  ['the local user on standard input and output', { transport: 'stdio' }, 3],
];
const ALONE: typeof SIGNED_IN = [
  ['the user of this machine over HTTP', http(), 3],
  ['the user of this machine over IPv6', http({ remoteAddress: '::1' }), 3],
  ['the command line', http({ header: (name) => ({ 'x-pegboard-client': 'cli' })[name] }), 3],
  ['the admin pages', { transport: 'admin', remoteAddress: '127.0.0.1' }, 3],
  ['standard input and output', { transport: 'stdio' }, 3],
  ['another machine', http({ remoteAddress: '203.0.113.9' }), 1],
  [
    'another machine that says that it is the command line',
    http({ remoteAddress: '203.0.113.9', header: (name) => ({ 'x-pegboard-client': 'cli' })[name] }),
    1,
  ],
  [
    'another machine through a proxy on this one',
    http({ header: (name) => ({ forwarded: 'for=203.0.113.9' })[name] }),
    1,
  ],
];

describe('operators: the table of who may do what', () => {
  let gateway: Gateway;
  const table = (config: string, rows: typeof SIGNED_IN): void => {
    before(async () => {
      gateway = await bootGateway({ builtIns: 'all', files: { 'config.yaml': config, 'state/.keep': '' } });
    });

    it('has every core tool', () => {
      const core = gateway.kernel.catalogue.owned
        .map(({ tool }) => tool)
        .filter(({ kind }) => kind === 'core');
      expect(Object.values(TAKES).flat()).have.members(core.map(({ name }) => name));
    });

    for (const [who, facts, holds] of rows) {
      const request = { ...requestOf(), ...facts };
      const seen = Object.values(TAKES).slice(0, holds).flat();
      const hidden = Object.values(TAKES).slice(holds).flat();

      it(`shows ${who} ${seen.length} of them`, async () => {
        const listed = answerIn((await gateway.kernel.calls.call('list_core_tools', {}, request)).value());
        const names = (listed['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);
        expect(names).have.members(seen);
      });

      if (hidden.length === 0) continue;
      it(`lets ${who} call none of the others, nor describe them`, async () => {
        for (const name of hidden)
          for (const meta of ['call_tool', 'describe_tool']) {
            const failed = await gateway.kernel.calls.call(meta, { name }, request).then(
              (result) => ({ code: undefined, message: JSON.stringify(result.value()) }),
              (error: unknown) => error as { readonly code: string; readonly message: string },
            );
            expect(failed.message, `${meta} ${name}`).contain('operators are those named');
          }
      });
    }
  };
  describe('with a sign-in', () => table(CONFIG, SIGNED_IN));
  describe('without one', () => table(CONFIG.replace(/^access:\n(?: .*\n)*/m, ''), ALONE));
});
