import { expect } from 'chai';
import { parse } from 'yaml';
import { bootGateway } from '../../../support/gateway.ts';
import { makeClientHome } from '../clientHome.ts';
import type { ClientHome } from '../clientHome.ts';

const GROUP = 'apiVersion: muster.giantswarm.io/v1alpha1';
/** A directory in which muster has run, with the settings that its chart writes. */
const MUSTER = {
  'muster/config.yaml': `namespace: agentic-platform
kubernetes: false
aggregator:
  port: 8090
  musterPrefix: m
  oauth:
    mcpClient: { enabled: false }
    server:
      enabled: false
      baseUrl: https://gateway.example.com
      provider: dex
      dex: { issuerUrl: https://dex.example.com, clientId: muster, clientSecretFile: /secrets/dex, connectorId: github }
      encryptionKeyFile: /secrets/key
      storage: { type: valkey, valkey: { url: valkey.example.com:6379, passwordFile: /secrets/valkey, tlsEnabled: true, db: 2 } }
      tokenExchangeBroker: { targets: { prod: { dexTokenEndpoint: https://dex.example.com/token } } }
`,
  'muster/mcpservers/std.yaml': `${GROUP}
kind: MCPServer
metadata: { name: std, namespace: default, uid: 123e4567-e89b-12d3-a456-426614174000 }
spec: { type: stdio, command: node, args: [std.mjs] }
status: { state: Running }
`,
  'muster/workflows/two.yaml': ['made', 'more']
    .map(
      (name) =>
        `${GROUP}\nkind: Workflow\nmetadata: { name: ${name} }\nspec: { description: d, steps: [{ id: a, tool: x_std_echo }] }\nstatus: {}\n`,
    )
    .join('---\n'),
  'muster/workflow_executions/x.yaml': 'execution_id: x\n',
};

function written(home: ClientHome, name: string): unknown {
  return parse(home.read(`.config/pegboard/${name}`));
}

