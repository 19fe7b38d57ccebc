import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { planText } from '../../../../plugins/cli/plan/planText.ts';
import type { DirectoryPlan } from '../../../../plugins/cli/plan/planText.ts';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { packedProgram } from '../../../support/packed.ts';
import { processesNaming } from '../../../support/proc.ts';
import { runPegboard } from '../../../support/serve.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { until } from '../../../support/until.ts';
import { HttpFixture } from '../../upstream/httpFixture.ts';

const startFixture = async (tools: readonly string[]): Promise<HttpFixture> => {
  const fixture = new HttpFixture();
  fixture.tools = [...tools];
  // Several gateways are its clients.
  fixture.hasSessions = false;
  await fixture.listen();
  defer(() => fixture.kill());
  return fixture;
};
const remote = (url: string, more: object = {}): string =>
  JSON.stringify({ type: 'streamable-http', url, ...more });
const configOf = (toolsetPresets: object): string =>
  JSON.stringify({
    toolsetPresets,
    plugins: {
      audit: { config: { directory: 'state/audit' } },
      // A server that fails is not tried again while the test looks at it.
      upstream: { config: { backoffFirstMs: 60_000, backoffMaxMs: 60_000 } },
    },
  });

describe('pegboard plan', function () {
  this.timeout(30_000);
  const home = makeDirectory();
  let endpoint = '';
  let open: HttpFixture;
  let locked: HttpFixture;
  let served: Directory;
  const plan = (...args: readonly string[]) =>
    runPegboard(['plan', ...args, '--config-path', home.path, '--endpoint', endpoint], {
      TMPDIR: home.at('tmp'),
    });

  before(async () => {
    mkdirSync(home.at('tmp'));
    open = await startFixture(['echo', 'read']);
    locked = await startFixture(['secret']);
    served = makeDirectory({
      'config.yaml': configOf({
        review: { include: [{ pattern: '*_read' }] },
        old: { include: [{ server: 'kept' }] },
      }),
      'mcpservers/kept.yaml': remote(open.url),
      'mcpservers/gone.yaml': remote(open.url),
      'mcpservers/moved.yaml': remote(open.url),
      'mcpservers/hidden.yaml': remote(open.url, { headers: { 'X-Key': 'hush' } }),
      'mcpservers/locked.yaml': remote(locked.url),
    });
    const gateway = await serveHere(served);
    endpoint = `${gateway.url}/mcp`;
    const connected = () => gateway.log.having('server connected').length === 5;
    await until(connected, { withinMs: 10_000 });
    locked.instead = { status: 401, headers: { 'www-authenticate': 'Bearer' } };
  });
  afterEach('no trial is left', () => {
    expect(processesNaming(home.at('tmp'))).deep.equal([]);
    expect(readdirSync(home.at('tmp'))).deep.equal([]);
  });

  it('names the servers started, stopped and restarted, and the tools gained and lost per preset', async () => {
    const after = makeDirectory({
      'config.yaml': configOf({
        review: { include: [{ pattern: '*_read' }], exclude: [{ server: 'moved' }] },
        new: { include: [{ tool: 'x_fresh_echo' }] },
      }),
      'mcpservers/kept.yaml': remote(open.url, { excludeTools: ['echo'] }),
      'mcpservers/fresh.yaml': remote(open.url),
      'mcpservers/moved.yaml': remote(open.url, { headers: { 'X-Team': '${env:HOME}' } }),
      'mcpservers/hidden.yaml': remote(open.url, { headers: { 'X-Key': 'other' } }),
      'mcpservers/locked.yaml': remote(locked.url),
      'mcpservers/broken.yaml': JSON.stringify({
        type: 'stdio',
        command: [process.execPath, '-e', 'console.error("no key"); process.exit(3)'],
        autoStart: true,
      }),
    });
    const [trial, fixed] = await Promise.all([plan(after.path, '-o', 'json'), plan(after.path, '--static')]);
    expect(trial.code, trial.stderr).equal(0);
    const made = JSON.parse(trial.stdout) as DirectoryPlan;
    const servers = [
      'servers',
      '  + broken started',
      '  + fresh started',
      '  - gone stopped',
      '  ~ kept changed (excludeTools)',
      '  ~ moved restarted (headers)',
    ];
    const lines = planText(made).trimEnd().split('\n');
    expect(lines.slice(0, -2)).deep.equal([
      ...servers,
      'tools',
      ...['  + x_fresh_echo', '  + x_fresh_read', '  - x_gone_echo', '  - x_gone_read', '  - x_kept_echo'],
      'tools of preset read-only',
      ...['  + x_fresh_read', '  - x_gone_read'],
      'tools of preset old (removed)',
      ...['  - x_kept_echo', '  - x_kept_read'],
      'tools of preset review',
      ...['  + x_fresh_read', '  - x_gone_read', '  - x_moved_read'],
      'tools of preset new (new)',
      '  + x_fresh_echo',
      'not known',
    ]);
    expect(lines.at(-2)).match(/^ {2}\? broken: could not start: .*no key/);
    expect(lines.at(-1)).match(/^ {2}\? locked \(1 tools now\): needs a sign-in/);
    expect(trial.stderr)
      .contain(`serving ${after.path} beside the running gateway, which does not change`)
      .and.match(/secrets are not compared.*: hidden\n$/);
    expect(made.servers[4]).deep.equal({ name: 'moved', change: 'restarted', fields: ['headers'] });
    expect(made.hidden).deep.equal(['hidden']);
    expect(made.tools?.unknown[1]).deep.include({ name: 'locked', tools: ['x_locked_secret'] });
    expect(fixed.stdout.trimEnd().split('\n')).deep.equal(servers);
    expect(fixed.stderr).contain('tools are not compared');
  });

  it('says that nothing changes, and leaves the audit trail to the running gateway', async () => {
    locked.instead = undefined;
    const { code, stdout, stderr } = await plan(served.path);
    expect({ code, stdout }).deep.equal({ code: 0, stdout: '' });
    expect(stderr).contain('nothing changes\n');
    const trail = readFileSync(served.at('state/audit/audit-000000000001.jsonl'), 'utf8');
    expect(trail.match(/"type":"started"/g)).length(1);
  });

  it('prints what check says about a broken directory, and starts nothing', async () => {
    const broken = makeDirectory({ 'mcpservers/bad.yaml': 'type: nothing\n' });
    const { code, stdout, stderr } = await plan(broken.path);
    expect({ code, stdout }).deep.equal({ code: 1, stdout: '' });
    expect(stderr).contain('bad.yaml:1').and.not.contain('serving');
    expect((await plan(broken.at('none'))).code).equal(1);
  });

  it('ends the trial at Ctrl-C', async () => {
    const mute = await startFixture([]);
    mute.isMute = true;
    const slow = makeDirectory({ 'mcpservers/mute.yaml': remote(mute.url) });
    const argv = [packedProgram(), 'plan', slow.path, '--config-path', home.path, '--endpoint', endpoint];
    const child = spawn(process.execPath, argv, { env: { ...process.env, TMPDIR: home.at('tmp') } });
    defer(() => child.kill('SIGKILL'));
    const words = text(child.stderr);
    await until(() => mute.headers.length > 0, { withinMs: 15_000 });
    child.kill('SIGINT');
    expect(await once(child, 'close')).deep.equal([130, null]);
    expect(await words).contain('interrupted');
  });
});
