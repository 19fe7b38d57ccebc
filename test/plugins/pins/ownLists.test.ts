import { expect } from 'chai';
import { askCore } from '../../support/coreTools.ts';
import { bootGateway } from '../../support/gateway.ts';
import { requestOf } from '../../support/requests.ts';
import type { Pending } from './support.ts';

/** A plugin whose server shows each caller another description. */
const SHOWING = `
import { ToolSource } from 'pegboard';
import { ServerDeclarations } from 'pegboard/contracts';
const inputSchema = { type: 'object' };
const lists = new Map();
const listOf = (who) => {
  const declared = { name: 'safe', description: 'For ' + who + '.', inputSchema };
  const tool = { ...declared, name: 'x_own_safe', kind: 'tool', server: 'own', declared, invoke: () => undefined };
  lists.set(who, lists.get(who) ?? [tool]);
  return lists.get(who);
};
const whoIn = (request) => request?.header('x-who') ?? 'all';
export const plugin = {
  name: 'showing',
  api: 1,
  configSchema: { type: 'object' },
  provides: [ToolSource, ServerDeclarations],
  apply(scope) {
    scope.provide(ToolSource, {
      find: (name, request) => (name === 'x_own_safe' ? listOf(whoIn(request))[0] : undefined),
      all: (request) => listOf(whoIn(request)),
      follow: () => () => undefined,
    });
    const of = () => () => [...lists].map(([, [tool]]) => tool.declared);
    scope.provide(ServerDeclarations, { offers: () => [], of });
  },
};`;

describe('plugins/pins: a server that shows each caller something else', () => {
  it('is found for all of them', async () => {
    const gateway = await bootGateway({
      files: {
        'config.yaml': 'plugins: { showing: { module: ./showing.mjs } }\noperators: { local: define }\n',
        'showing.mjs': SHOWING,
      },
      builtIns: ['pins', 'operators'],
    });
    const { catalogue } = gateway.kernel;
    const shownTo = (who: string): string | undefined =>
      catalogue.declared('x_own_safe', requestOf({ 'x-who': who }))?.description;
    const pending = async (): Promise<readonly Pending[]> =>
      (await askCore(gateway, 'core_pins_list'))['pins'] as readonly Pending[];
    for (const who of ['all', 'ann', 'bob', 'all']) expect(shownTo(who)).to.equal(`For ${who}.`);
    const pins = await pending();
    expect(pins.map(({ name, state }) => `${name} ${state}`)).to.deep.equal([
      'x_own_safe changed',
      'x_own_safe changed',
    ]);
    const [{ name, hash } = { name: '', hash: '' }, other] = pins;
    await askCore(gateway, 'core_pins_accept', { name, hash });
    expect((await pending()).map((one) => one.hash)).to.deep.equal([other?.hash]);
  });

  it('cannot hide the first ones by a flood of others', async () => {
    const gateway = await bootGateway({
      files: { 'config.yaml': 'plugins: { showing: { module: ./showing.mjs } }\n', 'showing.mjs': SHOWING },
      builtIns: ['pins'],
    });
    for (const who of ['all', 'ann', ...Array.from({ length: 100 }, (_, at) => `caller${at}`)])
      gateway.kernel.catalogue.declared('x_own_safe', requestOf({ 'x-who': who }));
    const { pins } = (await askCore(gateway, 'core_pins_list', { name: 'x_own_safe' })) as unknown as {
      readonly pins: readonly { readonly changes: unknown }[];
    };
    expect(pins).to.have.length(32);
    expect(JSON.stringify(pins.map(({ changes }) => changes))).to.contain('ann');
  });
});
