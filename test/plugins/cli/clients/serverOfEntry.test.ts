import { expect } from 'chai';
import { parse } from 'yaml';
import { makeClientHome } from '../clientHome.ts';

const TOOLS = { type: 'local', command: 'tools-mcp' };

describe('an entry of a client', () => {
  it('is imported as Cline CLI and Copilot CLI write it', async () => {
    const json = (mcpServers: object): string => JSON.stringify({ mcpServers });
    const home = makeClientHome({
      '.cline/data/settings/cline_mcp_settings.json': json({
        nested: { transport: { type: 'stdio', command: 'nested-mcp', args: ['-v'] } },
        far: { transport: { type: 'streamableHttp', url: 'https://far.example.com/mcp' }, disabled: false },
        off: { transport: { type: 'stdio', command: 'off-mcp' }, disabled: true },
      }),
      'own/mcp-config.json': json({
        all: { ...TOOLS, args: ['all'], tools: ['*'] },
        some: { ...TOOLS, args: ['some'], tools: ['read', 'list'] },
      }),
    });
    const { code, stderr } = await home.run(['import', '--yes'], { COPILOT_HOME: home.at('own') });
    expect(code, stderr).to.equal(0);
    const definition = (name: string): unknown =>
      parse(home.read(`.config/pegboard/mcpservers/${name}.yaml`));
    const stdio = { type: 'stdio', autoStart: true };
    expect(home.ownFiles().filter((name) => name.startsWith('mcpservers/'))).to.have.lengthOf(4);
    expect(definition('nested')).to.deep.equal({ ...stdio, command: ['nested-mcp', '-v'] });
    expect(definition('all')).to.deep.equal({ ...stdio, command: ['tools-mcp', 'all'] });
    expect(definition('some')).to.deep.equal({
      ...stdio,
      command: ['tools-mcp', 'some'],
      includeTools: ['read', 'list'],
    });
    expect(definition('far')).to.deep.include({
      type: 'streamable-http',
      url: 'https://far.example.com/mcp',
    });
  });
});
