import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/contracts/json.ts';
import { readArguments } from '../../../../plugins/metatools/tools/readArguments.ts';
import { refusalOf } from '../../../support/kernel.ts';
import { boardOf, serverTool } from '../board.ts';
import type { Board } from '../board.ts';

describe('metatools: arguments of the meta-tools', () => {
  let board: Board;
  beforeEach(async () => {
    board = await boardOf({ tools: [serverTool('files', 'read')] });
  });
  const schemas = (): (readonly [string, JsonObject, readonly string[]])[] =>
    board.kernel.catalogue.metaTools().map(({ name, inputSchema }) => {
      const { properties, required = [] } = inputSchema as { properties: JsonObject; required?: string[] };
      return [name, properties, required];
    });
  /** The message with which a tool fails for these arguments; empty if it does not fail. */
  const faultOf = async (name: string, args: JsonObject): Promise<string> => {
    const request = await board.open();
    const failure = await board.kernel.calls.call(name, args, request).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    return failure?.message ?? '';
  };

  it('are rejected when not declared, naming the declared ones', async () => {
    for (const [name, properties] of schemas()) {
      const refusal = await refusalOf(() => board.call(name, { zzz: 1 }));
      expect(refusal.code).to.equal('TOOL_ARGUMENTS');
      const fix =
        'arguments' in properties
          ? 'did you mean arguments: {"zzz": …}?'
          : `it takes ${Object.keys(properties).join(', ') || 'none'}`;
      expect(refusal.message).to.equal(`unknown argument zzz of ${name}; ${fix}`);
    }
  });

  it('are corrected to a near name that is not given', async () => {
    const near = async (name: string, args: JsonObject): Promise<string> =>
      (await refusalOf(() => board.call(name, args))).message;
    expect(await near('filter_tools', { querry: 'echo' })).to.match(
      /argument querry .*did you mean query\?$/,
    );
    expect(await near('list_tools', { limt: 1 })).to.match(/argument limt .*did you mean limit\?$/);
    expect(await near('list_tools', { limit: 5, limt: 1 })).to.match(/; it takes limit, offset, server$/);
  });

  it('are named in a message of bounded length when unknown', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`${at}`.repeat(200), 1]));
    const refusal = await refusalOf(() => board.call('call_tool', many));
    expect(refusal.message.length).to.be.below(2_000);
  });

  it('are ignored when clients add them to every call', async () => {
    const added = { wait_for_previous: true, toolCallId: 'call_1', _meta: { progressToken: 1 } };
    for (const [name, , required] of schemas()) {
      const args = Object.fromEntries(required.map((key) => [key, 'x_files_read']));
      const plain = await faultOf(name, args);
      expect(await faultOf(name, { ...args, ...added }), name).to.equal(plain);
    }
  });

  it('are absent when optional and empty', async () => {
    for (const [name, properties, required] of schemas()) {
      const args = Object.fromEntries(required.map((key) => [key, 'x_files_read']));
      const plain = await faultOf(name, args);
      const optional = Object.keys(properties).filter((key) => !required.includes(key));
      for (const empty of [null, '', {}, []]) {
        const filled = optional.filter((key) => key !== 'toolset' || !Array.isArray(empty));
        const all = { ...args, ...Object.fromEntries(filled.map((key) => [key, empty])) };
        expect(await faultOf(name, all), `${name} ${JSON.stringify(empty)}`).to.equal(plain);
      }
    }
  });

  it('are passed on as the same object when nothing has to be removed', () => {
    const declared = { name: 't', properties: { a: {}, b: {} }, required: ['a'] };
    const args = { a: '', b: 1 };
    expect(readArguments(args, declared)).to.equal(args);
    expect(readArguments({ a: null, b: null }, declared)).to.deep.equal({ a: null });
  });
});
