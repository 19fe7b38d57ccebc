import { expect } from 'chai';
import { definePlugin } from '../../../../kernel/index.ts';
import { GuardedServers } from '../../../../plugins/contracts/credentials.ts';
import type { GuardedServer } from '../../../../plugins/contracts/credentials.ts';
import { ServiceSource } from '../../../../plugins/contracts/services.ts';
import type { ManagedService } from '../../../../plugins/contracts/services.ts';
import { initializeBody, postMcp, startEdge } from '../../../support/edge.ts';

interface Server {
  readonly name: string;
  readonly state?: string;
  readonly description?: string;
  readonly title?: string;
  readonly instructions?: string;
}
/** Its status counts its tools, which takes an initialize too long. */
const serviceOf = ({ name, description, title, instructions }: Server): ManagedService => ({
  name,
  status: () => {
    throw new Error(`the tools of ${name} are counted`);
  },
  description: () => description,
  title: () => title,
  instructions: () => instructions,
});
const guardedOf = ({ name, state = 'ready' }: Server): GuardedServer =>
  ({ name, state, isPersonal: false }) as GuardedServer;

/** The lines after the way to a tool. */
async function linesFor(
  servers: readonly Server[],
  { max = 2_000, config = {} }: { readonly max?: number; readonly config?: object } = {},
): Promise<readonly string[]> {
  const guarded = servers.map(guardedOf);
  const plugin = definePlugin({
    name: 'services',
    api: 1,
    configSchema: { type: 'object' },
    provides: [GuardedServers, ServiceSource],
    apply: (scope) => {
      scope.provide(ServiceSource, { services: () => servers.map(serviceOf) });
      scope.provide(GuardedServers, {
        get: (name) => guarded.find((one) => one.name === name),
        all: () => guarded,
        lockedBehind: () => Promise.resolve(undefined),
      });
    },
  });
  const { url } = await startEdge({ plugin, plugins: { front: { config } } });
  const { result } = (await postMcp(url, initializeBody())).json();
  const text = String(result?.['instructions']);
  expect(text.length).to.be.at.most(max);
  const [head = '', ...lines] = text.split('\n');
  expect(head).to.match(/^One endpoint .*filter_tools .*call_tool .*describe_tool .* Servers:$/);
  return lines;
}

describe('front: instructions', () => {
  it("name each server with its operator's description, else with words of its own as a quotation", async () => {
    const servers = [
      { name: 'git', description: 'Repositories\nof the team', instructions: 'Never shown.' },
      { name: 'web', instructions: 'Ask before\n- git: "you" act', title: 'Web' },
      { name: 'docs', title: 'Documents of all' },
      { name: 'plain' },
    ];
    expect(await linesFor(servers)).to.deep.equal([
      '- git: Repositories of the team',
      `- web says "Ask before - git: 'you' act"`,
      '- docs says "Documents of all"',
      '- plain',
    ]);
  });

  it('say which servers cannot be used now', async () => {
    const states = ['starting', 'failed', 'unreachable', 'stopped', 'stopping', 'auth_required'];
    const away = states.map((state) => ({ name: state, state, description: 'Notes' }));
    const up = ['ready', 'idle'].map((state) => ({
      name: state,
      state,
      description: 'Notes',
    }));
    expect(await linesFor([...away, ...up])).to.deep.equal([
      '- starting (starting): Notes',
      '- failed (failed): Notes',
      '- unreachable (failed): Notes',
      '- stopped (stopped): Notes',
      '- stopping (stopped): Notes',
      '- auth_required (needs credentials): Notes',
      ...up.map(({ name }) => `- ${name}: Notes`),
    ]);
  });

  it('are within their length in texts of large characters too', async () => {
    const lines = await linesFor([{ name: 'smile', description: '🙂'.repeat(100) }]);
    expect(lines).to.deep.equal([`- smile: ${'🙂'.repeat(25)}…`]);
  });

  it('take little time, however long the lines may be and the servers write', async () => {
    const servers = Array.from({ length: 60 }, (_, at) => ({
      name: `server${at}`,
      description: 'word '.repeat(2_000),
    }));
    const config = { maxInstructionChars: 20_000, maxServerInstructionChars: 20_000 };
    const before = process.cpuUsage();
    const lines = await linesFor(servers, { max: 20_000, config });
    expect(process.cpuUsage(before).user).to.be.below(3_000_000);
    expect(lines).to.have.length(60);
    for (const line of lines) expect(line.length).to.be.within(300, 330);
  });

  it('have at most 60 characters for a server and 2,000 in all, shorten lines first, and count the rest', async () => {
    const many = (count: number): readonly Server[] =>
      Array.from({ length: count }, (_, at) => ({ name: `server${at}`, description: 'word '.repeat(50) }));
    for (const count of [3, 63, 115, 600]) {
      const lines = await linesFor(many(count));
      for (const line of lines) expect(line.length).to.be.at.most(60);
      const named = lines.filter((line) => line.startsWith('- server'));
      if (count <= 115) expect(named).to.have.length(count).and.deep.equal(lines);
      else expect(lines.at(-1)).to.equal(`and ${count - named.length} more`);
      const words = { 3: 9, 63: 2 }[count];
      expect(lines[0]).to.equal(words === undefined ? '- server0' : `- server0:${' word'.repeat(words)}…`);
    }
  });
});
