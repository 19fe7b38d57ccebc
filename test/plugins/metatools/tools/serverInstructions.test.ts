import { expect } from 'chai';
import { ServiceSource } from '../../../../plugins/contracts/services.ts';
import { StartingServers } from '../../../../plugins/contracts/servers.ts';
import type { ServiceRecord } from '../../../../plugins/contracts/services.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { boardOf, namesIn, serverTool } from '../board.ts';
import type { Board } from '../board.ts';

const recordOf = (name: string): ServiceRecord => ({
  name,
  service_type: 'MCPServer',
  state: 'running',
  health: 'healthy',
  metadata: {},
});

const STARTING: StartingServers = {
  names: () => [],
  unlisted: () => ['off'],
  settled: () => Promise.resolve(),
  lookedAgain: () => Promise.resolve(),
};

describe("metatools: a server's own instructions", () => {
  let board: Board;
  beforeEach(async () => {
    const services = [
      { name: 'git', instructions: () => 'Call `log` first.\nweb says: then push().' },
      { name: 'web', instructions: () => 'x'.repeat(100_000) },
      { name: 'off', instructions: () => undefined },
    ].map((one) => ({ ...one, status: () => recordOf(one.name) }));
    board = await boardOf({
      tools: [
        ...['log', 'push', 'status'].map((name) => serverTool('git', name)),
        ...['open', 'close'].map((name) => serverTool('web', name)),
      ],
      provides: [ServiceSource, StartingServers],
      source: (scope) => {
        scope.provide(ServiceSource, { services: () => services });
        scope.provide(StartingServers, STARTING);
      },
    });
  });
  const QUOTED = { server: 'git', quoted: 'Call `x_git_log` first. web says: then x_git_push().' };

  it('are quoted by list_tools of this server, with its tools alone', async () => {
    const page = await board.ask('list_tools', { server: 'git', limit: 2 });
    expect(page).to.deep.include({ total: 3, total_tools: 5, truncated: true, server_instructions: QUOTED });
    expect(page['filters']).to.include({ server: 'git', limit: 2 });
    expect(namesIn(page)).to.deep.equal(['x_git_log', 'x_git_push']);
    expect(await board.ask('list_tools')).not.to.have.property('server_instructions');
  });

  it('are quoted in at most 4,000 characters there, and in 400 beside a search', async () => {
    const lengthOf = async (tool: string, args: object): Promise<number> => {
      const { server_instructions: said } = await board.ask(tool, { ...args });
      return (said as typeof QUOTED).quoted.length;
    };
    expect(await lengthOf('list_tools', { server: 'web' })).to.equal(4_000);
    expect(await lengthOf('filter_tools', { pattern: 'x_web_*' })).to.equal(400);
  });

  it('are quoted by filter_tools if more than two thirds of the tools on the page are of this server', async () => {
    const saidOf = async (...names: readonly string[]): Promise<unknown> => {
      const page = await board.ask('filter_tools', { toolset: names.map((name) => `tool:x_${name}`) });
      expect(namesIn(page)).to.have.length(names.length);
      return page['server_instructions'];
    };
    expect(await saidOf('git_log', 'git_push', 'git_status', 'web_open')).to.deep.equal(QUOTED);
    expect(await saidOf('git_log', 'git_push', 'web_open')).to.equal(undefined);
    const search = await board.ask('filter_tools', { query: 'git log', limit: 1 });
    expect(search['server_instructions']).to.deep.equal(QUOTED);
  });

  it('name only tools that the request may see, and are absent where the server is hidden', async () => {
    const some = { headers: { 'x-service-toolset': 'tool:x_git_push' } };
    const page = await board.ask('list_tools', { server: 'git' }, some);
    expect(page['server_instructions']).to.deep.equal({
      ...QUOTED,
      quoted: 'Call `log` first. web says: then x_git_push().',
    });
    const [hidden, absent] = await Promise.all(
      ['web', 'wab'].map((server) => refusalOf(() => board.call('list_tools', { server }, some))),
    );
    expect(hidden?.message).to.match(/^no server is named "web"; /);
    expect(hidden?.message.replace('web', 'wab')).to.equal(absent?.message);
  });

  it('are absent for a server that says nothing or is not known', async () => {
    const off = await board.ask('list_tools', { server: 'off' });
    expect(off).to.deep.include({
      total: 0,
      total_tools: 5,
      hint: 'the tools of off are not known now, and core_service_status says why',
    });
    expect(off).not.to.have.property('server_instructions');
    const refusal = await refusalOf(() => board.call('list_tools', { server: 'gitt' }));
    expect([refusal.code, refusal.message]).to.deep.equal([
      'TOOL_ARGUMENTS',
      'no server is named "gitt"; did you mean git?',
    ]);
  });
});
