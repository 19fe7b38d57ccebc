import { expect } from 'chai';
import { GatewayError, definePlugin } from '../../../../kernel/index.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { textResult } from '../../../../kernel/lib/results.ts';
import { groupFamily } from '../../../../plugins/upstream/offer/families.ts';
import type { ToolEntry } from '../../../../plugins/upstream/offer/toolEntry.ts';
import { callCore } from '../../../support/coreTools.ts';
import { refusalOf, toolOf } from '../../../support/kernel.ts';
import { Rig, hostile } from '../support.ts';

const FAMILY = { name: 'fleet', instanceArg: 'instance' };
const member = (more: JsonObject = {}): JsonObject => hostile('plain', { family: FAMILY, ...more });

describe('upstream: families of servers', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    await rig.configure();
  });
  afterEach(() => rig.stop());

  const messageOf = async (args: JsonObject): Promise<string> =>
    (await rig.refusal('x_fleet_echo', args)).message;
  const serversOf = (name: string): unknown => {
    const schema = rig.kernel.catalogue.shared(name)?.inputSchema as
      { properties?: { instance?: { enum?: unknown } } } | undefined;
    return schema?.properties?.instance?.enum;
  };

  it('offers a tool of several servers once, and calls the one that is named', async () => {
    await rig.define({ b: member(), a: member(), other: hostile() });
    await rig.hasTool('x_other_echo');
    await rig.hasTool('x_fleet_echo');
    await rig.reaches('a', 'running');
    await rig.reaches('b', 'running');
    expect(rig.tools().filter((name) => /^x_[ab]_/.test(name))).to.deep.equal([]);
    const tool = rig.kernel.catalogue.shared('x_fleet_echo');
    expect(tool).to.include({ server: 'fleet', description: 'does echo (available on servers: a, b)' });
    expect(tool?.inputSchema).to.deep.equal({
      type: 'object',
      properties: {
        instance: {
          type: 'string',
          enum: ['a', 'b'],
          description: 'Target instance to execute this tool on. Available: a, b',
        },
      },
      required: ['instance'],
    });
    const [a, b] = [
      await rig.text('x_fleet_pid', { instance: 'a' }),
      await rig.text('x_fleet_pid', { instance: 'b' }),
    ];
    expect(a).to.not.equal(b);
    expect(await rig.text('x_fleet_echo', { instance: 'b', message: 'hi' })).to.equal('hi');
    expect(rig.status('a').metadata).to.deep.include({ tools: 16, family: FAMILY });
    expect(rig.status('a').metadata).to.not.have.property('collisions');
    expect(await messageOf({})).to.equal(
      'tool x_fleet_echo is provided by a family on servers a, b; the "instance" parameter is required',
    );
    expect(await messageOf({ instance: 'c' })).to.equal(
      'tool x_fleet_echo is not available on server "c" (available: a, b)',
    );
  });

  it('lets guards see the server that a call is for, so that its rules apply', async () => {
    const guard = definePlugin({
      name: 'guard',
      api: 1,
      configSchema: {},
      apply: (scope) =>
        scope.tap('onCall', ({ tool, args }) => {
          if (tool.server === 'a')
            throw new GatewayError('TOOL_DENIED', `${tool.name} ${JSON.stringify(args)}`);
        }),
    });
    await rig.configure({}, [guard]);
    await rig.define({ b: member(), a: member() });
    await rig.reaches('a', 'running');
    await rig.reaches('b', 'running');
    const { content } = await callCore(rig, 'x_fleet_echo', { instance: 'b', message: 'hi' });
    expect(content[0]?.['text']).to.equal('hi');
    const refusal = await refusalOf(() => callCore(rig, 'x_fleet_echo', { instance: 'a', message: 'hi' }));
    expect(refusal.message).to.equal('x_a_echo {"message":"hi"}');
  });

  it('follows its members as they are added and removed, and is not found once none is left', async () => {
    await rig.define({ a: member(), b: member() });
    await rig.reaches('a', 'running');
    await rig.reaches('b', 'running');
    expect(serversOf('x_fleet_echo')).to.deep.equal(['a', 'b']);
    await rig.define({ a: member(), b: member({ suspended: true }) });
    await rig.reaches('b', 'stopped');
    expect(serversOf('x_fleet_echo')).to.deep.equal(['a']);
    expect(await messageOf({ instance: 'b' })).to.contain('not available on server "b"');
    await rig.define({ a: hostile(), b: member({ suspended: true }) });
    await rig.hasTool('x_a_echo');
    expect(rig.kernel.catalogue.shared('x_fleet_echo')).to.equal(undefined);
    expect(rig.refused('x_fleet_echo')).to.equal('');
  });

  it('gives each server its own tools when they disagree on the argument', async () => {
    await rig.define({ a: member(), b: member({ family: { ...FAMILY, instanceArg: 'other' } }) });
    await rig.hasTool('x_a_echo');
    await rig.hasTool('x_b_echo');
    expect(rig.kernel.catalogue.shared('x_fleet_echo')).to.equal(undefined);
  });

  it('adopts the argument that its only server names now', async () => {
    await rig.define({ a: member() });
    await rig.hasTool('x_fleet_echo');
    await rig.define({ a: member({ family: { ...FAMILY, instanceArg: 'other' } }) });
    expect(rig.kernel.catalogue.shared('x_fleet_echo')?.inputSchema).to.have.nested.property(
      'properties.other',
    );
    expect(await rig.text('x_fleet_echo', { other: 'a', message: 'hi' })).to.equal('hi');
  });

  it('leaves a tool to its servers when they declare it differently, or when it has such an argument itself', () => {
    const entry = (
      server: string,
      own: string,
      description: string,
      properties: JsonObject = {},
    ): ToolEntry => ({
      server,
      own,
      tool: toolOf(`x_${server}_${own}`, {
        description,
        inputSchema: { type: 'object', properties },
        invoke: () => textResult(server),
      }),
      text: '',
      excluded: undefined,
      isOwn: true,
    });
    const groups = groupFamily([
      { family: FAMILY, entries: [entry('b', 'same', 's'), entry('b', 'odd', '1'), entry('b', 'only', 'o')] },
      {
        family: FAMILY,
        entries: [
          entry('a', 'same', 's'),
          entry('a', 'odd', '2'),
          entry('a', 'taken', 't', { instance: {} }),
        ],
      },
    ]);
    expect([...groups].map(([own, entries]) => [own, entries.map(({ server }) => server)])).to.deep.equal([
      ['same', ['a', 'b']],
      ['only', ['b']],
    ]);
  });
});

