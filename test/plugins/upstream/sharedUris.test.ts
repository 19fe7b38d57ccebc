import { expect } from 'chai';
import { ANYONE } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { McpPromptSource, McpResourceSource } from '../../../plugins/contracts/mcp.ts';
import { defer } from '../../support/cleanup.ts';
import { Rig, temporaryFolder, told, until } from './support.ts';

const URI = 'shared://doc';
const PAGE = 'page://{number}';
const PROMPT = 'x_team_greet';

/** A server that offers the shared names, and answers with its own. */
function offering(server: string, more: JsonObject = {}): JsonObject {
  const results = {
    'tools/list': { tools: [{ name: `of_${server}`, inputSchema: {} }] },
    'resources/list': { resources: [{ uri: URI, name: 'doc' }] },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: PAGE, name: 'page' }] },
    'resources/read': { contents: [{ uri: URI, text: `answer of ${server}` }] },
    'prompts/list': { prompts: [{ name: 'greet' }] },
    'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: `answer of ${server}` } }] },
    ...more,
  };
  return told(results, { toolPrefix: 'team' });
}
/** The same server without the shared names. */
function silent(server: string): JsonObject {
  return told(
    { 'tools/list': { tools: [{ name: `of_${server}`, inputSchema: {} }] } },
    { toolPrefix: 'team' },
  );
}

