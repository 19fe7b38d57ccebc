import { expect } from 'chai';
import { GatewayError, definePlugin, findingsIn, readSchema } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { SecretSource } from '../../../plugins/contracts/secrets.ts';
import { makeDirectory } from '../../support/directory.ts';
import { gate } from '../../support/until.ts';
import { HttpFixture } from './httpFixture.ts';
import { Rig, hostile, until } from './support.ts';

/** Long enough that no look but the wanted one happens in a test. */
const NEVER_MS = 600_000;
const SOON_MS = 50;
const UNFILLED = 'headers of a server cannot be filled with its changed secret; it keeps what it has';
const WORDS = 'a secret that connections use cannot be read; they keep what they have';

describe('upstream: secrets that change', () => {
  let rig: Rig;
  let server: HttpFixture;
  /** Texts by `name/key`. */
  let secrets: Record<string, string>;
  let reads: string[];
  /** What each read waits for. */
  let held: Promise<void> | undefined;
  let asked: number;

  beforeEach(async () => {
    rig = new Rig();
    server = new HttpFixture();
    await server.listen();
    [secrets, reads, held, asked] = [{ 'tracker/token': 'old', 'tracker/user': 'ann' }, [], undefined, 0];
  });
  afterEach(async () => {
    await rig.stop();
    await server.kill();
  });

  const read: SecretSource['read'] = async ({ name }, keys) => {
    asked += 1;
    await held;
    return keys.map((key) => {
      reads.push(`${name}/${key}`);
      const text = secrets[`${name}/${key}`];
      if (text === undefined) throw new GatewayError('STORE_NOT_FOUND', `secret ${name} not found`);
      return text;
    });
  };
  const source = definePlugin({
    name: 'secrets',
    api: 1,
    configSchema: {},
    provides: [SecretSource],
    apply: (scope) => scope.provide(SecretSource, { read }),
  });
  /** No server is tried again by itself. */
  const configure = (rereadSecretsMs: number): Promise<void> =>
    rig.configure({ rereadSecretsMs, backoffFirstMs: NEVER_MS, backoffMaxMs: NEVER_MS }, [source]);
  const remote = (headers: JsonObject = { Authorization: 'Bearer ${secret:tracker/token}' }): JsonObject => ({
    type: 'streamable-http',
    url: server.url,
    timeout: 5,
    headers,
  });
  const sent = (): unknown => server.headers.at(-1)?.authorization;
  /** Answers 401 to all that do not have the secret as it is now. */
  const refuseOthers = (): void => {
    server.intercept = (_, res) => {
      if (res.req.headers.authorization === `Bearer ${secrets['tracker/token']}`) return false;
      res.writeHead(401).end();
      return true;
    };
  };
  const warnings = (): readonly unknown[] =>
    rig.lines.filter(({ text }) => text === WORDS).map(({ data }) => [data['secret'], data['reason']]);

  it('are in the headers of the next request, while calls under way end as they began', async () => {
    await configure(SOON_MS);
    await rig.define({ s: remote() });
    await rig.hasTool('x_s_echo');
    const slow = rig.text('x_s_slow', { ms: 400 });
    secrets['tracker/token'] = 'new';
    await until('the new header', async () => {
      await rig.text('x_s_echo', { message: 'm' });
      return sent() === 'Bearer new';
    });
    expect(await slow).equal('slow ');
    expect(server.count('initialize')).equal(1);
    expect(rig.told('server.disconnected')).deep.equal([]);
    expect(JSON.stringify(rig.lines)).not.match(/old|Bearer new/);
  });

  it('start a process anew, whose running call ends before, and whose next one waits', async () => {
    await configure(SOON_MS);
    await rig.define({ s: hostile('plain', { env: { TOKEN: '${secret:tracker/token}' } }) });
    await rig.hasTool('x_s_pid');
    const before = await rig.text('x_s_pid');
    const slow = rig.text('x_s_slow', { ms: 400 });
    secrets['tracker/token'] = 'new';
    await until('another process', async () => (await rig.text('x_s_pid')) !== before);
    expect(await slow).a('string');
    expect(await rig.text('x_s_env'))
      .contain('"TOKEN":"new"')
      .not.contain('old');
  });

  it('are read at once when a server answers 401, and the call is sent again', async () => {
    await configure(NEVER_MS);
    await rig.define({ s: remote() });
    await rig.hasTool('x_s_echo');
    refuseOthers();
    secrets['tracker/token'] = 'new';
    const calls = Array.from({ length: 20 }, (_, at) => rig.text('x_s_echo', { message: String(at) }));
    expect(await Promise.all(calls)).deep.equal(calls.map((_, at) => `echo ${at}`));
    expect(reads).deep.equal(['tracker/token', 'tracker/token']);
  });

  it('that are the same after a 401 are not read again for each call', async () => {
    await configure(NEVER_MS);
    await rig.define({ s: remote() });
    await rig.hasTool('x_s_echo');
    server.instead = { status: 401 };
    for (let at = 0; at < 20; at += 1)
      expect((await rig.refusal('x_s_echo')).code).equal('UPSTREAM_AUTH_REQUIRED');
    expect(reads).deep.equal(['tracker/token', 'tracker/token']);
  });

  it('connect a server that was refused with the former one', async () => {
    refuseOthers();
    await configure(SOON_MS);
    const url = `${server.url}?token=\${secret:tracker/user}`;
    secrets = { 'tracker/token': 'right', 'tracker/user': 'ann', 'tracker/wrong': 'wrong' };
    await rig.define({ s: { ...remote({ Authorization: 'Bearer ${secret:tracker/wrong}' }), url } });
    await rig.reaches('s', 'auth_required');
    secrets['tracker/wrong'] = 'right';
    await rig.hasTool('x_s_echo');
  });

  it('connect a server at once when they appear', async () => {
    await configure(SOON_MS);
    await rig.define({ s: remote({ Authorization: 'Bearer ${secret:later/token}' }) });
    await rig.reaches('s', 'failed');
    secrets['later/token'] = 'there';
    await rig.hasTool('x_s_echo');
    expect(sent()).equal('Bearer there');
  });

  it('that vanish stay in force, which is said once, and again when they are back', async () => {
    await configure(SOON_MS);
    await rig.define({ s: remote() });
    await rig.hasTool('x_s_echo');
    delete secrets['tracker/token'];
    await until('two looks', () => reads.length > 4);
    expect(await rig.text('x_s_echo', { message: 'm' })).equal('echo m');
    expect(sent()).equal('Bearer old');
    expect(warnings()).deep.equal([['tracker', 'secret tracker not found']]);
    secrets['tracker/token'] = 'new';
    await until('the new one', async () => {
      await rig.text('x_s_echo', { message: 'm' });
      return sent() === 'Bearer new';
    });
    expect(rig.told('server.disconnected')).deep.equal([]);
  });

  it('leave the headers as they are while another reference in them cannot be read', async () => {
    const directory = makeDirectory({ key: 'k1' });
    await configure(SOON_MS);
    await rig.define({
      s: remote({
        Authorization: 'Bearer ${secret:tracker/token}',
        'X-Key': `\${file:${directory.at('key')}}`,
      }),
    });
    await rig.hasTool('x_s_echo');
    directory.remove('key');
    secrets['tracker/token'] = 'new';
    await until('the warning', () => rig.lines.some(({ text }) => text === UNFILLED));
    expect(await rig.text('x_s_echo', { message: 'm' })).equal('echo m');
    expect(server.headers.at(-1)).include({ authorization: 'Bearer old', 'x-key': 'k1' });
    directory.write('key', 'k2');
    await until('both', async () => {
      await rig.text('x_s_echo', { message: 'm' });
      return sent() === 'Bearer new' && server.headers.at(-1)?.['x-key'] === 'k2';
    });
    expect(server.count('initialize')).equal(1);
    expect(JSON.stringify(rig.lines)).not.match(/Bearer old|Bearer new|k1|k2/);
  });

  it('leave the headers as they are after a 401, too, while another reference cannot be read', async () => {
    const directory = makeDirectory({ key: 'k1' });
    await configure(NEVER_MS);
    await rig.define({
      s: remote({
        Authorization: 'Bearer ${secret:tracker/token}',
        'X-Key': `\${file:${directory.at('key')}}`,
      }),
    });
    await rig.hasTool('x_s_echo');
    directory.remove('key');
    refuseOthers();
    secrets['tracker/token'] = 'new';
    expect((await rig.refusal('x_s_echo')).code).equal('UPSTREAM_AUTH_REQUIRED');
  });

  it('are never empty in a header while they change, and servers answer 401', async () => {
    await configure(SOON_MS);
    secrets = { 'a/text': 'a0', 'b/text': 'b0' };
    await rig.define({
      s: remote({ Authorization: 'Bearer ${secret:a/text}', 'X-Key': '${secret:b/text}' }),
    });
    await rig.hasTool('x_s_echo');
    server.headers.length = 0;
    server.intercept = (_, res) => {
      if (res.req.headers.authorization === `Bearer ${secrets['a/text']}`) return false;
      res.writeHead(401).end();
      return true;
    };
    for (let at = 1; at <= 10; at += 1) {
      secrets = { 'a/text': `a${at}`, 'b/text': `b${at}` };
      await until('the new header', () =>
        rig.text('x_s_echo', { message: 'm' }).then(
          () => sent() === `Bearer a${at}`,
          () => false,
        ),
      );
    }
    for (const { authorization, 'x-key': key } of server.headers) {
      expect(authorization).match(/^Bearer a\d+$/);
      expect(key).match(/^b\d+$/);
    }
  });

  it('replace a process that was started ahead, so that a session begins with what is right', async () => {
    await configure(SOON_MS);
    const spec = hostile('plain', { env: { TOKEN: '${secret:tracker/token}' } });
    await rig.define({ s: { ...spec, instances: 'perSession', warmInstances: 1 } });
    await rig.hasTool('x_s_env');
    await until('one ahead', () => reads.length >= 2);
    secrets['tracker/token'] = 'new';
    const renewed = (): number =>
      rig.lines.filter(({ text }) => text === 'a secret of a server has changed').length;
    await until('both are renewed', () => renewed() === 2);
    expect(await rig.text('x_s_env', {}, { sessionId: 'one' })).contain('"TOKEN":"new"');
  });

  it('of many servers are read once a look, and a missing key keeps no other from being renewed', async () => {
    server.hasSessions = false;
    await configure(SOON_MS);
    const named = Array.from({ length: 20 }, (_, at) => [`s${at}`, remote()] as const);
    const lacking = remote({ 'X-Key': '${secret:tracker/none}' });
    await rig.define({ ...Object.fromEntries(named), lacking });
    for (const [name] of named) await rig.hasTool(`x_${name}_echo`);
    await rig.reaches('lacking', 'failed');
    reads = [];
    await until('a look', () => reads.length >= 4);
    expect(new Set(reads.slice(0, 4))).deep.equal(new Set(['tracker/token', 'tracker/none']));
    secrets['tracker/token'] = 'new';
    await until('all have it', async () => {
      const all = named.map(async ([name]) => {
        await rig.text(`x_${name}_echo`, { message: 'm' });
      });
      server.headers.length = 0;
      await Promise.all(all);
      return server.headers.every(({ authorization }) => authorization === 'Bearer new');
    });
  });

  it('are read again once a day at least, since a longer timer would end at once', () => {
    const faults = (rereadSecretsMs: number) =>
      findingsIn(readSchema('config/upstream'), { rereadSecretsMs }).map(({ message }) => message);
    expect(faults(86_400_001)).deep.equal([
      'rereadSecretsMs must be at most 86400000 (maximum), not 86400001',
    ]);
    expect(faults(86_400_000)).deep.equal([]);
  });

  it('are not waited for at the end', async () => {
    await configure(SOON_MS);
    await rig.define({ s: remote() });
    await rig.hasTool('x_s_echo');
    const { opened, open } = gate();
    held = opened;
    const before = asked;
    await until('a look', () => asked > before);
    secrets['tracker/token'] = 'new';
    await rig.stop();
    open();
    await held;
    expect(rig.lines.filter(({ text }) => text === 'a secret of a server has changed')).deep.equal([]);
  });
});
