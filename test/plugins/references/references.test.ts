import { expect } from 'chai';
import { rename, symlink, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { eventually, startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import type { ReloadReport } from '../../../kernel/index.ts';
import { McpClient, textOf } from '../../support/mcpClient.ts';

const BUILT_INS = [
  ...['http', 'front', 'transport-http', 'vault-memory', 'metatools', 'toolsets', 'operators', 'references'],
  ...['core-config', 'core-mcpservers', 'core-services', 'workflow', 'upstream', 'store-file'],
];
const SECRET = 'value-of-a-variable';
const CONFIG = `
references:
  allow: ['env:PEGBOARD_TEST_OPEN', 'file:open/*', 'secret:public/*']
`;

const IDLE = 'type: streamable-http\nurl: https://server.example/mcp\nsuspended: true\n';
const IDP = 'https://idp.example/token';

describe('references through tools', () => {
  let gateway: TestGateway;
  let client: McpClient;
  let site: Server;
  let url: string;
  const arrived: IncomingHttpHeaders[] = [];
  before(async () => {
    process.env['PEGBOARD_TEST_SECRET'] = SECRET;
    process.env['PEGBOARD_TEST_OPEN'] = 'open';
    site = createServer((request, response) => {
      arrived.push(request.headers);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => site.once('listening', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/mcp`;
    const files = {
      'config.yaml': CONFIG,
      'open/word': 'word of a file',
      'closed/word': 'closed word',
      'mcpservers/kept.yaml': `type: streamable-http\nurl: ${url}\nheaders: { X-Key: 'Bearer \${env:PEGBOARD_TEST_SECRET}' }\n`,
      'mcpservers/authorizationserver.yaml': `${IDLE}auth: { type: oauth, authorizationServer: { issuer: ${IDP}, clientId: a, clientSecret: '\${env:PEGBOARD_TEST_SECRET}' } }\n`,
      'mcpservers/tokenexchange.yaml': `${IDLE}auth: { type: oauth, tokenExchange: { idpTokenEndpoint: ${IDP}, clientCredentialsSecretRef: { name: db } } }\n`,
    };
    gateway = await startGateway({ files, builtIns: BUILT_INS });
    client = await McpClient.connect(gateway.url());
  });
  after(async () => {
    await gateway.stop();
    site.close();
    delete process.env['PEGBOARD_TEST_SECRET'];
    delete process.env['PEGBOARD_TEST_OPEN'];
  });
  const call = async (name: string, args: object): Promise<string> =>
    textOf(await client.callMeta('call_tool', { name, arguments: args }));
  const create = (name: string, more: object): Promise<string> =>
    call('core_mcpserver_create', { name, type: 'streamable-http', url, ...more });
  const configure = async (config: string): Promise<ReloadReport> => {
    await writeFile(join(gateway.directory, 'config.new'), config);
    await rename(join(gateway.directory, 'config.new'), join(gateway.directory, 'config.yaml'));
    return gateway.control.reload();
  };
  const sent = (header: string): readonly unknown[] =>
    arrived.map((headers) => headers[header]).filter((value) => value !== undefined);

  it('are refused with the reason and the fix, and nothing is sent', async () => {
    for (const name of [
      'env:PEGBOARD_TEST_SECRET',
      'file:closed/word',
      'file:/etc/hostname',
      'secret:db/password',
    ]) {
      const text = await create('thief', { headers: { 'X-Stolen': `a \${${name}} b` } });
      expect(text).contain(`headers.X-Stolen refers to ${name}, which may not be given through a tool`);
      expect(text).contain('write the definition as a file').and.contain(`add ${name} to references.allow`);
    }
    expect(await call('core_mcpserver_get', { name: 'thief' })).contain('not found');
    expect(sent('x-stolen')).deep.equal([]);
  });

  it('that are allowed work', async () => {
    const headers = { 'X-Open': '${env:PEGBOARD_TEST_OPEN:-a}/${file:open/word}' };
    expect(await create('friend', { headers })).contain('"name":"friend"');
    await eventually(() => sent('x-open').includes('open/word of a file'), 'its values are sent');
  });

  it('are refused in every field, however they are spelt', async () => {
    const stdio = { type: 'stdio', url: undefined };
    const rows: readonly (readonly [string, object])[] = [
      ['command.1', { ...stdio, command: ['echo', '${env:HOME}'] }],
      ['args.0', { ...stdio, command: 'echo', args: ['--at=${file:x}'] }],
      ['env.A', { ...stdio, command: 'echo', env: { A: '${env:HOME}' } }],
      ['url', { url: `${url}/\${env:HOME}` }],
      ['proxy', { url: 'http://x.test/mcp', proxy: 'http://me:${env:HOME}@x.test:1' }],
      ['headers.A', { headers: { A: '${file:open/../closed/word}' } }],
      ['headers.A', { headers: { A: '${sec${env:PEGBOARD_TEST_OPEN}ret:db/word}' } }],
      ['headers.A', { headers: { A: '${sec${env:PEGBOARD_TEST_OPEN:-ret:}db/word}' } }],
      ['headers.A', { headers: { A: '${env:PEGBOARD_TEST_OPEN:-${secret:db/word}' } }],
      ['headers.A', { headers: { A: '${env:HOME:-PEGBOARD_TEST_OPEN}' } }],
      [
        'auth.tokenExchange.clientCredentialsSecretRef',
        { auth: { type: 'oauth', tokenExchange: { clientCredentialsSecretRef: { name: 'db' } } } },
      ],
    ];
    for (const [place, fields] of rows) expect(await create('thief', fields)).contain(`${place} refers to`);
  });

  it('are errors in what core_mcpserver_validate says', async () => {
    const headers = { A: '${env:PEGBOARD_TEST_SECRET}', B: '${env:PEGBOARD_TEST_OPEN}' };
    const text = await call('core_mcpserver_validate', { name: 'new', type: 'sse', url, headers });
    const { valid, errors } = JSON.parse(text) as { valid: boolean; errors: readonly string[] };
    expect(valid).equal(false);
    expect(errors).length(1);
    expect(errors[0]).contain('headers.A refers to env:PEGBOARD_TEST_SECRET');
  });

  it('that are stored stay in an update', async () => {
    for (const fields of [
      { timeout: 7 },
      { headers: { 'X-Key': 'Bearer ${env:PEGBOARD_TEST_SECRET}', 'X-More': '${caller:MORE}' } },
      { headers: { 'X-Key': 'Bearer ${env:PEGBOARD_TEST_SECRET}' } },
    ])
      expect(await call('core_mcpserver_update', { name: 'kept', ...fields })).contain(
        'Bearer ${env:PEGBOARD_TEST_SECRET}',
      );
  });

  it('that are stored go nowhere else, and to no other name', async () => {
    const headers = { 'X-Key': 'Bearer ${env:PEGBOARD_TEST_SECRET}' };
    for (const fields of [
      { url: 'http://127.0.0.1:9/mcp' },
      { url: 'http://127.0.0.1:9/mcp', headers },
      { type: 'stdio', url: null, headers: null, command: ['env'], env: { A: headers['X-Key'] } },
      { headers: { 'X-Other': headers['X-Key'] } },
    ])
      expect(await call('core_mcpserver_update', { name: 'kept', ...fields })).contain(
        'refers to env:PEGBOARD_TEST_SECRET, which may not be given through a tool, nor sent elsewhere',
      );
  });

  it('that are stored beside an address do not go to another', async () => {
    const moved = 'https://thief.example/token';
    const rows = [
      ['authorizationServer', { issuer: moved, clientId: 'a', clientSecret: '${env:PEGBOARD_TEST_SECRET}' }],
      ['tokenExchange', { idpTokenEndpoint: moved, clientCredentialsSecretRef: { name: 'db' } }],
    ] as const;
    for (const [at, fields] of rows) {
      const update = { name: at.toLowerCase(), auth: { type: 'oauth', [at]: fields } };
      expect(await call('core_mcpserver_update', update)).contain('nor sent elsewhere than before');
      const stays = JSON.parse(JSON.stringify(update).replace('thief', 'idp')) as object;
      expect(await call('core_mcpserver_update', { ...stays, timeout: 7 })).contain('"timeout":7');
    }
  });

  it('are refused in workflows, whose steps may pass them on', async () => {
    const steps = [{ id: 'a', tool: 'core_mcpserver_create', args: { name: 'x', url: '${env:HOME}' } }];
    for (const tool of ['core_workflow_create', 'core_workflow_validate'])
      expect(await call(tool, { name: 'w', steps })).contain('steps.0.args.url refers to env:HOME');
    steps[0]!.args.url = '${env:PEGBOARD_TEST_OPEN}';
    expect(await call('core_workflow_create', { name: 'w', steps })).contain('Workflow created');
  });

  it('of callers are not affected', async () => {
    expect(await create('own', { headers: { A: '${caller:TOKEN}' } })).contain('"name":"own"');
  });

  it('name files in the folders of references.files only, also in files', async () => {
    const within = (word: string): string => `type: sse\nurl: ${url}\nheaders: { A: '\${file:${word}}' }\n`;
    const folder = join(gateway.directory, 'mcpservers');
    await symlink('../closed/word', join(gateway.directory, 'open', 'link'));
    await writeFile(join(folder, 'inside.yaml'), within('open/word'));
    await writeFile(join(folder, 'outside.yaml'), within('closed/word'));
    await writeFile(join(folder, 'linked.yaml'), within('open/link'));
    await configure(CONFIG.replace('allow:', 'files: [open]\n  allow:'));
    expect(await call('core_mcpserver_get', { name: 'inside' })).contain('"name":"inside"');
    for (const [name, file] of [
      ['outside', 'closed/word'],
      ['linked', 'open/link'],
    ])
      expect(await call('core_mcpserver_get', { name })).contain(
        `headers.A refers to file:${file}, which is in none of the folders of references.files`,
      );
    expect(await create('link', { headers: { A: '${file:open/link}' } })).contain('headers.A refers to');
    await configure(CONFIG);
    expect(await call('core_mcpserver_get', { name: 'outside' })).contain('"name":"outside"');
  });

  it('that are written without their kind refuse the configuration', async () => {
    const { applied, issues } = await configure("references: { allow: ['GITHUB_TOKEN'] }\n");
    expect(applied).equal(false);
    expect(issues[0]?.message).contain('references.allow');
  });
});
