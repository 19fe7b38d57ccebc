import { expect } from 'chai';
import type { JsonSchema } from '../../kernel/index.ts';
import { answerIn } from '../support/coreTools.ts';
import { bootGateway } from '../support/gateway.ts';
import type { Gateway } from '../support/gateway.ts';
import { requestOf } from '../support/requests.ts';

/** Annotations as the interface has them, R(ead only) D(estructive) I(dempotent) O(pen world), then its arguments, `!` after
 *  required ones. Source: requirement core.annotations. */
const TOOLS: Readonly<Record<string, string>> = {
  core_workflow_list: 'R-I-',
  core_workflow_get: 'R-I- name!',
  core_workflow_validate: 'R-I- name! steps! args description',
  core_workflow_available: 'R-I- name!',
  core_workflow_execution_list: 'R-I- limit offset status workflow_name',
  core_workflow_execution_get: 'R-I- execution_id! include_steps step_id',
  core_workflow_create: '---- name! steps! description args',
  core_workflow_update: '-DI- name! steps args description',
  core_workflow_delete: '-D-- name!',
  core_service_list: 'R-I-',
  core_service_status: 'R-I- name!',
  core_service_start: '--I- name!',
  core_service_stop: '-DI- name!',
  core_service_restart: '-D-- name!',
  core_config_get: 'R-I-',
  core_config_get_aggregator: 'R-I-',
  core_config_update_aggregator: '-DI- aggregator!',
  core_config_save: '-DI-',
  core_config_reload: '-DI-',
  core_mcpserver_list: 'R-I-',
  core_mcpserver_get: 'R-I- name!',
  core_mcpserver_validate: 'R-I- name! type! description command env autoStart',
  core_mcpserver_detect: 'R-IO url! headers timeout',
  core_mcpserver_create: '---- name! type! description command args url env headers timeout autoStart',
  core_mcpserver_update: '-DI- name! type description command env autoStart suspended restartRequestedAt',
  core_mcpserver_delete: '-D-- name!',
  core_events: 'R-I-',
  core_auth_login: 'R-IO server!',
  core_auth_logout: '--I- server!',
};
const DEFAULTS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  core_workflow_execution_list: { limit: 50, offset: 0 },
  core_workflow_execution_get: { include_steps: true },
  core_mcpserver_detect: { timeout: 10 },
  core_mcpserver_create: { timeout: 30 },
};
/** Values of an argument. */
const ENUMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core_workflow_execution_list: { status: ['running', 'completed', 'failed', 'cancelled'] },
  core_mcpserver_create: { type: ['stdio', 'streamable-http', 'sse', 'auto'] },
  core_mcpserver_validate: { type: ['stdio', 'streamable-http', 'sse', 'auto'] },
};
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** A missing hint is not `false`: MCP has other defaults. */
function letterFor(hint: boolean | undefined, at: number): string {
  return hint === true ? 'RDIO'[at]! : hint === false ? '-' : '?';
}

describe('core tools', () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await bootGateway({
      builtIns: 'all',
      files: { 'config.yaml': 'aggregator: { port: 0 }\n', 'state/.keep': '' },
    });
  });

  it('are those of the interface; additional ones have all four annotations', () => {
    const names = gateway.kernel.catalogue.owned
      .map(({ tool }) => tool)
      .filter(({ kind }) => kind === 'core')
      .map(({ name }) => name);
    expect(names).include.members(Object.keys(TOOLS));
    for (const name of names)
      expect(gateway.kernel.catalogue.shared(name)?.annotations, name).have.all.keys(...HINTS);
  });

  it('cost an agent that lists all of them 8 KB', async () => {
    const result = await gateway.kernel.calls.call('list_core_tools', {}, requestOf());
    const answer = answerIn(result.value());
    expect(answer['total']).at.least(Object.keys(TOOLS).length);
    expect(Buffer.byteLength(JSON.stringify(answer))).at.most(8_192);
  });

  for (const name of ['core_workflow_create', 'core_workflow_update', 'core_workflow_validate'])
    it(`${name} costs an agent that describes it 4 KB, an example included`, async () => {
      const result = await gateway.kernel.calls.call('describe_tool', { name }, requestOf());
      const text = String(result.value().content[0]?.['text']);
      expect(Buffer.byteLength(text)).at.most(4_096);
      expect(text).to.contain('"examples":[{"name":"read-all"');
    });

  for (const [name, facts] of Object.entries(TOOLS)) {
    it(`${name} has the annotations and arguments of the interface`, () => {
      const [letters = '', ...wanted] = facts.split(' ');
      const tool = gateway.kernel.catalogue.shared(name);
      expect(HINTS.map((hint, at) => letterFor(tool?.annotations?.[hint], at)).join('')).equal(letters);
      const { properties = {}, required = [] } = (tool?.inputSchema ?? {}) as JsonSchema & {
        readonly properties?: Readonly<
          Record<string, { readonly default?: unknown; readonly enum?: unknown }>
        >;
        readonly required?: readonly string[];
      };
      expect(required).have.members(
        wanted.filter((one) => one.endsWith('!')).map((one) => one.replace('!', '')),
      );
      expect(Object.keys(properties)).include.members(wanted.map((one) => one.replace('!', '')));
      for (const [key, value] of Object.entries(DEFAULTS[name] ?? {}))
        expect(properties[key]?.default, key).equal(value);
      for (const [key, words] of Object.entries(ENUMS[name] ?? {}))
        expect(properties[key]?.enum, key).deep.equal(words);
    });
  }
});
