import { expect } from 'chai';
import type { Scope } from '../../../../kernel/contracts/plugin.ts';
import { ServiceSource } from '../../../../plugins/contracts/services.ts';
import { toolOf } from '../../../support/kernel.ts';
import { boardOf, namesIn, serverTool } from '../board.ts';

const SERVICE = {
  name: 'a',
  service_type: 'MCPServer',
  state: 'running',
  health: 'healthy',
  metadata: {},
} as const;

describe('metatools: field weights of a search', () => {
  it('weigh a word in the name more than the same word in the summary', async () => {
    const tools = [
      serverTool('a', 'zebra_of_africa', { description: 'Shows a picture of it' }),
      serverTool('b', 'picture_of_africa', { description: 'Shows a zebra of it' }),
    ];
    for (const [query, first] of [
      ['zebra', 'x_a_zebra_of_africa'],
      ['picture', 'x_b_picture_of_africa'],
    ] as const) {
      const board = await boardOf({ tools });
      const answer = await board.ask('filter_tools', { query });
      expect(namesIn(answer)).to.have.length(2);
      expect(namesIn(answer)[0]).to.equal(first);
      expect(answer.tools[0]?.score).to.be.greaterThan(answer.tools[1]?.score ?? Infinity);
    }
  });

  it('include parameters, nested ones too, their descriptions and values', async () => {
    const place = {
      type: 'object',
      properties: { latitude: { type: 'number' }, unit: { enum: ['fahrenheit'] } },
    };
    const places = { type: 'array', items: place, description: 'Where to measure humidity' };
    const tools = [
      serverTool('a', 'report', { inputSchema: { type: 'object', properties: { places } } }),
      serverTool('b', 'summary'),
    ];
    const board = await boardOf({ tools });
    for (const query of ['places', 'humidity', 'latitude', 'fahrenheit']) {
      expect(namesIn(await board.ask('filter_tools', { query })), query).to.deep.equal(['x_a_report']);
    }
  });

  it('include the instructions of the server', async () => {
    const service = { name: 'a', status: () => SERVICE, instructions: () => 'For beekeepers.' };
    const source = (scope: Scope<unknown>): void =>
      scope.provide(ServiceSource, { services: () => [service] });
    const tools = [serverTool('a', 'report'), serverTool('b', 'report')];
    const board = await boardOf({ tools, source, provides: [ServiceSource] });
    const answer = await board.ask('filter_tools', { query: 'beekeepers' });
    expect(namesIn(answer)).to.deep.equal(['x_a_report']);
  });

  it('put core tools last unless the query has words of the gateway', async () => {
    const tools = [
      toolOf('core_mcpserver_create', { kind: 'core', description: 'Create an MCP server definition' }),
      serverTool('notes', 'new_note', { description: 'Create a note from a definition' }),
    ];
    const board = await boardOf({ tools });
    const find = async (query: string) => namesIn(await board.ask('filter_tools', { query }));
    expect((await find('create a definition'))[0]).to.equal('x_notes_new_note');
    expect((await find('create an mcp server'))[0]).to.equal('core_mcpserver_create');
  });
});
