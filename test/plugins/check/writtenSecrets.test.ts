import { expect } from 'chai';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import { issueText } from '../../../kernel/lib/placeText.ts';
import { review } from '../../support/reviewed.ts';
import type { Files } from '../../support/directory.ts';
import { composeGateway, moduleOf } from '../../support/gateway.ts';

const FIX = 'as plain text; write ${env:NAME} or ${file:PATH}';

/** The warnings of secrets that `pegboard check` prints: file, line and text. */
async function warnings(files: Files): Promise<readonly string[]> {
  const { pipeline, directory } = await composeGateway({
    builtIns: ['store-file', 'core-mcpservers', 'auth-server', 'vault-redis'],
    files,
  });
  const found = await pipeline.check((configured) => review(configured));
  return found
    .map((issue) => issueText(issue).replaceAll(`${directory.path}/`, ''))
    .filter((line) => line.includes('plain text'))
    .map((line) =>
      line.replace(
        /:\d+: warning: (.*) \(CONFIG_INVALID\)$|:\d+: warning: (.*) \(CONFIG_REFERENCE\)$/,
        ' $1$2',
      ),
    );
}

describe('Secrets that are written out', () => {
  it('are each found in config.yaml, of plugins that are switched off and of third parties too', async () => {
    const hooks = definePlugin({
      name: 'hooks',
      api: 1,
      configSchema: {
        type: 'object',
        properties: {
          urls: { type: 'array', items: { type: 'string', writeOnly: true } },
          key: { type: 'string', writeOnly: true },
          tokenKey: { type: 'string' },
        },
      },
      apply: () => undefined,
    });
    const config = `plugins:
  hooks: { module: ./hooks.mjs, config: { urls: ['https://hooks.example.org/a', '\${env:A}'], key: '', tokenKey: plain } }
  vault-redis:
    config:
      url: redis://me:hunter2@localhost:6379
      password: \${env:REDIS_PASSWORD:-hunter2}
      secret: [hunter2-hunter2-hunter2-hunter2-hunter2, '\${file:secret}']
aggregator:
  oauth:
    server:
      enabled: false
      idp: { clientSecret: hunter2 }
      registrationToken: prefix-\${env:TOKEN}
      tokenExchangeBroker: { targets: { a: { clientCredentialsSecretRef: { name: a, clientSecretKey: client-secret } } } }
`;
    const key = (name: string): string => `aggregator.oauth.server.${name} is in config.yaml ${FIX}`;
    expect(await warnings({ 'config.yaml': config, 'hooks.mjs': moduleOf(hooks) })).members([
      `config.yaml:12 plugin auth-server: ${key('idp.clientSecret')}`,
      `config.yaml:13 plugin auth-server: ${key('registrationToken')}`,
      `config.yaml:5 plugin vault-redis: url is in config.yaml ${FIX}`,
      `config.yaml:6 plugin vault-redis: password is in config.yaml ${FIX}`,
      `config.yaml:7 plugin vault-redis: secret.0 is in config.yaml ${FIX}`,
      `config.yaml:2 plugin hooks: urls.0 is in config.yaml ${FIX}`,
    ]);
  });

  it('are found in definitions: each client secret, and what looks like one among variables and headers', async () => {
    const files = {
      'mcpservers/a.yaml': `type: streamable-http
url: https://example.org/mcp
headers:
  Authorization: Bearer abcdefgh
  X-Tenant: team
  X-Api-Key: \${env:KEY}
auth:
  type: oauth
  authorizationServer:
    issuer: https://login.example.org
    clientId: me
    clientSecret: hunter2
`,
      'mcpservers/b.yaml': `type: stdio
command: [node, server.js, --token, hunter2]
args: [--verbose, --api-key=hunter2, --key, '8080']
env: { LOG_LEVEL: debug, A_TOKEN: '\${env:A_TOKEN:-hunter2}', REGION: '\${env:REGION:-eu}', DB_URL: 'postgres://me:hunter2@localhost/db', PORT: '8080', TOKEN: '\${file:token}' }
`,
      'mcpservers/c.yaml': 'type: sse\nurl: https://example.org/sse?api_key=hunter2\n',
      token: 'x',
    };
    const own = (field: string): string =>
      `holds a secret as plain text; write it as \${env:NAME} or \${file:PATH}, in ${field} if the server takes it from there too`;
    expect(await warnings(files)).members([
      `mcpservers/a.yaml:4 MCPServer a: headers.Authorization is in the definition ${FIX}`,
      `mcpservers/a.yaml:12 MCPServer a: auth.authorizationServer.clientSecret is in the definition ${FIX}`,
      `mcpservers/b.yaml:2 MCPServer b: command.3 ${own('env')}`,
      `mcpservers/b.yaml:3 MCPServer b: args.1 ${own('env')}`,
      `mcpservers/b.yaml:4 MCPServer b: env.A_TOKEN is in the definition ${FIX}`,
      `mcpservers/b.yaml:4 MCPServer b: env.DB_URL is in the definition ${FIX}`,
      `mcpservers/c.yaml:2 MCPServer c: url ${own('headers')}`,
    ]);
  });
});
