import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { definePlugin } from '../../../kernel/contracts/plugin.ts';
import type { InboundRequest } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/contracts/json.ts';
import { ServiceSource } from '../../../plugins/contracts/services.ts';
import type { ServiceRecord } from '../../../plugins/contracts/services.ts';
import { statusMessage } from '../../../plugins/kit/notices/stateInWords.ts';
import { isGatewayError } from '../../../kernel/errors.ts';
import { askCore } from '../../support/coreTools.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Files } from '../../support/directory.ts';
import type { Gateway } from '../../support/gateway.ts';

const SECRET = 'hunter2';
/** Events for operators. */
const events: unknown[] = [];

/** @param state server name → state of its service */
function boot(files: Files = {}, state: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const statuses = (request?: InboundRequest): ServiceRecord[] =>
    Object.entries(state).map(([name, word]) => ({
      name,
      service_type: 'MCPServer',
      state: word,
      health: 'healthy',
      // Callers are shown the tools that they have themselves.
      metadata: { tools: request === undefined ? 7 : 3, env: SECRET },
    }));
  const upstream = definePlugin({
    name: 'fake-upstream',
    api: 1,
    configSchema: { type: 'object' },
    provides: [ServiceSource],
    apply(scope) {
      const services = statuses().map(({ name }) => ({
        name,
        status: (request?: InboundRequest) => statuses(request).find((one) => one.name === name)!,
      }));
      scope.provide(ServiceSource, { services: () => services });
      scope.tap('onEvent', (event) => {
        if (!('severity' in event) || !('server' in event)) return;
        const { reason, server, message, severity } = event;
        events.push({ reason, server, message, severity });
      });
    },
  });
  return bootGateway({
    builtIns: ['store-file', 'core-mcpservers'],
    files: {
      'config.yaml': 'plugins: { fake-upstream: { module: ./fake.mjs } }\n',
      'fake.mjs': moduleOf(upstream),
      ...files,
    },
  });
}
async function refusal(gateway: Gateway, name: string, args: JsonObject): Promise<string> {
  const error: unknown = await askCore(gateway, name, args).catch((reason: unknown) => reason);
  if (!isGatewayError(error)) throw new Error(`${name} was not refused: ${JSON.stringify(error)}`);
  return `${error.code} ${error.message}`;
}
function textOf({ directory }: Gateway, name: string): string {
  return readFileSync(directory.at(`mcpservers/${name}`), 'utf8');
}
const FULL = `# the files server
type: stdio
command: npx # from npm
args: [-y, server]
env:
  TOKEN: ${SECRET} # do not show
  OTHER: \${env:OTHER}
timeout: 5
`;

