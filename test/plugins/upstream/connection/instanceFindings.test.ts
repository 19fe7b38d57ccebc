import { expect } from 'chai';
import { readDefinition } from '../../../../plugins/upstream/definition.ts';
import { topicsForInstances } from '../../../../plugins/upstream/connection/topicsForInstances.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { runPegboard } from '../../../support/serve.ts';
import { toldIn } from '../../../support/talkingClient.ts';
import { ASKABLE, Counters, counterDefinition, named } from '../counters.ts';

const DEFINITION = 'mcpservers/counter.yaml';

/** The state of a gateway whose server has asked its client. @param tool that asks */
async function asked(tool = 'x_counter_ask', definition: object = {}): Promise<Directory> {
  const directory = makeDirectory();
  const counters = await Counters.start(definition, { directory: directory.path });
  const client = named(await counters.connect(ASKABLE), 'ann');
  await client.call(tool).answer();
  await counters.gateway.stop();
  return directory;
}

async function check({ path }: Directory, ...more: readonly string[]): Promise<string> {
  const { stdout } = await runPegboard(['check', '--config-path', path, ...more]);
  return stdout.replaceAll(`${path}/`, '');
}

async function recommended(counters: Counters): Promise<unknown> {
  const client = await counters.connect();
  const { metadata } = toldIn(
    await client.call('core_service_status', { name: 'counter' }).answer(),
  ) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return metadata?.['recommended'];
}

describe('upstream: recommended instances', () => {
  it('are a warning of pegboard check, with the place of the definition and what the server asked for', async () => {
    const directory = await asked();
    expect(await check(directory)).to.include(
      `${DEFINITION}:1:1: warning: MCPServer counter: it asked its clients for elicitation; set instances: perSession`,
    );
  });

  it('are not in pegboard check without state, of another server, or of a definition that has decided', async () => {
    const directory = await asked();
    const elsewhere = makeDirectory();
    expect(await check(directory, '--state-path', elsewhere.path)).to.not.include('instances');
    for (const instances of ['perSession', 'perCaller', 'shared']) {
      directory.write(DEFINITION, counterDefinition({ instances }));
      expect(await check(directory), instances).to.not.include('warning: MCPServer counter: it asked');
    }
    directory.write(DEFINITION, counterDefinition({ env: { A: 'b' } }));
    expect(await check(directory)).to.not.include('it asked');
    directory.write(DEFINITION, counterDefinition({}));
    expect(await check(directory)).to.include('it asked');
  });

  it('are remembered for roots that were not offered', async () => {
    const directory = await asked('x_counter_force_roots');
    expect(await check(directory)).to.include('it asked its clients for roots; set instances');
  });

  it('are left out for what its definition does not let it ask', async () => {
    const directory = await asked('x_counter_force_roots', { questions: ['elicitation'] });
    expect(await check(directory)).to.not.include('it asked');
  });

  it('are in the status after a restart, also of a server that does not start by itself', async () => {
    const directory = await asked();
    const path = directory.path;
    const again = await Counters.start({}, { directory: path });
    expect(await recommended(again)).to.include('perSession, because it asks its clients (elicitation)');
    await again.gateway.stop();
    const off = await Counters.start({ autoStart: false }, { directory: path, isConnected: false });
    expect(await recommended(off)).to.include('perSession');
    const client = await off.connect();
    await client.call('core_service_start', { name: 'counter' }).answer();
    await off.gateway.stop();
    expect(await check(directory)).to.include('it asked');
  });

  it('depend on a wire that all calls share, or roots, which a server keeps for all', () => {
    const of = (type: string): readonly string[] =>
      topicsForInstances(readDefinition({ type, timeout: 1 }), ['elicitation', 'sampling', 'roots']);
    expect(['stdio', 'sse', 'streamable-http'].map(of)).to.deep.equal([
      ['elicitation', 'sampling', 'roots'],
      ['elicitation', 'sampling', 'roots'],
      ['roots'],
    ]);
  });

  it('end when the definition names another server', async () => {
    const directory = await asked();
    const counters = await Counters.start({}, { directory: directory.path });
    const client = await counters.connect();
    expect(await recommended(counters)).to.be.a('string');
    await client.call('core_mcpserver_update', { name: 'counter', env: { A: 'b' } }).answer();
    expect(await recommended(counters)).to.equal(undefined);
  });
});