describe('upstream: lists of tools in a definition', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    await rig.configure();
  });
  afterEach(() => rig.stop());

  it('hide tools in excludeTools and tools missing from includeTools, and report them', async () => {
    await rig.define({ s: hostile('plain', { includeTools: ['e*', 'pid'], excludeTools: ['env'] }) });
    await rig.hasTool('x_s_echo');
    expect(rig.refused('x_s_echo')).to.equal('');
    expect(rig.refused('x_s_pid')).to.equal('');
    expect(rig.refused('x_s_env')).to.equal(
      'TOOL_DENIED: tool env is left out by env in excludeTools of server s; change the lists with core_mcpserver_update',
    );
    expect(rig.refused('x_s_die')).to.contain('tool die is not in includeTools of server s');
    // Called directly, as a step of a workflow is, without asking the decision layers.
    expect(await rig.refusal('x_s_die')).to.include({ code: 'TOOL_DENIED' });
    expect(rig.status('s').metadata).to.include({ excludedTools: 13 });
    const pid = await rig.text('x_s_pid');
    await rig.define({ s: hostile('plain', { excludeTools: ['pid'] }) });
    expect(rig.refused('x_s_env')).to.equal('');
    expect(rig.refused('x_s_pid')).to.contain('TOOL_DENIED');
    await rig.define({ s: hostile() });
    expect(await rig.text('x_s_pid'), 'the same process').to.equal(pid);
  });
});