describe('pegboard import of a directory', function () {
  this.timeout(30_000);

  it('writes the settings and definitions of muster as ours, and changes nothing in place', async () => {
    const home = makeClientHome(MUSTER);
    const { code, stderr } = await home.run(['import', home.at('muster'), '--yes']);
    expect(code, stderr).equal(0);
    expect(written(home, 'config.yaml')).deep.equal({
      namespace: 'agentic-platform',
      orchestrator: false,
      aggregator: {
        port: 8090,
        servicePrefix: 'm',
        oauth: {
          mcpClient: { enabled: false },
          server: {
            enabled: false,
            baseUrl: 'https://gateway.example.com',
            idp: {
              issuerUrl: 'https://dex.example.com',
              clientId: 'muster',
              clientSecretFile: '/secrets/dex',
              connectorId: 'github',
            },
            tokenExchangeBroker: { targets: { prod: { idpTokenEndpoint: 'https://dex.example.com/token' } } },
          },
        },
      },
      plugins: {
        'vault-redis': {
          config: { url: 'rediss://valkey.example.com:6379/2', password: '${file:/secrets/valkey}' },
        },
      },
    });
    expect(written(home, 'mcpservers/std.yaml')).deep.equal({
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'MCPServer',
      metadata: { name: 'std', namespace: 'agentic-platform' },
      spec: { type: 'stdio', command: 'node', args: ['std.mjs'] },
    });
    for (const note of [
      'servicePrefix',
      'oauth.server.idp',
      'encryptionKey is left out',
      'plugins.vault-redis',
    ])
      expect(stderr).include(note);
    for (const [name, text] of Object.entries(MUSTER)) expect(home.read(name)).equal(text);
  });

  it('leaves out keys that no gateway reads, says which, and keeps what a text is about', async () => {
    const home = makeClientHome({
      'muster/config.yaml': `logging: { level: debug }
aggregator:
  bind: localhost
  oauth:
    enabled: true
    mcpClient:
    server: { baseUrl: https://gateway.example.com, trustedIssuers: [{ issuer: https://i.example.com, kind: oidc }] }
`,
      'muster/mcpservers/std.yaml': `${GROUP}
kind: MCPServer
metadata: { name: std }
spec: { type: stdio, command: node, healthCheck: { interval: 5 }, auth: { type: none, audience: a }, args: }
`,
      'muster/workflows/one.yaml': `${GROUP}
kind: Workflow
metadata: { name: one }
spec:
  name: one
  input_schema: { type: object }
  args: { city: { type: string, format: any } }
  steps:
    - { id: a, tool: x_std_echo, args: { free: { name: 1 } }, uses: b }
    - { id: b, forEach: { items: [1], steps: [{ id: c, tool: x_std_echo, with: {} }] } }
`,
    });
    const { code, stderr } = await home.run(['import', home.at('muster'), '--yes']);
    expect(code, stderr).equal(0);
    expect(written(home, 'config.yaml')).deep.equal({
      aggregator: {
        oauth: {
          server: {
            enabled: false,
            baseUrl: 'https://gateway.example.com',
            trustedIssuers: [{ issuer: 'https://i.example.com' }],
          },
        },
      },
    });
    expect(written(home, 'mcpservers/std.yaml')).deep.include({
      spec: { type: 'stdio', command: 'node', auth: { type: 'none' } },
    });
    expect(written(home, 'workflows/one.yaml')).deep.include({
      spec: {
        args: { city: { type: 'string' } },
        steps: [
          { id: 'a', tool: 'x_std_echo', args: { free: { name: 1 } } },
          { id: 'b', forEach: { items: [1], steps: [{ id: 'c', tool: 'x_std_echo' }] } },
        ],
      },
    });
    for (const place of [
      'config.yaml:1:1: logging',
      'config.yaml:3:3: aggregator.bind',
      'config.yaml:5:5: aggregator.oauth.enabled',
      'aggregator.oauth.server.trustedIssuers.0.kind',
      'std.yaml:4:37: healthCheck',
      'auth.audience',
      'one.yaml:5:3: name',
      'one.yaml:6:3: input_schema',
      'args.city.format',
      'steps.0.uses',
      'steps.1.forEach.steps.0.with',
    ])
      expect(stderr).include(`${place} is left out: no key of that name is read`);
    expect(stderr).include('aggregator.oauth.server has no "enabled": it is off, as it was');
  });

  it('keeps a section of a wrong type, which the check then names', async () => {
    const home = makeClientHome({ 'muster/config.yaml': 'aggregator: [{ port: 8090 }]\n' });
    await home.run(['import', home.at('muster'), '--yes']);
    expect(written(home, 'config.yaml')).deep.equal({ aggregator: [{ port: 8090 }] });
  });

  it('writes what the gateway reads: each definition, in the namespace in force', async () => {
    const home = makeClientHome({
      ...MUSTER,
      'muster/config.yaml': 'namespace: agentic-platform\naggregator:\n  oauth:\n',
    });
    await home.run(['import', home.at('muster'), '--yes']);
    const files = home.ownFiles().filter((name) => name.endsWith('.yaml'));
    const { pipeline } = await bootGateway({
      builtIns: ['store-file', 'core-mcpservers', 'workflow'],
      files: Object.fromEntries(files.map((name) => [name, home.read(`.config/pegboard/${name}`)])),
    });
    expect(pipeline.resources('MCPServer').map(({ name }) => name)).deep.equal(['std']);
    expect(pipeline.resources('Workflow').map(({ name }) => name)).deep.equal(['made', 'more']);
  });

  it('shows with --dry-run what it would write, and writes nothing', async () => {
    const home = makeClientHome(MUSTER);
    const { code, stdout } = await home.run(['import', home.at('muster'), '--dry-run', '-o', 'json']);
    expect(code).equal(0);
    const { files } = JSON.parse(stdout) as { files: { path: string; what: string }[] };
    expect(files.map(({ what }) => what)).deep.equal(['new', 'new', 'new', 'new']);
    expect(home.ownFiles()).deep.equal([]);
  });

  it('keeps a file that is there already, says so, and imports the others', async () => {
    const home = makeClientHome({ ...MUSTER, '.config/pegboard/config.yaml': 'namespace: mine\n' });
    const { code, stdout } = await home.run(['import', home.at('muster'), '--yes', '-o', 'table']);
    expect(code).equal(1);
    expect(stdout).match(/config\.yaml +\S+config\.yaml +left out: another file is there/);
    expect(written(home, 'config.yaml')).deep.equal({ namespace: 'mine' });
    expect(home.ownFiles()).include('workflows/made.yaml');
  });

  it('is taken back by --undo', async () => {
    const home = makeClientHome(MUSTER);
    await home.run(['import', home.at('muster'), '--yes']);
    const { code, stderr } = await home.run(['import', '--undo', '--yes']);
    expect(code, stderr).equal(0);
    expect(home.ownFiles().filter((name) => name.endsWith('.yaml'))).deep.equal([]);
  });

  it('names the place of what it cannot read, and a folder that holds nothing', async () => {
    const home = makeClientHome({ 'muster/mcpservers/a.yaml': 'kind: [\n', 'empty/notes.txt': '' });
    const broken = await home.run(['import', home.at('muster'), '--yes']);
    expect(broken.code).equal(1);
    expect(broken.stderr).match(/mcpservers\/a\.yaml:\d+:\d+: /);
    const empty = await home.run(['import', home.at('empty'), '--yes']);
    expect(empty.code).not.equal(0);
    expect(empty.stderr).include(
      'has no config.yaml, and no definitions in mcpservers/, workflows/, toolsetpresets/ or accesses/',
    );
  });
});
