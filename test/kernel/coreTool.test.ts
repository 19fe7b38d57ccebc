import { expect } from 'chai';
import type { JsonObject } from '../../kernel/contracts/json.ts';
import type { Call } from '../../kernel/contracts/call.ts';
import { coreTool } from '../../kernel/coreTool.ts';
import { textResult } from '../../kernel/lib/results.ts';
import { refusalOf } from '../support/kernel.ts';

const CALL = {} as Call;
const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string' }, count: { type: 'number', default: 3 } },
};

describe('coreTool', () => {
  it('reads only and takes no arguments unless told otherwise', async () => {
    const tool = coreTool({ name: 'core_a', description: 'A', run: () => textResult('done') });
    expect(tool).to.include({ name: 'core_a', kind: 'core', description: 'A' });
    expect(tool.annotations).to.include({ readOnlyHint: true, destructiveHint: false });
    expect((await tool.invoke({}, CALL)).json).to.include('done');
    const { code, message } = await refusalOf(() => tool.invoke({ more: 1 }, CALL));
    expect(`${code} ${message}`).to.match(/^TOOL_ARGUMENTS arguments of core_a: unknown key "more"/);
  });

  it('checks the arguments against the schema and fills in its defaults', async () => {
    const run = (args: JsonObject) => textResult(JSON.stringify(args));
    const tool = coreTool({ name: 'core_a', description: 'A', schema: SCHEMA, run });
    const { content } = (await tool.invoke({ name: 'x' }, CALL)).value();
    expect(content[0]!['text']).to.equal('{"name":"x","count":3}');
    expect((await refusalOf(() => tool.invoke({}, CALL))).message).to.include('name is required');
  });

  it('leaves the check to `read` when there is one, and runs with what that returns', async () => {
    const read = ({ name }: JsonObject) => `read ${String(name)}`;
    const run = (name: string) => textResult(name);
    const tool = coreTool({ name: 'core_a', description: 'A', schema: SCHEMA, read, run });
    expect(tool.inputSchema).to.equal(SCHEMA);
    expect((await tool.invoke({ name: 1, more: 2 }, CALL)).json).to.include('read 1');
  });
});