describe('upstream: uris, templates and prompts that several servers offer', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    await rig.configure();
  });
  afterEach(() => rig.stop());

  /** The servers that answer for the uri, a uri of the template, and the prompt. */
  const answering = async (): Promise<readonly (string | undefined)[]> => {
    const [source] = rig.kernel.registry.all(McpResourceSource.id) as readonly McpResourceSource[];
    const [prompts] = rig.kernel.registry.all(McpPromptSource.id) as readonly McpPromptSource[];
    const answers = await Promise.all([
      source?.read(URI, ANYONE, {}),
      source?.read('page://7', ANYONE, {}),
      prompts?.get(PROMPT, {}, ANYONE, {}),
    ]);
    return answers.map((one) => /answer of (\w+)/.exec(one ?? '')?.[1]);
  };
  const isUp = (server: string): Promise<void> => rig.hasTool(`x_team_of_${server}`);
  const ALL_GOOD = ['good', 'good', 'good'];
  const ALL_AAA = ['aaa', 'aaa', 'aaa'];
  const TAKEN = [`resource ${URI}`, `resource template ${PAGE}`, `prompt ${PROMPT}`];

  it('stay with the server that served them first, and are reported at the other', async () => {
    await rig.define({ good: offering('good') });
    await isUp('good');
    await rig.define({ good: offering('good'), aaa: offering('aaa') });
    await isUp('aaa');
    expect(await answering()).deep.equal(ALL_GOOD);
    expect(rig.status('aaa').metadata['takenEntries']).deep.equal(TAKEN);
    expect(rig.status('good').metadata).not.have.property('takenEntries');
    const pair = { winner: 'good', loser: 'aaa' };
    expect(rig.told('tool.collided')).deep.equal([
      { type: 'tool.collided', what: 'resources', name: URI, ...pair },
      { type: 'tool.collided', what: 'resourceTemplates', name: PAGE, ...pair },
      { type: 'tool.collided', what: 'prompts', name: PROMPT, ...pair },
    ]);
    const warned = rig.lines.filter(({ text }) => text.startsWith('two servers offer something'));
    expect(warned.map(({ data }) => [data['winner'], data['loser'], data['names']])).deep.equal([
      ['good', 'aaa', URI],
      ['good', 'aaa', PAGE],
      ['good', 'aaa', PROMPT],
    ]);
  });

  it('are not taken by a server that ran before, but offers them later', async () => {
    await rig.define({ aaa: silent('aaa') });
    await isUp('aaa');
    await rig.define({ aaa: silent('aaa'), good: offering('good') });
    await isUp('good');
    await rig.define({ aaa: offering('aaa'), good: offering('good') });
    await until('aaa offers them', () => rig.status('aaa').metadata['takenEntries'] !== undefined);
    expect(await answering()).deep.equal(ALL_GOOD);
  });

  it('stay through restarts of either server, and while the first is away', async () => {
    await rig.define({ good: offering('good') });
    await isUp('good');
    await rig.define({ good: offering('good'), aaa: offering('aaa') });
    await isUp('aaa');
    for (const server of ['aaa', 'good']) {
      await rig.service(server).restart?.();
      await isUp(server);
      expect(await answering(), server).deep.equal(ALL_GOOD);
    }
    // Its next process does not start.
    const broken = { ...offering('good'), command: ['/nowhere/server'] };
    await rig.define({ good: broken, aaa: offering('aaa') });
    await rig.reaches('good', 'failed');
    await rig.define({ good: offering('good'), aaa: offering('aaa') });
    await isUp('good');
    expect(await answering()).deep.equal(ALL_GOOD);
    expect(rig.told('tool.collided').every((event) => event.winner === 'good')).equal(true);
  });

  it('return to the first if it lists them again', async () => {
    const both = (good: JsonObject) => rig.define({ good, aaa: offering('aaa') });
    await rig.define({ good: offering('good') });
    await isUp('good');
    await both(offering('good'));
    await isUp('aaa');
    const isTaken = (): boolean => rig.status('aaa').metadata['takenEntries'] !== undefined;
    expect(isTaken()).equal(true);
    await both(silent('good'));
    await until('aaa has them', () => !isTaken());
    expect(await answering()).deep.equal(ALL_AAA);
    await both(offering('good'));
    await until('good has them again', isTaken);
    expect(await answering()).deep.equal(ALL_GOOD);
  });

  for (const [what, end] of [
    ['is removed', () => rig.define({ aaa: offering('aaa') })],
    [
      'is stopped',
      () => rig.define({ good: { ...offering('good'), suspended: true }, aaa: offering('aaa') }),
    ],
  ] as const)
    it(`go to the other when the first ${what}, and stay there`, async () => {
      await rig.define({ good: offering('good') });
      await isUp('good');
      await rig.define({ good: offering('good'), aaa: offering('aaa') });
      await isUp('aaa');
      await end();
      expect(await answering()).deep.equal(ALL_AAA);
      expect(rig.status('aaa').metadata).not.have.property('takenEntries');
      await rig.define({ good: offering('good'), aaa: offering('aaa') });
      await until('good is back', () => rig.status('good').metadata['takenEntries'] !== undefined);
      expect(await answering()).deep.equal(ALL_AAA);
    });

  it('are not taken by a template that fits them too, and sorts first', async () => {
    const wide = { resourceTemplates: [{ uriTemplate: 'page://{+all}', name: 'all' }] };
    await rig.define({ good: offering('good') });
    await isUp('good');
    await rig.define({ good: offering('good'), aaa: offering('aaa', { 'resources/templates/list': wide }) });
    await isUp('aaa');
    expect(await answering()).deep.equal(ALL_GOOD);
    await rig.define({ aaa: offering('aaa', { 'resources/templates/list': wide }) });
    expect(await answering()).deep.equal(ALL_AAA);
  });

  it('stay with the first over restarts of Pegboard', async () => {
    const state = temporaryFolder();
    defer(() => state.remove());
    const begin = async (): Promise<void> => {
      await rig.stop();
      rig = new Rig(state.path);
      await rig.configure();
    };
    const all = { aaa: offering('aaa'), bbb: offering('bbb'), good: offering('good') };
    await begin();
    await rig.define({ good: all.good });
    await isUp('good');
    await rig.define({ good: all.good, bbb: all.bbb });
    await isUp('bbb');
    await rig.define(all);
    await isUp('aaa');
    for (const servers of [all, all]) {
      await begin();
      await rig.define(servers);
      expect(await answering()).deep.equal(ALL_GOOD);
      for (const server of ['aaa', 'bbb', 'good']) await isUp(server);
      expect(await answering()).deep.equal(ALL_GOOD);
    }
    await rig.define({ aaa: all.aaa, bbb: all.bbb });
    expect(await answering()).deep.equal(['bbb', 'bbb', 'bbb']);
  });
});
