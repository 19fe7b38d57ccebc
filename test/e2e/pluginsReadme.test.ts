import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import type { Pegboard } from '../support/serve.ts';
import { until } from '../support/until.ts';
import { ROOT } from '../support/sources.ts';

const README = readFileSync(join(ROOT, 'plugins/README.md'), 'utf8');
/** Blocks whose first line names their file. */
const FILES = [...README.matchAll(/^```\w+\n(?:\/\/|#) (\S+\.\w+)\n(.*?)^```$/gms)].map(
  ([, name = '', text = '']) => [name, text] as const,
);

describe('e2e: the example plugin of plugins/README.md', function () {
  this.timeout(30_000);
  let directory: Directory;
  let pegboard: Pegboard;
  let client: McpClient;
  const greet = async (name: unknown): Promise<string> => textOf(await client.callTool('greet', { name }));

  before(async () => {
    directory = makeDirectory(Object.fromEntries(FILES));
    pegboard = await servePegboard(directory.path);
    client = await McpClient.connect(pegboard.url);
  });
  after(() => pegboard.stop());

  it('is two files, and the code is about thirty lines', () => {
    expect(FILES.map(([name]) => name)).to.deep.equal(['plugins/greeter.mjs', 'config.yaml']);
    expect(FILES[0]?.[1].trim().split('\n').length).to.be.within(20, 45);
  });

  it('adds a tool that clients find and call', async () => {
    expect(textOf(await client.callMeta('filter_tools', { query: 'greet' }))).to.include('"greet"');
    expect(await greet('Ada')).to.equal('Good morning, Ada!');
  });

  it('answers calls before they reach the tool', async () => {
    expect(await client.callTool('greet', { name: 'root' })).to.deep.include({
      isError: true,
      content: [{ type: 'text', text: 'root is not greeted' }],
    });
  });

  it('checks its arguments', async () => {
    expect(await greet(5)).to.include('name must be a string');
  });

  it('accepts another configuration and can be switched off, live', async () => {
    const config = FILES[1]?.[1] ?? '';
    directory.write('config.yaml', config.replace('Good morning', 'Good evening'));
    await until(async () => (await greet('Ada')) === 'Good evening, Ada!', { what: 'the new greeting' });
    directory.write('config.yaml', 'plugins: { greeter: false }\n');
    await until(async () => (await client.callTool('greet')).isError === true, { what: 'the tool is gone' });
  });
});
