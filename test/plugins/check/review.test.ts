import { expect } from 'chai';
import { chmodSync } from 'node:fs';
import { makeDirectory } from '../../support/directory.ts';
import { runPegboard } from '../../support/serve.ts';

const FILES = {
  'config.yaml': `
aggregator: { host: 0.0.0.0 }
plugins: { workflw: false, greeter: false, vault-file: false }
toolsetPresets:
  a:
    include: [{ server: githb }, { workflow: deply }, { tool: x_githb_read }, { tool: x_github_any }, { label: team=x }]
    exclude: [{ tool: core_servce_list }, { workflow: deploy }, { server: github }, { label: { team: web } }]
`,
  'tool.txt': '',
  'mcpservers/github.yaml': `
type: stdio
command: [pegboard-test-absent, serve]
env: { A: '\${env:PEGBOARD_TEST_ABSENT}', B: '\${file:absent.txt}', C: '\${file:tool.txt}', D: plain, E: '\${env:PEGBOARD_TEST_ABSENT:-}' }
`,
  'mcpservers/github_a.yaml':
    "type: streamable-http\nurl: https://example.com/mcp\nheaders: { A: '${env:PATH}' }\n",
  'mcpservers/here.yaml': 'type: stdio\ncommand: [node, x.js]\n',
  'mcpservers/lost.yaml': 'type: stdio\ncommand: /nowhere/tool\n',
  'mcpservers/away.yaml': 'type: stdio\ncommand: [node, x.js]\ncwd: absent\n',
  'mcpservers/beside.yaml': 'type: stdio\ncommand: ./run.sh\ncwd: beside\n',
  'beside/run.sh': '',
  'mcpservers/words.yaml':
    'type: stdio\ncommand: [node, "${env:PEGBOARD_TEST_ABSENT}"]\nargs: ["${file:absent.txt}"]\n',
  'mcpservers/default.yaml': `type: streamable-http
url: http://127.0.0.1:\${env:PEGBOARD_TEST_ABSENT:-8080}/mcp
headers: { A: '\${REGION:-eu}', B: '\${file:tool.txt:-x}', C: '\${env:PEGBOARD_TEST_ABSENT:-{}}' }
`,
  'mcpservers/place.yaml': 'type: sse\nurl: https://${env:PEGBOARD_TEST_ABSENT}/sse\n',
  'workflows/deploy.yaml': `
apiVersion: pegboard.dev/v1alpha1
kind: Workflow
metadata: { name: deploy, labels: { team: web } }
spec:
  steps:
    - { id: one, tool: x_gh_read }
    - { id: two, tool: core_service_list }
    - { id: three, tool: workflow_deploi }
    - { id: four, tool: x_github_whatever }
`,
};

interface Report {
  readonly valid: boolean;
  readonly issues: readonly { file?: string; line?: number; severity: string; message: string }[];
  readonly plugins: readonly string[];
  readonly off: readonly string[];
  readonly definitions: readonly { kind: string; name: string }[];
}

