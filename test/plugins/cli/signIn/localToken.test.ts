import { expect } from 'chai';
import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DoctorFinding } from '../../../../plugins/cli/doctor/doctorFinding.ts';
import { defer } from '../../../support/cleanup.ts';
import { makeDirectory } from '../../../support/directory.ts';
import type { Directory } from '../../../support/directory.ts';
import { freePort } from '../../../support/everything.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import type { Typed } from '../../../support/typeVerb.ts';

describe('the command line and the local token', () => {
  let own: Directory;
  let port: number;
  let url: string;
  const token = (): string => readFileSync(own.at('state/local-token'), 'utf8').trim();
  const type = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Typed> =>
    typeVerb([...args, '--config-path', own.path], env);
  beforeEach(async () => {
    port = await freePort();
    own = makeDirectory({ 'config.yaml': `aggregator: { port: ${port}, localToken: true }\n` });
    await serveHere(own, port);
    url = `http://localhost:${port}/mcp`;
  });

  it('reads it by itself for the gateway of its configuration directory, by any name of this machine', async () => {
    for (const more of [[], ['--endpoint', url], ['--endpoint', `http://127.0.0.1:${port}/mcp/t/full`]]) {
      const { code, stdout, stderr } = await type(['list', 'presets', '-o', 'name', ...more]);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.include('full\n');
      expect(stdout + stderr).not.to.include(token());
    }
  });

  it('finds it where PEGBOARD_STATE_PATH says', async () => {
    const elsewhere = makeDirectory();
    const file = token();
    renameSync(own.at('state/local-token'), elsewhere.at('local-token'));
    const lost = await type(['list', 'presets']);
    expect(lost).to.include({ code: 1, stdout: '' });
    expect(lost.stderr).to.include('this gateway wants its local token: send the header Authorization');
    const found = await type(['list', 'presets'], { PEGBOARD_STATE_PATH: elsewhere.path });
    expect(found.code, found.stderr).to.equal(0);
    own.write('state/local-token', `${file.replace(/^./, 'x')}x\n`);
    const wrong = await type(['list', 'presets']);
    expect(wrong).to.include({ code: 1, stdout: '' });
    expect(wrong.stderr).to.match(/^pegboard: this is not the local token of this gateway: .*\n$/);
  });

  it('sends it to no other address, and shows what a gateway of another user says', async () => {
    const sent: unknown[] = [];
    const other = createServer(({ headers: { authorization } }, response) => {
      sent.push(authorization);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    defer(() => other.close());
    await once(other, 'listening');
    const at = `http://localhost:${(other.address() as AddressInfo).port}/mcp`;
    expect((await type(['list', 'presets', '--endpoint', at])).code).to.equal(1);
    expect(sent).to.have.length.above(0);
    expect(sent.filter((one) => one !== undefined)).to.deep.equal([]);
    const stranger = await typeVerb([
      'list',
      'presets',
      '--config-path',
      makeDirectory().path,
      '--endpoint',
      url,
    ]);
    expect(stranger).to.include({ code: 1, stdout: '' });
    expect(stranger.stderr).to.include(`the token is the text of ${own.at('state/local-token')}, and `);
  });

  it('does not send it when it is switched off, and does not read config.yaml for other gateways', async () => {
    own.write('config.yaml', 'aggregator: [');
    const there = ['list', 'presets', '--endpoint', 'http://mcp.invalid/mcp'];
    expect((await type(there)).stderr).to.match(/^pegboard: no gateway answers at http:\/\/mcp\.invalid/);
    own.write('config.yaml', `aggregator: { port: ${port} }\n`);
    expect((await type(['list', 'presets'])).stderr).to.include('this gateway wants its local token');
  });

  it('is what auth token prints, and no sign-in', async () => {
    expect(await type(['auth', 'token'])).to.include({ code: 0, stdout: `${token()}\n` });
    const json = await type(['auth', 'token', '-o', 'json']);
    expect(JSON.parse(json.stdout)).to.deep.equal({ access_token: token(), token_type: 'Bearer' });
    const login = await type(['auth', 'login']);
    expect(login).to.include({ code: 0, stderr: `${url} wants no sign-in\n` });
    expect((await type(['auth', 'status', '-o', 'name'])).stdout).to.equal('not_required\n');
    const stranger = ['--config-path', makeDirectory().path, '--endpoint', url];
    const refused = await typeVerb(['auth', 'login', ...stranger]);
    expect(refused).to.include({ code: 1, stdout: '' });
    expect(refused.stderr).to.include('this gateway wants its local token');
  });

  it('is named by doctor as what is missing, and the gateway as one', async () => {
    const stranger = ['--config-path', makeDirectory().path, '--endpoint', url, '-o', 'json'];
    const { code, stdout } = await typeVerb(['doctor', ...stranger]);
    expect(code).to.equal(1);
    const findings = JSON.parse(stdout) as readonly DoctorFinding[];
    expect(findings.find(({ subject }) => subject === 'gateway')).to.deep.include({
      level: 'error',
      fix: 'PEGBOARD_STATE_PATH=<state directory of that gateway> pegboard doctor',
    });
    expect(findings.map(({ subject }) => subject)).not.to.include('port');
  });
});
