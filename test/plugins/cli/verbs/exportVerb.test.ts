import { readFileSync, readdirSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { makeDirectory } from '../../../support/directory.ts';
import { typeVerb } from '../../../support/typeVerb.ts';

const SERVER = 'type: stdio\ncommand: node\nenv: { ON: "yes", KEY: "${env:KEY}", TIME: "1:30" }\n';
const FLOW = `apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata: { name: flow, labels: { team: a }, uid: 8f, managedFields: [] }
spec:
  version: 2
  steps: [{ id: a, tool: t, timeout: 5, retry: { max: 1, on: [timeout] } }]
status: { steps: 1 }
`;

describe('pegboard export', () => {
  const setUp = (): ReturnType<typeof makeDirectory> =>
    makeDirectory({ 'mcpservers/one.yaml': SERVER, 'workflows/flow.yaml': FLOW });

  it('writes custom resources that a reader of YAML 1.1 takes as they are meant, secrets by name', async () => {
    const directory = setUp();
    const to = directory.at('objects');
    const path = ['--config-path', directory.path];
    const { code, stdout, stderr } = await typeVerb(['export', '--kubernetes', to, ...path], { KEY: 'hush' });
    expect(code, stderr).equal(0);
    expect(stdout).match(/^NAME +KIND +FILE +ACTION\none +MCPServer +\S+server-one\.yaml +written\nflow /);
    expect(stderr).include(`kubectl apply -f ${to} creates them`);
    const read = (name: string): unknown =>
      parse(readFileSync(directory.at(`objects/${name}`), 'utf8'), { version: '1.1' });
    expect(readdirSync(to).sort()).deep.equal(['server-one.yaml', 'workflow-flow.yaml']);
    expect(read('server-one.yaml')).deep.equal({
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'MCPServer',
      metadata: { name: 'one' },
      spec: { type: 'stdio', command: 'node', env: { ON: 'yes', KEY: '${env:KEY}', TIME: '1:30' } },
    });
    expect(read('workflow-flow.yaml')).deep.equal({
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'Workflow',
      metadata: { name: 'flow', labels: { team: 'a' } },
      spec: {
        version: '2',
        steps: [{ id: 'a', tool: 't', timeout: '5s', retry: { max: 1, retryOn: ['timeout'] } }],
      },
    });
  });

  it('writes the files of a configuration directory, from objects as kubectl prints them', async () => {
    const directory = setUp();
    const list = { apiVersion: 'v1', kind: 'List', items: [parse(FLOW) as unknown] };
    directory.write('list.json', JSON.stringify(list));
    const to = directory.at('back');
    const { stdout } = await typeVerb(
      ['export', '--files', to, '-f', directory.at('list.json'), '-o', 'json'],
      {},
    );
    const file = directory.at('back/workflows/flow.yaml');
    expect(JSON.parse(stdout)).deep.equal([{ name: 'flow', kind: 'Workflow', file, action: 'written' }]);
    const { spec } = parse(FLOW) as { readonly spec: unknown };
    expect(parse(readFileSync(file, 'utf8'))).deep.include({
      spec,
      metadata: { name: 'flow', labels: { team: 'a' } },
    });
  });

  it('writes presets and entries of access, of which a file may name no kind, both ways', async () => {
    const access = { groups: ['team'], toolset: ['preset:mine'] };
    const directory = makeDirectory({
      'toolsetpresets/mine.yaml': 'include: [{ server: one }]\n',
      'accesses/team.yaml': JSON.stringify(access),
    });
    const to = directory.at('objects');
    await typeVerb(['export', '--kubernetes', to, '--config-path', directory.path]);
    expect(readdirSync(to).sort()).deep.equal(['access-team.yaml', 'preset-mine.yaml']);
    const read = (name: string): unknown => parse(readFileSync(directory.at(name), 'utf8'));
    expect(read('objects/access-team.yaml')).deep.equal({
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'Access',
      metadata: { name: 'team' },
      spec: access,
    });
    const files = ['access-team', 'preset-mine'].flatMap((name) => ['-f', `${to}/${name}.yaml`]);
    await typeVerb(['export', '--files', directory.at('back'), ...files]);
    expect(read('back/toolsetpresets/mine.yaml')).deep.include({ spec: { include: [{ server: 'one' }] } });
    expect(read('back/accesses/team.yaml')).deep.include({ kind: 'Access' });
  });

  it('overwrites no file that differs without --force, and then writes none', async () => {
    const directory = setUp();
    const to = directory.at('objects');
    const args = ['export', '--kubernetes', to, '--config-path', directory.path];
    await typeVerb(args);
    directory.write('objects/server-one.yaml', 'mine: true\n');
    directory.write('mcpservers/two.yaml', SERVER);
    const refused = await typeVerb(args);
    expect(refused.code).equal(1);
    expect(refused.stderr).include('server-one.yaml exists already and differs, nothing was written');
    expect(readdirSync(to)).not.include('server-two.yaml');
    const forced = await typeVerb([...args, '--force']);
    expect(forced.stdout)
      .match(/one .* overwritten\n/)
      .and.match(/flow .* unchanged\n/);
  });

  it('names the place of what no object can be called, and what is missing', async () => {
    const directory = makeDirectory({ 'mcpservers/my_one.yaml': SERVER });
    const said = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await typeVerb(['export', ...args, '--config-path', directory.path]);
      expect(code).equal(1);
      return stderr;
    };
    const to = directory.at('objects');
    expect(await said('--kubernetes', to)).match(/my_one\.yaml:1:1: "my_one" cannot be the name of a Kub/);
    expect(await said()).include('write either --kubernetes DIR or --files DIR');
    const empty = makeDirectory({});
    const { stderr } = await typeVerb(['export', '--kubernetes', to, '--config-path', empty.path]);
    expect(stderr).include(
      'has no definitions in mcpservers/, workflows/, toolsetpresets/ or accesses/; name files with -f',
    );
  });
});