describe('plugins/core-mcpservers: reading tools', () => {
  it('lists definitions with defaults, state and mode, and no secret', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL }, { files: 'running' });
    const answer = await askCore(gateway, 'core_mcpserver_list');
    expect(answer).to.deep.equal({
      mcpServers: [
        {
          name: 'files',
          type: 'stdio',
          timeout: 5,
          suspended: false,
          command: ['npx'],
          args: ['-y', 'server'],
          env: { TOKEN: '[redacted]', OTHER: '${env:OTHER}' },
          state: 'Running',
          health: 'healthy',
          sessionStatus: 'connected',
          toolsCount: 3,
        },
      ],
      mode: 'filesystem',
      total: 1,
    });
    expect((await askCore(await boot(), 'core_mcpserver_list'))['mcpServers']).to.deep.equal([]);
  });

  it('describes the state in words with its next step, and accepts the switches of older clients', async () => {
    const states = ['running', 'starting', 'failed', 'stopped', 'auth_required', 'unreachable'];
    const files = states.map((state) => [`mcpservers/${state.replace('_', '-')}.yaml`, FULL] as const);
    const gateway = await boot(
      { ...Object.fromEntries(files), 'mcpservers/web.yaml': 'type: sse\nurl: http://x\nsuspended: true\n' },
      Object.fromEntries(states.map((state) => [state.replace('_', '-'), state])),
    );
    const switches = { showAll: true, verbose: true };
    const { mcpServers } = await askCore(gateway, 'core_mcpserver_list', switches);
    const shown = (mcpServers as JsonObject[]).map(({ name, state, sessionStatus, statusMessage }) => [
      name,
      state,
      sessionStatus,
      statusMessage,
    ]);
    expect(shown).to.deep.equal([
      ['auth-required', 'Auth Required', 'auth_required', 'Authentication required - sign in to the server'],
      ['failed', 'Failed', 'failed', 'Server failed to start'],
      ['running', 'Running', 'connected', undefined],
      ['starting', 'Starting', 'disconnected', 'Starting...'],
      ['stopped', 'Stopped', 'disconnected', undefined],
      ['unreachable', 'Failed', 'unreachable', 'Server failed to start'],
      ['web', 'Disconnected', 'disconnected', undefined],
    ]);
    expect(statusMessage('failed', 'spawn nothing ENOENT')).to.equal(
      'Command not found - check the executable path',
    );
  });

  it('gets one definition, and names the next step when it does not exist', async () => {
    const gateway = await boot({
      'mcpservers/web.yaml': `type: sse\nurl: https://example.org/sse\nheaders: { Authorization: 'Bearer \${env:T}', X-Key: ${SECRET} }\n`,
    });
    const answer = await askCore(gateway, 'core_mcpserver_get', { name: 'web' });
    expect(answer).to.include({ name: 'web', type: 'sse', state: 'Disconnected', health: 'unknown' });
    expect(answer['headers']).to.deep.equal({ Authorization: 'Bearer ${env:T}', 'X-Key': '[redacted]' });
    expect(await refusal(gateway, 'core_mcpserver_get', { name: 'none' })).to.equal(
      'STORE_NOT_FOUND MCP server none not found; list the known ones with core_mcpserver_list',
    );
  });

  it('reports the issues of a definition whose file is refused', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL, 'mcpservers/late.yaml': 'type: stdio\n' });
    expect(await refusal(gateway, 'core_mcpserver_get', { name: 'late' })).to.match(
      /^CONFIG_INVALID MCP server late is left out: .*late\.yaml:1:1: MCPServer late: command is required/,
    );
    expect(await askCore(gateway, 'core_mcpserver_get', { name: 'files' })).to.not.have.property('refused');
    gateway.directory.write('mcpservers/files.yaml', 'type: stdio\ncommnd: [x]\n');
    await gateway.pipeline.reload();
    const { type, refused } = await askCore(gateway, 'core_mcpserver_get', { name: 'files' });
    expect(type).to.equal('stdio');
    expect(String((refused as string[])[0])).to.match(
      /files\.yaml:2:1: MCPServer files: unknown key "commnd"/,
    );
  });

  it('refuses unknown and missing arguments by name', async () => {
    const gateway = await boot();
    expect(await refusal(gateway, 'core_mcpserver_list', { verbos: true })).to.contain(
      'unknown key "verbos"; did you mean "verbose"?',
    );
    expect(await refusal(gateway, 'core_mcpserver_get', {}))
      .to.contain('TOOL_ARGUMENTS')
      .and.contain('name is required');
    expect(await refusal(gateway, 'core_mcpserver_get', { name: 7 })).to.contain(
      'name must be a string, not 7',
    );
    const args = { name: 'a', type: 'stdio', command: ['a'], timeout: 'x', foo: 1 };
    expect(await refusal(gateway, 'core_mcpserver_create', args))
      .to.contain('timeout must be an integer, not "x"')
      .and.contain('unknown key "foo"; known keys: name, type, description');
  });

  it('validates without creating, and returns faults as an answer', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    const good = await askCore(gateway, 'core_mcpserver_validate', {
      name: 'a',
      type: 'stdio',
      command: ['a'],
    });
    expect(good).to.deep.equal({ name: 'a', valid: true, errors: [], warnings: [] });
    const bad = await askCore(gateway, 'core_mcpserver_validate', {
      name: '../a',
      type: 'stdio',
      timeout: 5,
    });
    expect(bad['valid']).to.equal(false);
    expect(bad['errors']).to.have.length(2);
    const taken = await askCore(gateway, 'core_mcpserver_validate', {
      name: 'files',
      type: 'sse',
      url: 'http://x',
    });
    expect(taken['warnings']).to.deep.equal([
      'an MCP server named files exists already; core_mcpserver_update changes it',
    ]);
    expect(readdirSync(gateway.directory.at('mcpservers'))).to.deep.equal(['files.yaml']);
  });

  it('accepts with type auto what belongs to either transport', async () => {
    const gateway = await boot();
    const url = 'https://host/mcp';
    const rest = { type: 'auto', url, messageUrl: 'https://host/messages', keepSession: true };
    for (const [tool, member] of [
      ['validate', 'valid'],
      ['create', 'name'],
      ['get', 'type'],
    ] as const) {
      const answer = await askCore(gateway, `core_mcpserver_${tool}`, {
        name: 'a',
        ...(tool !== 'get' && rest),
      });
      expect(answer[member]).to.equal({ valid: true, name: 'a', type: 'auto' }[member]);
      expect(answer['warnings'] ?? []).to.deep.equal([]);
    }
    const unix = await askCore(gateway, 'core_mcpserver_validate', {
      name: 'b',
      type: 'auto',
      url: 'unix:/run/mcp.sock:/mcp',
    });
    expect(unix['errors']).to.deep.equal([
      'MCPServer b: a url of a socket file is unix:/run/mcp.sock:/mcp, with type: streamable-http',
    ]);
  });
});

