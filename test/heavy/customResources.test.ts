import { execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import type { JsonObject } from '../../kernel/index.ts';
import { storableSpec } from '../../plugins/kit/definitions/storableSpec.ts';
import { KUBECTL } from '../support/kube/binaries.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { crdFiles } from '../support/kube/installCrds.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { runPegboard } from '../support/serve.ts';
import { makeDirectory } from '../support/directory.ts';
import { packedFolder } from '../support/packed.ts';
import { typeVerb } from '../support/typeVerb.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const EXAMPLES = join(ROOT, 'examples');
const STDIO = { type: 'stdio', command: ['node', 'server.js'] };
const REMOTE = { type: 'streamable-http', url: 'https://mcp.example/mcp' };
const PINNED = { issuer: 'https://login.example.com' };
const EXCHANGE = { enabled: true, idpTokenEndpoint: 'https://idp.example/token', connectorId: 'a' };

describe('the custom resource definitions', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let KUBECONFIG: string;
  before(async function () {
    plane = await planeWithCrds(this);
    namespace = await plane.makeNamespace();
    KUBECONFIG = plane.kubeconfig(plane.certificateOf('admin', 'system:masters'), namespace.name);
  });

  const env = (): NodeJS.ProcessEnv => ({ ...process.env, KUBECONFIG });
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(KUBECTL, args, { env: env() })).stdout;
  /** @returns the status and the messages of a create */
  const create = async (kind: string, spec: object): Promise<string> => {
    const plural = `${kind.toLowerCase()}s`;
    const body = { apiVersion: GROUP, kind, metadata: { generateName: 'one-' }, spec };
    const path = `${namespace.path(plural, GROUP)}?fieldValidation=Strict`;
    const { status, text: said } = await plane.admin.ask('POST', path, { body });
    return `${status} ${status === 201 ? '' : (JSON.parse(said) as { message: string }).message}`;
  };

  it('are what pegboard crds prints for kubectl, as YAML and as JSON', async () => {
    const { stdout, code } = await runPegboard(['crds']);
    expect(code).equal(0);
    const printed = parseAllDocuments(stdout).map((document) => document.toJS() as unknown);
    expect(printed).deep.equal(crdFiles());
    const applied = spawn(KUBECTL, ['apply', '-f', '-'], { env: env() });
    applied.stdin.end(stdout);
    expect(await text(applied.stdout)).match(/mcpservers\.pegboard\.dev (configured|unchanged)/);
    const { stdout: json } = await runPegboard(['crds', '-o', 'json']);
    expect(JSON.parse(json)).deep.equal({ apiVersion: 'v1', kind: 'List', items: crdFiles() });
  });

  it('are printed by kubectl pegboard, too, a plugin of kubectl by its name', async () => {
    const { bin } = JSON.parse(readFileSync(join(packedFolder(), 'package.json'), 'utf8')) as {
      readonly bin: Readonly<Record<string, string>>;
    };
    const directory = makeDirectory({});
    symlinkSync(join(packedFolder(), bin['kubectl-pegboard'] ?? ''), directory.at('kubectl-pegboard'));
    const PATH = `${directory.path}:${process.env['PATH'] ?? ''}`;
    const { stdout } = await promisify(execFile)(KUBECTL, ['pegboard', 'crds'], { env: { ...env(), PATH } });
    expect(stdout).equal((await runPegboard(['crds'])).stdout);
  });

  it('are structural', async () => {
    for (const { metadata } of crdFiles()) {
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`;
      expect(JSON.stringify((await plane.admin.get(path)).status)).not.include('NonStructuralSchema');
    }
  });

  it('take what the kinds take', async () => {
    const specs: readonly (readonly [string, object])[] = [
      ['MCPServer', { ...STDIO, env: { A: 'b' }, args: ['x'], questions: ['roots'], callTimeouts: { a: 5 } }],
      ['MCPServer', { ...REMOTE, headers: { A: 'b' }, env: { A: 'b' }, auth: { type: 'oauth' }, timeout: 5 }],
      [
        'Workflow',
        {
          args: {
            n: { type: 'integer', default: 3, enum: [3, 'x', null] },
            o: { type: 'object', default: { a: [1] } },
          },
          steps: [
            { id: 'a', tool: 't', args: { deep: [{ x: 1 }, 'y'] }, condition: '{{ true }}', timeout: '90s' },
            {
              id: 'b',
              forEach: { items: [1, 'two'], steps: [{ id: 'c', tool: 't', condition: { fromStep: 'a' } }] },
            },
            { id: 'd', parallel: [{ id: 'e', tool: 't', output: null }] },
          ],
          output: { any: { thing: '{{ .x }}' } },
        },
      ],
    ];
    for (const [kind, spec] of specs) expect(await create(kind, spec), JSON.stringify(spec)).match(/^201/);
  });

  it('take every definition of the examples', async () => {
    const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(mcpservers|workflows)\/(?!config)[^/]+\.yaml$/.test(file),
    );
    expect(files).not.deep.equal([]);
    for (const file of files) {
      const given = parse(readFileSync(join(EXAMPLES, file), 'utf8')) as JsonObject;
      // A file may have the form of a custom resource.
      const { spec: own } = given;
      const others = Object.entries(given).filter(([key]) => key !== 'name' && key !== 'labels');
      const spec = Object.fromEntries(others);
      const kind = file.includes('mcpservers/') ? 'MCPServer' : 'Workflow';
      expect(await create(kind, storableSpec((own ?? spec) as JsonObject)), file).match(/^201/);
    }
  });

  it('take what pegboard export writes of the examples, by kubectl, and give it back', async () => {
    const own = readdirSync(EXAMPLES).filter((name) =>
      ['mcpservers', 'workflows'].some((folder) => existsSync(join(EXAMPLES, name, folder))),
    );
    expect(own).include.members(['minimal', 'workflows']);
    const directory = makeDirectory({});
    for (const name of own) {
      const to = directory.at(name);
      const { code, stderr } = await typeVerb([
        'export',
        '--kubernetes',
        to,
        '--config-path',
        join(EXAMPLES, name),
      ]);
      expect(code, stderr).equal(0);
      const said = await kubectl('apply', '--dry-run=server', '--validate=strict', '-f', to);
      expect(said.trim().split('\n'), name).have.length(readdirSync(to).length);
    }
    await kubectl('apply', '-f', directory.at('minimal'));
    const names = ['mcpserver/everything', 'mcpserver/files'];
    directory.write('list.yaml', await kubectl('get', ...names, '-o', 'yaml'));
    await typeVerb(['export', '--files', directory.at('back'), '-f', directory.at('list.yaml')]);
    for (const name of ['everything', 'files']) {
      const given = parse(readFileSync(join(EXAMPLES, `minimal/mcpservers/${name}.yaml`), 'utf8')) as object;
      const { spec } = parse(
        readFileSync(directory.at(`back/mcpservers/${name}.yaml`), 'utf8'),
      ) as JsonObject;
      expect(spec).deep.include(given);
    }
  });

  it('take the examples that are objects as they are, by kubectl', async () => {
    const folder = join(EXAMPLES, 'workflows/workflows');
    const said = await kubectl('apply', '--dry-run=server', '--validate=strict', '-f', folder);
    expect(said.trim().split('\n')).have.length(readdirSync(folder).length);
  });

  it('refuse what the kinds refuse, with their words', async () => {
    for (const [kind, spec, words] of [
      ['MCPServer', { type: 'sse' }, 'url is required for streamable-http and sse types'],
      ['MCPServer', { ...STDIO, headers: { a: 'b' } }, 'headers does not belong to a server of type stdio'],
      [
        'MCPServer',
        { ...REMOTE, type: 'sse', revision: 'modern' },
        'revision modern does not exist over sse',
      ],
      ['MCPServer', { type: 'http' }, 'Unsupported value: "http"'],
      ['MCPServer', { ...STDIO, auth: { type: 'oauth' } }, 'auth configuration is only supported for remote'],
      ['MCPServer', { ...REMOTE, auth: { authorizationServer: PINNED } }, 'needs auth.type: oauth'],
      [
        'MCPServer',
        { ...REMOTE, auth: { type: 'oauth', forwardToken: true, authorizationServer: PINNED } },
        'auth.authorizationServer and auth.forwardToken exclude one another',
      ],
      [
        'MCPServer',
        { ...REMOTE, auth: { type: 'oauth', tokenExchange: EXCHANGE, authorizationServer: PINNED } },
        'auth.authorizationServer and auth.tokenExchange exclude one another',
      ],
      ['Workflow', {}, 'a workflow needs at least one step'],
      ['Workflow', { steps: [{ id: 'a' }] }, 'exactly one of tool, forEach and parallel'],
      ['Workflow', { steps: [{ id: 'a', parallel: [{ id: 'b' }] }] }, 'a step within another one has a tool'],
    ] as const)
      expect(await create(kind, spec), words)
        .match(/^422/)
        .and.include(words);
    expect(await create('MCPServer', { ...STDIO, comand: 'x' }))
      .match(/^400/)
      .and.include('unknown field "spec.comand"');
  });

  it('take a command as a list or a text, and durations and versions as texts only', async () => {
    for (const command of ['node', ['node', 'server.js']])
      expect(await create('MCPServer', { ...STDIO, command, args: ['a'] })).match(/^201/);
    const steps = [{ id: 'a', tool: 't' }];
    expect(await create('Workflow', { steps, timeout: 90 })).match(/^422/);
    expect(await create('Workflow', { steps, version: 1 })).match(/^422/);
  });

  it('show kubectl what is ready, wait for it, and explain the fields', async () => {
    const path = namespace.path('mcpservers', GROUP);
    await plane.admin.create(path, {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name: 'shop' },
      spec: REMOTE,
    });
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Connected',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const { status } = await plane.admin.ask('PATCH', `${path}/shop/status`, {
      body: { status: { tools: 7, conditions: [ready] }, spec: { url: 'https://other.example' } },
    });
    expect(status).equal(200);
    expect(await kubectl('wait', '--for=condition=Ready', 'mcpserver/shop', '--timeout=5s')).include('met');
    expect(await kubectl('get', 'mcps', 'shop')).match(
      /^NAME +READY +TYPE +TOOLS +REASON +NEXT RETRY +AGE\nshop +True +streamable-http +7 +Connected/,
    );
    expect((await plane.admin.get(`${path}/shop`))['spec']).include({ url: REMOTE.url });
    // The API server publishes the schemas some time after the definitions.
    await until(async () => (await kubectl('explain', 'mcpservers.spec.command')).includes('stdio only'), {
      what: 'the explanation',
      withinMs: 20_000,
    });
  });
});
