import { expect } from 'chai';
import { added } from './added.ts';

const base64 = (entry: object): string => Buffer.from(JSON.stringify(entry)).toString('base64');
const coded = (entry: object): string => encodeURIComponent(JSON.stringify(entry));
const PLAIN = { command: 'npx', args: ['-y', '@p/mcp@latest'] };
const REMOTE = { type: 'http', url: 'https://a.test/mcp' };
const P = 'p: npx -y @p/mcp@latest';
const R = 'p: streamable-http https://a.test/mcp';

/** Links as READMEs have them → what is written. */
const LINKS: readonly (readonly [link: string, wanted: string])[] = [
  [`cursor://anysphere.cursor-deeplink/mcp/install?name=p&config=${base64(PLAIN)}`, P],
  [`https://cursor.com/install-mcp?name=p&config=${encodeURIComponent(base64(PLAIN))}`, P],
  [`https://cursor.com/en-US/install-mcp?name=p&config=${base64(REMOTE)}`, R],
  [
    `https://www.cursor.com/link/mcp/install?config=${base64({ command: 'npx -y @p/mcp' })}&name=p`,
    'p: npx -y @p/mcp',
  ],
  [`https://cursor.com/install-mcp?name=p&config=${base64({ p: PLAIN })}`, P],
  [`https://cursor.com/install-mcp?name=p&amp;config=${base64({ mcpServers: { q: PLAIN } })}`, P],
  [`vscode:mcp/install?${coded({ name: 'p', ...PLAIN })}`, P],
  [`vscode-insiders:mcp/install?${coded({ name: 'p', ...REMOTE })}`, R],
  [`vscode:mcp/install?name=p&config=${coded(REMOTE)}`, R],
  [`https://insiders.vscode.dev/redirect/mcp/install?name=p&config=${coded(PLAIN)}&quality=insiders`, P],
  [`https://vscode.dev/redirect?url=vscode:mcp/install?${coded({ name: 'p', ...PLAIN })}`, P],
  [
    `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${coded({ name: 'p', ...PLAIN })}`)}`,
    P,
  ],
  [`lmstudio://add_mcp?name=p&config=${base64(PLAIN)}`, P],
  [`https://lmstudio.ai/install-mcp?name=p&config=${encodeURIComponent(base64(REMOTE))}`, R],
  [
    'goose://extension?cmd=npx&arg=-y&arg=%40p%2Fmcp%40latest&id=p&name=The%20P&description=D%20e&timeout=300',
    `${P} {"callTimeout":300,"description":"D e"}`,
  ],
  ['https://block.github.io/goose/extension?cmd=npx&arg=-y%20%40p%2Fmcp%40latest&id=p', P],
  ['goose://extension?url=https%3A%2F%2Fa.test%2Fmcp&type=streamable_http&id=p', R],
  [`https://kiro.dev/launch/mcp/add?name=p&config=${coded({ ...PLAIN, disabled: false })}`, P],
  [`raycast://mcp/install?${coded({ name: 'p', ...PLAIN })}`, P],
  [`https://unknown.test/install-mcp?name=p&config=${base64(PLAIN)}`, P],
  [
    'https://claude.ai/customize/connectors?modal=add-custom-connector&mcpName=The%20P&mcpServerUrl=https%3A%2F%2Fa.test%2Fmcp',
    'The-P: streamable-http https://a.test/mcp',
  ],
];

describe('An install link of a client', () => {
  for (const [link, wanted] of LINKS)
    it(`is read: ${link.slice(0, 60)}`, async () => {
      const { code, shown, stderr } = await added(['-t', wanted.includes('http') ? 'http' : 'stdio', link]);
      expect(shown, stderr).equal(wanted);
      expect(code).equal(0);
    });

  it('takes the name that is typed before it, and flags', async () => {
    const link = `vscode:mcp/install?${coded({ name: 'p', ...PLAIN, env: { A: 'b' } })}`;
    const { shown } = await added(['other', link, '--env', 'C=d']);
    expect(shown).equal('other: npx -y @p/mcp@latest {"env":{"A":"b","C":"d"}}');
  });

  it('is refused without a word of what it holds if it describes no server', async () => {
    for (const link of [
      `vscode:mcp/install?${coded({ name: 'p', token: 'hush' })}`,
      'cursor://anysphere.cursor-deeplink/mcp/install?name=p&config=hush',
      'goose://extension?id=hush',
      'kiro://mcp/add?config=hush',
    ]) {
      const { code, name, stderr } = await added([link]);
      expect([code, name]).deep.equal([1, undefined]);
      expect(stderr).contain('pegboard add <name> -- <command>').and.not.contain('hush');
    }
  });
});