describe('pegboard check', () => {
  let report: Report;
  let text: string;
  const codes: (number | null)[] = [];
  const saying = (part: string): string[] =>
    report.issues
      .filter(({ message }) => message.includes(part))
      .map(({ file = '', line, message }) => `${file.split('/').pop() ?? ''}:${line ?? ''} ${message}`);

  before(async () => {
    const { path, at } = makeDirectory(FILES);
    chmodSync(at('config.yaml'), 0o646);
    const check = ['check', '--config-path', path];
    const [plain, json, strict] = await Promise.all([
      runPegboard(check),
      runPegboard([...check, '--output', 'json']),
      runPegboard([...check, '--strict']),
    ]);
    codes.push(plain.code, json.code, strict.code);
    text = plain.stdout.replaceAll(path, '.');
    report = JSON.parse(json.stdout.replaceAll(path, '.')) as Report;
  });

  it('exits 0 with warnings, and 2 with --strict', () => {
    expect(codes).deep.equal([0, 0, 2]);
    expect(report.valid).equal(true);
  });

  it('prints the same findings as text and as JSON, and the plugins that would run', () => {
    for (const { message } of report.issues) expect(text).contain(`warning: ${message} (`);
    expect(text).match(/^\.: valid, \d+ warnings$/m);
    expect(text).match(
      /^ {2}MCPServer {2}away, beside, default, github, github_a, here, lost, place, words$/m,
    );
    expect(text).match(
      /^ {2}off {8}access, admin, audit, auth-exchange, auth-server, call-history, cassettes, deny, limits, local-token, metrics, pods, search-learned, search-semantic, store-kubernetes, tracing, transport-stdio, vault-file, vault-memory, vault-redis, vault-workers, workers$/m,
    );
    expect(report.plugins).include('upstream');
    expect(report.off).include('vault-file');
    expect(report.definitions.map(({ kind, name }) => `${kind} ${name}`)).include('Workflow deploy');
  });

  it('finds commands that cannot be run', () => {
    expect(saying(': command ')).deep.equal([
      'beside.yaml:2 MCPServer beside: command ./run.sh is not executable; run: chmod +x ./run.sh',
      'github.yaml:3 MCPServer github: command pegboard-test-absent is not on the PATH; install it, or give its full path',
      'lost.yaml:2 MCPServer lost: command /nowhere/tool does not exist; correct the path',
    ]);
  });

  it('finds folders of processes that do not exist', () => {
    expect(saying(': cwd ')).deep.equal([
      'away.yaml:3 MCPServer away: cwd absent is not a folder; correct it',
    ]);
  });

  it('finds references to missing variables and files', () => {
    expect(saying('github: env.')).deep.equal([
      'github.yaml:4 MCPServer github: env.A names the environment variable PEGBOARD_TEST_ABSENT, which is not set; set it and restart Pegboard',
      "github.yaml:4 MCPServer github: env.B names the file ./absent.txt, which cannot be read: ENOENT: no such file or directory, stat './absent.txt'",
    ]);
  });

  it('finds them in the words of a command and in a url too', () => {
    const fault =
      'names the environment variable PEGBOARD_TEST_ABSENT, which is not set; set it and restart Pegboard';
    expect(saying(': command.1 ')).deep.equal([`words.yaml:2 MCPServer words: command.1 ${fault}`]);
    expect(saying(': args.0 ')[0]).include(
      'words.yaml:3 MCPServer words: args.0 names the file ./absent.txt',
    );
    expect(saying(': url ')).deep.equal([`place.yaml:2 MCPServer place: url ${fault}`]);
  });

  it('finds defaults where none is read, and one that a brace ends', () => {
    const wrong = (at: string): string =>
      `default.yaml:3 MCPServer default: ${at}: a default is read in \${env:NAME:-default} only; write it so`;
    expect(saying(' default: ').filter((line) => !line.includes('ENOENT'))).members([
      ...['headers.A', 'headers.B'].map(wrong),
      'default.yaml:3 MCPServer default: headers.C gives PEGBOARD_TEST_ABSENT a default with a brace, which ends the reference; write one without { and }',
    ]);
  });

  it('finds steps of workflows that no tool can serve', () => {
    expect(saying('cannot run')).deep.equal([
      'deploy.yaml:7 Workflow deploy: step one cannot run: no tool is named x_gh_read; those of servers begin with x_away_, x_beside_, x_default_, x_github_, x_github_a_, x_here_, x_lost_, x_place_, x_words_',
      'deploy.yaml:9 Workflow deploy: step three cannot run: no tool is named workflow_deploi; did you mean workflow_deploy?',
    ]);
  });

  it('finds rules of toolset presets that select nothing', () => {
    expect(saying('selects nothing').map((line) => line.replace(/.*preset "a": /, ''))).deep.equal([
      'include[0] selects nothing: no MCP server is named githb; did you mean github?',
      'include[1] selects nothing: no workflow is named deply; did you mean deploy?',
      'include[2] selects nothing: no tool is named x_githb_read; those of servers begin with x_away_, x_beside_, x_default_, x_github_, x_github_a_, x_here_, x_lost_, x_place_, x_words_',
      'include[4] selects nothing: no definition carries the label team=x; put it below metadata.labels of one',
      'exclude[0] selects nothing: no tool is named core_servce_list; did you mean core_service_list?',
    ]);
  });

  it('finds names that shadow one another', () => {
    expect(saying('may hide')).deep.equal([
      'github_a.yaml:1 MCPServer github_a: its tools x_github_a_* may hide those of MCPServer github; rename it or set toolPrefix',
    ]);
  });

  it('does not report an unknown plugin as switched off', () => {
    expect(saying('switches nothing off')).deep.equal([
      'config.yaml:3 plugins.workflw: false switches nothing off: no built-in plugin has that name; did you mean workflow?',
      "config.yaml:3 plugins.greeter: false switches nothing off: no built-in plugin has that name; remove the line, unless it is a third party's",
    ]);
  });

  it('warns of every insecure setting', () => {
    expect(saying('listens beyond')).have.length(1);
    expect(saying('every user of this machine can write it')).deep.equal([
      'config.yaml: every user of this machine can write it, and so have commands run; run: chmod o-w ./config.yaml',
    ]);
  });
});
