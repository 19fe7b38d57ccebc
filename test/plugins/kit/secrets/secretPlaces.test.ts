import { expect } from 'chai';
import { isSecretName } from '../../../../plugins/kit/secrets/hiding.ts';
import { hideInUrl, hideInWords, secretsGiven } from '../../../../plugins/kit/secrets/secretPlaces.ts';

function words(...given: readonly string[]): readonly string[] {
  return hideInWords(given);
}

describe('secret places', () => {
  it('recognises names that declare their value secret', () => {
    for (const name of [
      'API_KEY',
      'accessToken',
      'X-Api-Key',
      'PGPASSWORD',
      'DB_PASS',
      'key',
      'clientSecret',
    ])
      expect(isSecretName(name), name).to.equal(true);
    for (const name of ['PATH', 'monkey', 'PASSIVE', 'author', 'compass', 'NODE_ENV', 'spinner'])
      expect(isSecretName(name), name).to.equal(false);
  });

  it('leaves urls without secrets unchanged', () => {
    const plain = [
      'https://example.org/mcp',
      'https://api.githubcopilot.com/mcp/x/repos/readonly',
      'http://127.0.0.1:8080/api/v4/mcp2',
      'https://example.org/@modelcontextprotocol/server-everything/2025-06-18/sse/',
      'https://example.org/oauth/authorize',
      'https://example.org/mcp?debug=',
      '/relative/path',
    ];
    for (const text of plain) expect(hideInUrl(text)).to.equal(text);
  });

  it('finds all values of a query, the fragment, and user and password', () => {
    expect(hideInUrl('https://x/sse?project=7&api_key=abc&bare#part')).to.equal(
      'https://x/sse?project=[redacted]&api_key=[redacted]&[redacted]#[redacted]',
    );
    expect(hideInUrl('redis://me:p@ss@localhost:6379/0')).to.equal('redis://[redacted]@localhost:6379/0');
  });

  it("finds tokens in a path, by their look or after a secret's name", () => {
    const paths = {
      '/mcp/CANARY10/path': '/mcp/[redacted]/path',
      '/s/NTc4ZGE5NmItYzE2/mcp': '/s/[redacted]/mcp',
      '/3f2504e0-4f89-11d3-9a0c-0305e82c3301/slack': '/[redacted]/slack',
      '/bot123456:AAFabc/getMe': '/[redacted]/getMe',
      '/abcdefghijklmnopqrstuvw': '/[redacted]',
      '/token/abc/mcp': '/token/[redacted]/mcp',
      '/mcp/key=abc': '/mcp/[redacted]',
      '/a/%5Bredacted%5D/b/[redacted]': '/a/[redacted]/b/[redacted]',
    };
    for (const [path, shown] of Object.entries(paths))
      expect(hideInUrl(`https://x${path}`)).to.equal(`https://x${shown}`);
  });

  it('finds the values of secret flags among the words of a command, and nothing else', () => {
    expect(words('npx', '-y', 'server', '--api-key=v', '--token', 'v', '--port', '80')).to.deep.equal([
      'npx',
      '-y',
      'server',
      '--api-key=[redacted]',
      '--token',
      '[redacted]',
      '--port',
      '80',
    ]);
    expect(words('docker', '-e', 'API_KEY=v', '--header', 'Authorization: Bearer v')).to.deep.equal([
      'docker',
      '-e',
      'API_KEY=[redacted]',
      '--header',
      'Authorization: [redacted]',
    ]);
    expect(words('--config', '{"apiKey": "v\\"w", "a": "b"}')).to.deep.equal([
      '--config',
      '{"apiKey": "[redacted]", "a": "b"}',
    ]);
    expect(words('mcp-remote', 'https://x/mcp?k=v', 'postgres://me:v@host/db')).to.deep.equal([
      'mcp-remote',
      'https://x/mcp?k=[redacted]',
      'postgres://[redacted]@host/db',
    ]);
    expect(words('--url=https://me:v@x/mcp', '--token', '--verbose')).to.deep.equal([
      '--url=https://[redacted]@x/mcp',
      '--token',
      '--verbose',
    ]);
    expect(words('sh', '-c', "cd /srv && A_TOKEN=v  npx server --api-key 'v' --port 80\n")).to.deep.equal([
      'sh',
      '-c',
      'cd /srv && A_TOKEN=[redacted]  npx server --api-key [redacted] --port 80\n',
    ]);
    const plain = ['node', '/srv/key/server.js', '--allow=/tmp', 'image:latest', '-p', '8080:80', 'C:\\keys'];
    expect(words(...plain)).to.deep.equal(plain);
  });

  it('finds a url that follows a long run of letters, without trying each of them as its beginning', () => {
    const run = 'x'.repeat(10_000);
    expect(hideInWords([`${run}https://ann:pw@host/a`])).deep.equal([`${run}https://[redacted]@host/a`]);
  });

  it('gathers the secrets of a definition, with the name of each', () => {
    const secrets = secretsGiven({
      values: Object.entries({ TOKEN: 'abc', DATABASE_URL: 'postgres://postgres:v1@host/db' }),
      words: ['--api-key=v2'],
      url: 'https://x/CANARY10?plain=v3',
    });
    expect(secrets.map(({ name, text }) => `${name}: ${text}`)).to.deep.equal([
      'TOKEN: abc',
      'DATABASE_URL: postgres://postgres:v1@host/db',
      'user and password: v1',
      'api-key: v2',
      'path segment 1: CANARY10',
      'parameter plain: v3',
    ]);
  });
});