describe('plugins/core-mcpservers: writing tools', () => {
  it('emits an event for every write, and for failed ones', async () => {
    const gateway = await boot();
    events.length = 0;
    const args = { name: 'a', type: 'stdio', command: ['a'] };
    await askCore(gateway, 'core_mcpserver_create', args);
    await refusal(gateway, 'core_mcpserver_create', args);
    await askCore(gateway, 'core_mcpserver_update', { name: 'a', description: 'x' });
    await askCore(gateway, 'core_mcpserver_delete', { name: 'a' });
    const of = (reason: string, message: string, severity = 'Normal'): unknown => ({
      reason,
      server: 'a',
      message: `MCPServer a ${message}`,
      severity,
    });
    expect(events).to.deep.equal([
      of('MCPServerCreated', 'successfully created in namespace default'),
      of(
        'MCPServerFailed',
        "operation failed: MCP server 'a' already exists; change it with core_mcpserver_update",
        'Warning',
      ),
      of('MCPServerUpdated', 'successfully updated in namespace default'),
      of('MCPServerDeleted', 'successfully deleted from namespace default'),
    ]);
  });

  it('creates a definition that is in force when the answer is sent', async () => {
    const gateway = await boot();
    const args = { name: 'a', type: 'stdio', command: ['node', 'x'], env: { K: SECRET }, autoStart: true };
    const answer = await askCore(gateway, 'core_mcpserver_create', args);
    expect(answer).to.deep.include({ name: 'a', autoStart: true, env: { K: '[redacted]' }, timeout: 30 });
    expect(gateway.pipeline.resources('MCPServer')[0]?.spec['env']).to.deep.equal({ K: SECRET });
    expect(textOf(gateway, 'a.yaml')).not.to.contain('timeout');
    const odd = { name: 'b', type: 'sse', url: 'https://x', command: 'node' };
    expect((await askCore(gateway, 'core_mcpserver_create', odd))['warnings']).to.deep.equal([
      'MCPServer b: command is not used by a server of type sse; remove it or set type: stdio',
    ]);
  });

  it('warns of a toolPrefix that is the name of another server, in the answer of each tool', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    const args = { name: 'a', type: 'stdio', command: ['a'], toolPrefix: 'files' };
    const warned = async (tool: string, given: JsonObject): Promise<void> => {
      const { warnings } = await askCore(gateway, tool, given);
      expect(String(warnings), tool).to.contain('toolPrefix files is the name of server files');
    };
    await warned('core_mcpserver_validate', args);
    await warned('core_mcpserver_create', args);
    await warned('core_mcpserver_update', { name: 'a', description: 'x' });
    const { warnings } = await askCore(gateway, 'core_mcpserver_update', { name: 'files', description: 'x' });
    expect(warnings).to.equal(undefined);
  });

  it('warns an agent of a package without an exact version, in the answer of each tool', async () => {
    const gateway = await boot();
    const args = { name: 'a', type: 'stdio', command: ['npx', '-y', 'notes'] };
    for (const [tool, given] of [
      ['core_mcpserver_validate', args],
      ['core_mcpserver_create', args],
      ['core_mcpserver_update', { name: 'a', command: ['npx', '-y', 'notes@latest'] }],
    ] as const) {
      const { warnings } = await askCore(gateway, tool, given);
      expect(String(warnings), tool).match(/^MCPServer a: package notes is run .* pegboard upgrade a$/);
    }
    const exact = { name: 'a', command: ['npx', '-y', 'notes@1.0.0'] };
    expect(await askCore(gateway, 'core_mcpserver_update', exact)).not.have.property('warnings');
  });

  it('refuses to create a definition that exists, is invalid or would hide a value', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    const stdio = { type: 'stdio', command: ['a'] };
    expect(await refusal(gateway, 'core_mcpserver_create', { name: 'files', ...stdio })).to.equal(
      "STORE_CONFLICT MCP server 'files' already exists; change it with core_mcpserver_update",
    );
    expect(await refusal(gateway, 'core_mcpserver_create', { name: 'b', type: 'sse' })).to.contain(
      'invalid MCP server definition: MCPServer b: url is required for streamable-http and sse types',
    );
    expect(await refusal(gateway, 'core_mcpserver_create', { name: '../b', ...stdio })).to.contain(
      'is not allowed',
    );
    const hidden = { name: 'b', ...stdio, env: { K: '[redacted]' } };
    expect(await refusal(gateway, 'core_mcpserver_create', hidden)).to.contain(
      'env.K is [redacted], but no value',
    );
    expect(readdirSync(gateway.directory.at('mcpservers'))).to.deep.equal(['files.yaml']);
  });

  it('changes only the fields given, keeps comments, and clears with null', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    const answer = await askCore(gateway, 'core_mcpserver_update', {
      name: 'files',
      description: 'new',
      timeout: null,
    });
    expect(answer).to.include({ description: 'new', timeout: 30 });
    expect(textOf(gateway, 'files.yaml')).to.equal(FULL.replace('timeout: 5', 'description: new'));
  });

  it('clears a field with null whose values are a fixed list', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': `${FULL}instances: perSession\n` });
    await askCore(gateway, 'core_mcpserver_update', { name: 'files', instances: null });
    expect(textOf(gateway, 'files.yaml')).to.equal(FULL);
    expect(await refusal(gateway, 'core_mcpserver_update', { name: 'files', type: null })).to.contain('type');
  });

  it('replaces env as a whole, and keeps the stored value of a key that is sent back redacted', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    const env = { TOKEN: '[redacted]', NEW: 'x' };
    await askCore(gateway, 'core_mcpserver_update', { name: 'files', env });
    expect(gateway.pipeline.resources('MCPServer')[0]?.spec['env']).to.deep.equal({
      TOKEN: SECRET,
      NEW: 'x',
    });
    expect(textOf(gateway, 'files.yaml')).to.contain(`TOKEN: ${SECRET} # do not show`);
  });

  it('hides the secrets of a url, and keeps them when they are sent back hidden', async () => {
    const stored = `https://example.org/s/CANARY10/sse?project=7&api_key=${SECRET}#x`;
    const gateway = await boot({ 'mcpservers/web.yaml': `type: sse\nurl: ${stored}\n` });
    const urlInForce = (): unknown => gateway.pipeline.resources('MCPServer')[0]?.spec['url'];
    const { url } = await askCore(gateway, 'core_mcpserver_get', { name: 'web' });
    expect(url).to.equal(
      'https://example.org/s/[redacted]/sse?project=[redacted]&api_key=[redacted]#[redacted]',
    );
    await askCore(gateway, 'core_mcpserver_update', { name: 'web', url, description: 'same' });
    expect(urlInForce()).to.equal(stored);
    const changed = 'https://example.org/s/%5Bredacted%5D/mcp?a=b&api_key=%5Bredacted%5D';
    await askCore(gateway, 'core_mcpserver_update', { name: 'web', url: changed });
    expect(urlInForce()).to.equal(`https://example.org/s/CANARY10/mcp?a=b&api_key=${SECRET}`);
    const unknown = { name: 'web', url: 'https://example.org/?token=[redacted]' };
    expect(await refusal(gateway, 'core_mcpserver_update', unknown)).to.equal(
      'TOOL_ARGUMENTS parameter token of url is [redacted], but no value of it is stored; send the value',
    );
    const elsewhere = { name: 'web', url: 'https://example.org/a/b/[redacted]' };
    expect(await refusal(gateway, 'core_mcpserver_update', elsewhere)).to.contain('path segment 3 of url');
  });

  it('hides the values of secret flags of a command, and keeps them when all are sent back', async () => {
    const gateway = await boot({
      'mcpservers/files.yaml': `type: stdio\ncommand: [npx, server, --api-key=${SECRET}, --token]\nargs: [${SECRET}, /srv]\n`,
    });
    const { command, args } = await askCore(gateway, 'core_mcpserver_get', { name: 'files' });
    expect(command).to.deep.equal(['npx', 'server', '--api-key=[redacted]', '--token']);
    expect(args).to.deep.equal(['[redacted]', '/srv']);
    const before = textOf(gateway, 'files.yaml');
    await askCore(gateway, 'core_mcpserver_update', { name: 'files', command, args });
    expect(textOf(gateway, 'files.yaml')).to.equal(before);
    const other = { name: 'files', args: ['[redacted]', '/tmp'] };
    expect(await refusal(gateway, 'core_mcpserver_update', other)).to.equal(
      'TOOL_ARGUMENTS args holds [redacted], which keeps the stored values only if nothing else of args changes; send the values',
    );
    const created = { name: 'b', type: 'stdio', command: ['npx', '--token', '[redacted]'] };
    expect(await refusal(gateway, 'core_mcpserver_create', created)).to.contain('command holds [redacted]');
  });

  it('shows no secret of the sign-in at a server, and keeps it when it is sent back hidden', async () => {
    const gateway = await boot({
      'mcpservers/notes.yaml': `type: sse
url: https://example.org/sse
auth:
  type: oauth
  authorizationServer: { issuer: https://login.example.org, clientId: notes, clientSecret: ${SECRET} } # theirs
`,
      'mcpservers/team.yaml': `type: sse
url: https://example.org/sse
auth:
  tokenExchange: { idpTokenEndpoint: https://login.example.org/token, clientSecret: ${SECRET} }
`,
    });
    const { mcpServers } = await askCore(gateway, 'core_mcpserver_list');
    expect(JSON.stringify(mcpServers)).to.contain('"clientSecret":"[redacted]"').and.not.contain(SECRET);
    for (const name of ['notes', 'team']) {
      const { auth } = await askCore(gateway, 'core_mcpserver_get', { name });
      const update = async (from: string, to: string): Promise<JsonObject> => {
        const changed = JSON.parse(JSON.stringify(auth).replace(from, to)) as JsonObject;
        return askCore(gateway, 'core_mcpserver_update', { name, auth: changed });
      };
      await update('"clientSecret"', '"clientId":"changed","clientSecret"');
      expect(textOf(gateway, `${name}.yaml`))
        .to.include(`clientSecret: ${SECRET}`)
        .and.include('changed');
      const error: unknown = await update('login.example', 'evil.example').catch((reason: unknown) => reason);
      expect((error as Error).message).to.match(
        /^an address beside a secret has changed, and auth\.\w+\.clientSecret was given for the former; send auth again, or null$/,
      );
      expect(textOf(gateway, `${name}.yaml`)).to.not.include('evil');
    }
  });

  it('refuses to create a definition with a secret that is hidden', async () => {
    const gateway = await boot();
    const authorizationServer = { issuer: 'https://login.example.org', clientSecret: '[redacted]' };
    const auth = { type: 'oauth', authorizationServer };
    const args = { name: 'a', type: 'sse', url: 'https://example.org/sse', auth };
    expect(await refusal(gateway, 'core_mcpserver_create', args)).to.equal(
      'TOOL_ARGUMENTS auth.authorizationServer.clientSecret is [redacted], but no value of it is stored; send the value',
    );
  });

  describe('hidden values stay with their server', () => {
    const web = `type: streamable-http
url: https://example.org/mcp?api_key=${SECRET}
headers: { Authorization: Bearer ${SECRET}, X-Tenant: '\${env:TENANT}' }
`;
    const files = `type: stdio\ncommand: [npx, server]\nargs: [--token, ${SECRET}]\nenv: { TOKEN: ${SECRET}, A: '\${env:A}' }\n`;
    const refused = async (name: string, update: JsonObject): Promise<string> => {
      const texts = { 'mcpservers/web.yaml': web, 'mcpservers/files.yaml': files };
      const gateway = await boot(texts);
      const text = await refusal(gateway, 'core_mcpserver_update', { name, ...update });
      expect(textOf(gateway, `${name}.yaml`)).to.equal(texts[`mcpservers/${name as 'web'}.yaml`]);
      return text.replace('TOOL_ARGUMENTS ', '');
    };
    const taken = async (name: string, update: JsonObject): Promise<JsonObject> => {
      const gateway = await boot({ 'mcpservers/web.yaml': web, 'mcpservers/files.yaml': files });
      await askCore(gateway, 'core_mcpserver_update', { name, ...update });
      return gateway.pipeline.resources('MCPServer').find((one) => one.name === name)?.spec ?? {};
    };

    it('refuses another origin with headers that are kept or sent back hidden', async () => {
      const text =
        'url is at another origin, and headers.Authorization was given for the former one; send headers again, or null';
      for (const url of ['https://example.net/mcp', 'http://example.org/mcp', 'https://example.org:8443/mcp'])
        expect(await refused('web', { url }), url).to.equal(text);
      const headers = { Authorization: '[redacted]' };
      expect(await refused('web', { url: 'https://example.net/mcp', headers })).to.equal(text);
      expect(await refused('web', { url: 'https://example.net/mcp', type: 'sse' })).to.equal(text);
    });

    it('refuses another text where the host is a reference', async () => {
      const gateway = await boot({
        'mcpservers/web.yaml': web.replace('example.org', '${env:TENANT_HOST}'),
      });
      for (const url of ['https://example.net${env:HOME}/mcp', 'https://${env:HOME}/mcp'])
        expect(await refusal(gateway, 'core_mcpserver_update', { name: 'web', url })).include(
          'url is at another origin',
        );
    });

    it('refuses another proxy or another trust with headers that are kept, and another proxy with its hidden password', async () => {
      for (const more of [{ proxy: 'http://evil.test:80' }, { tls: { ca: 'evil.pem' } }])
        expect(await refused('web', more))
          .to.contain('proxy or tls has changed')
          .contain('headers.Authorization');
      const gateway = await boot({
        'mcpservers/web.yaml':
          'type: streamable-http\nurl: https://example.org/mcp\nproxy: http://kim:s3cret-word@p.test:80\n',
      });
      const update = { name: 'web', proxy: 'http://[redacted]@evil.test:80' };
      expect(await refusal(gateway, 'core_mcpserver_update', update)).contain(
        'proxy is another one, and user and password of proxy was given for the former; send proxy again',
      );
      expect(JSON.stringify(await askCore(gateway, 'core_mcpserver_get', { name: 'web' }))).not.contain(
        's3cret',
      );
    });

    it('refuses another origin with a hidden part of the url', async () => {
      const url = 'https://example.net/mcp?api_key=[redacted]';
      expect(await refused('web', { url, headers: null })).to.equal(
        'url is at another origin, and parameter api_key of url was given for the former one; send url again',
      );
      expect(await refused('web', { url })).to.contain(
        'headers.Authorization, parameter api_key of url were given for the former one; send headers, url again, or null',
      );
    });

    it('keeps them at the same origin, and accepts them when they are sent in full', async () => {
      const url = 'https://example.org/other?api_key=[redacted]';
      expect(await taken('web', { url, type: 'sse' })).to.deep.include({
        url: `https://example.org/other?api_key=${SECRET}`,
        headers: { Authorization: `Bearer ${SECRET}`, 'X-Tenant': '${env:TENANT}' },
      });
      const elsewhere = { url: 'https://example.net/', headers: { Authorization: 'Bearer new' } };
      expect(await taken('web', elsewhere)).to.deep.include(elsewhere);
      expect(await taken('web', { ...elsewhere, headers: null })).to.deep.include({ headers: {} });
    });

    it('refuses another command with env or arguments that are kept or sent back hidden', async () => {
      const text = (what: string, again: string): string =>
        `command or args has changed, and ${what} given for the former; send ${again} again, or null`;
      const both = text('env.TOKEN, args were', 'env, args');
      expect(await refused('files', { command: ['evil'] })).to.equal(both);
      expect(await refused('files', { command: ['npx', 'evil'], env: { TOKEN: '[redacted]' } })).to.equal(
        both,
      );
      expect(await refused('files', { args: ['--verbose'] })).to.equal(text('env.TOKEN was', 'env'));
      expect(await refused('files', { command: ['evil'], env: null })).to.equal(text('args was', 'args'));
      expect(await refused('files', { cwd: '/evil' })).to.equal(both.replace('command or args', 'cwd'));
      const moved = { type: 'streamable-http', url: 'https://example.net/', env: null };
      expect(await refused('files', { ...moved, headers: { TOKEN: '[redacted]' } })).to.contain(
        'headers.TOKEN is [redacted], but no value of it is stored',
      );
    });

    it('keeps them when the command is sent back as shown, and references always', async () => {
      const same = {
        command: ['npx', 'server'],
        args: ['--token', '[redacted]'],
        env: { TOKEN: '[redacted]' },
      };
      expect(await taken('files', same)).to.deep.include({
        args: ['--token', SECRET],
        env: { TOKEN: SECRET },
      });
      const other = { command: ['npx', 'other'], args: null, env: { A: '${env:A}' } };
      expect(await taken('files', other)).to.deep.include({ env: { A: '${env:A}' } });
      const again = { command: ['npx', 'other'], args: ['--token', 'new'], env: { TOKEN: 'new' } };
      expect(await taken('files', again)).to.deep.include(again);
    });
  });

  it('refuses an update that would break the definition, and leaves the file unchanged', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    const broken = await refusal(gateway, 'core_mcpserver_update', { name: 'files', type: 'sse' });
    expect(broken).to.contain('url is required').and.not.contain(SECRET);
    expect(await refusal(gateway, 'core_mcpserver_update', { name: 'none', timeout: 3 })).to.contain(
      'STORE_NOT_FOUND',
    );
    expect(textOf(gateway, 'files.yaml')).to.equal(FULL);
  });

  it('loses none of many updates of one definition at the same time', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    const updates: JsonObject[] = [
      { description: 'd' },
      { timeout: 9 },
      { suspended: true },
      { toolPrefix: 'p' },
    ];
    await Promise.all(
      updates.map((update) => askCore(gateway, 'core_mcpserver_update', { name: 'files', ...update })),
    );
    expect(await askCore(gateway, 'core_mcpserver_get', { name: 'files' })).to.include(
      Object.assign({}, ...updates),
    );
  });

  it('refuses to delete a server that runs or is connected, and deletes one that is starting or failed', async () => {
    const servers = ['running', 'connected', 'starting', 'failed'];
    const files = servers.map((state) => [`mcpservers/${state}.yaml`, FULL]);
    const states = Object.fromEntries(servers.map((state) => [state, state])) as Record<string, string>;
    const gateway = await boot(Object.fromEntries(files) as Files, states);
    expect(await refusal(gateway, 'core_mcpserver_delete', { name: 'running' })).to.equal(
      "SERVICE_RUNNING MCP server 'running' is running; stop it first with core_service_stop",
    );
    expect(await refusal(gateway, 'core_mcpserver_delete', { name: 'connected' })).to.contain(
      'SERVICE_RUNNING',
    );
    for (const name of ['starting', 'failed']) {
      const answer = await askCore(gateway, 'core_mcpserver_delete', { name });
      expect(answer['message']).to.equal(`MCP server '${name}' deleted successfully`);
    }
    expect(readdirSync(gateway.directory.at('mcpservers')).sort()).to.deep.equal([
      'connected.yaml',
      'running.yaml',
    ]);
    expect(gateway.pipeline.resources('MCPServer')).to.have.length(2);
    expect(await refusal(gateway, 'core_mcpserver_delete', { name: 'failed' })).to.contain('STORE_NOT_FOUND');
  });

  it('reports that the file was broken by hand meanwhile', async () => {
    const gateway = await boot({ 'mcpservers/files.yaml': FULL });
    gateway.directory.write('mcpservers/files.yaml', 'type: [');
    expect(await refusal(gateway, 'core_mcpserver_update', { name: 'files', timeout: 3 })).to.contain(
      'CONFIG_UNREADABLE',
    );
    expect(textOf(gateway, 'files.yaml')).to.equal('type: [');
  });

  it('declares a complete schema on each tool, and removes its tools when switched off', async () => {
    const gateway = await boot();
    const tools = ['list', 'get', 'validate', 'detect', 'create', 'update', 'delete'].map(
      (verb) => `core_mcpserver_${verb}`,
    );
    for (const name of tools) {
      const tool = gateway.kernel.catalogue.shared(name);
      expect(tool?.inputSchema, name).to.include({ type: 'object', additionalProperties: false });
    }
    gateway.directory.write('config.yaml', 'plugins: { core-mcpservers: false }\n');
    await gateway.pipeline.reload();
    for (const name of tools) expect(gateway.kernel.catalogue.shared(name), name).to.equal(undefined);
  });
});
