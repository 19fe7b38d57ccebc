import { expect } from 'chai';
import type { Plugin } from '../../kernel/contracts/plugin.ts';
import type { InboundRequest, Toolset } from '../../kernel/contracts/request.ts';
import { isReply } from '../../kernel/contracts/request.ts';
import type { Handlers } from '../../kernel/contracts/handlers.ts';
import { STAGE } from '../../kernel/contracts/stage.ts';
import { makeKernel, pluginOf, refusalOf, wantedOf } from '../support/kernel.ts';
import { factsOf } from '../support/requests.ts';

function tapping(name: string, handler: Handlers['onRequest'], stage?: number): Plugin {
  return pluginOf(name, (scope) => scope.tap('onRequest', handler, stage));
}
async function gateOf(...plugins: Plugin[]) {
  const { kernel } = makeKernel();
  await kernel.move(wantedOf(...plugins));
  return kernel.gate;
}

describe('Request gate', () => {
  it('opens with the facts of the transport and nothing else', async () => {
    const request = (await (await gateOf()).open(factsOf({ host: 'h' }))) as InboundRequest;
    expect(isReply(request)).to.equal(false);
    expect(request).to.include({ transport: 'test', access: 'caller' });
    expect(request.header('host')).to.equal('h');
    expect([request.caller, request.toolset, request.sessionId]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('gives each request a short id of its own', async () => {
    const gate = await gateOf();
    const open = async (): Promise<string> => ((await gate.open(factsOf())) as InboundRequest).id;
    const ids = [await open(), await open(), await open()];
    expect(new Set(ids).size).to.equal(3);
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{4}-[0-9a-z]+$/);
  });

  it('combines the toolsets that plugins set, in any order', async () => {
    const set = (name: string, toolset: Toolset | undefined): Plugin =>
      tapping(
        name,
        (request) => {
          request.toolset = toolset;
          return undefined;
        },
        STAGE.narrow,
      );
    const selected = async (...plugins: Plugin[]): Promise<readonly string[]> => {
      const request = (await (await gateOf(...plugins)).open(factsOf())) as InboundRequest;
      const links: string[] = [];
      for (let one = request.toolset; one !== undefined; one = one.within) links.push(...one.selectors);
      return links;
    };
    const header: Toolset = { selectors: ['header'], declaredBy: 'header' };
    const path: Toolset = { selectors: ['path'], declaredBy: 'path' };
    const guard: Toolset = { selectors: ['guard'] };
    expect(await selected(set('a', guard))).to.deep.equal(['guard']);
    expect(await selected(set('a', guard), set('b', undefined))).to.deep.equal(['guard']);
    for (const [a, b, c] of [
      [header, path, guard],
      [guard, path, header],
      [path, guard, header],
    ])
      expect(await selected(set('a', a), set('b', b), set('c', c))).to.deep.equal([
        'header',
        'path',
        'guard',
      ]);
  });

  it('runs identify before admit before narrow before the rest, whatever the plugins are called', async () => {
    const ran: string[] = [];
    const note = (word: string) => () => void ran.push(word);
    const gate = await gateOf(
      tapping('a', note('normal')),
      tapping('b', note('narrow'), STAGE.narrow),
      tapping('c', note('admit'), STAGE.admit),
      tapping('d', note('identify'), STAGE.identify),
      tapping('e', note('last'), STAGE.last),
    );
    await gate.open(factsOf());
    expect(ran).to.deep.equal(['identify', 'admit', 'narrow', 'normal', 'last']);
  });

  it('hands the results of one stage to the next', async () => {
    const gate = await gateOf(
      tapping(
        'who',
        (request) => {
          request.caller = { subject: 'ann' };
          return undefined;
        },
        STAGE.identify,
      ),
      tapping('guard', ({ caller }) => (caller === undefined ? { status: 401 } : undefined), STAGE.admit),
    );
    expect(await gate.open(factsOf())).to.have.deep.property('caller', { subject: 'ann' });
  });

  it('ends early with the reply of a tap, and asks no later tap', async () => {
    let later = 0;
    const reply = { status: 401, headers: { 'www-authenticate': 'Bearer' } };
    const gate = await gateOf(
      tapping('guard', () => reply, STAGE.admit),
      tapping('later', () => void (later += 1)),
    );
    const answer = await gate.open(factsOf());
    expect(answer).to.equal(reply);
    expect(isReply(answer)).to.equal(true);
    expect(later).to.equal(0);
  });

  it('does not open when a tap returns something other than a Reply', async () => {
    for (const wrong of [(request: InboundRequest) => request, () => true, () => ({})]) {
      let later = 0;
      const gate = await gateOf(
        tapping('a-wrong', wrong as unknown as Handlers['onRequest'], STAGE.identify),
        tapping('guard', () => void (later += 1), STAGE.admit),
      );
      const error = await refusalOf(() => gate.open(factsOf()));
      expect(error.code).to.equal('PLUGIN_CONTRACT');
      expect(error.message).to.match(
        /^a tap of onRequest of plugin a-wrong returned a value of type (object|boolean) /,
      );
      expect(error.message).to.contain('return { status, headers?, body? } to answer now');
      expect(later).to.equal(0);
    }
  });
});
