import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { startGateway } from '../../contract/index.ts';
import type { TestGateway } from '../../contract/index.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { selfSigned } from '../../support/certificate.ts';
import { defer } from '../../support/cleanup.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { freePort } from '../../support/everything.ts';
import { clientOf, needRedis, startRedis, startSentinel } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

describe('plugin vault-redis: access', function () {
  this.timeout(20_000);
  before(function () {
    needRedis(this);
  });

  async function start(config: object, directory: Directory = makeDirectory()): Promise<TestGateway> {
    const settings = { timeoutMs: 400, verifyMs: 100, ...config };
    const gateway = await startGateway({
      directory: directory.path,
      plugins: { 'vault-redis': { config: settings } },
      builtIns: ['vault-redis', 'http'],
    });
    defer(() => gateway.stop());
    return gateway;
  }
  /** What a start is refused with. */
  async function refused(config: object): Promise<string> {
    const error = await start(config).catch((thrown: unknown) => thrown);
    const { issues = [] } = error as { readonly issues?: readonly { readonly message: string }[] };
    return issues.map(({ message }) => message).join('\n');
  }
  const wordsOf = (gateway: TestGateway): string =>
    gateway.log.map((record) => JSON.stringify(record)).join('\n');
  /** Whether it writes and reads. */
  const works = async (gateway: TestGateway): Promise<boolean> => {
    const vault = gateway.get(Vault);
    await vault.set('note:a', 1);
    return (await vault.get('note:a')) === 1;
  };

  it('has a password that is renewed in its file, and says what is refused until then', async () => {
    const server = await startRedis();
    const admin = clientOf(server);
    await admin.acl('SETUSER', 'gate', 'reset', 'on', '>former', 'allkeys', 'allchannels', '+@all');
    const directory = makeDirectory({ 'word.txt': 'former\n' });
    const access = { username: 'gate', password: '${file:word.txt}' };
    const gateway = await start({ url: server.url, ...access }, directory);
    await admin.acl('SETUSER', 'gate', 'resetpass', '>newer');
    await admin.call('CLIENT', 'KILL', 'USER', 'gate');
    await until(() => wordsOf(gateway).includes('Redis refuses the connection'), { what: 'the refusal' });
    expect(wordsOf(gateway)).include('WRONGPASS').and.include('check the user, the password');
    const answer = await works(gateway).catch(String);
    expect(answer).include('WRONGPASS').and.include('check the user, the password');
    directory.write('word.txt', 'newer\n');
    await until(() => works(gateway).catch(() => false), { what: 'the use of the new password' });
    expect(wordsOf(gateway)).not.match(/newer/);
  });

  it('keeps the former access while a file cannot be read, and says so once', async () => {
    const server = await startRedis(['--requirepass', 'former']);
    const directory = makeDirectory({ 'word.txt': 'former\n' });
    const gateway = await start({ url: server.url, password: '${file:word.txt}' }, directory);
    directory.remove('word.txt');
    await until(() => wordsOf(gateway).includes('cannot be read again'), { what: 'the warning' });
    expect(await works(gateway)).equal(true);
  });

  it('has a password of its own at sentinels, and what they refuse is theirs', async () => {
    const { sentinel } = await startSentinel();
    await clientOf(sentinel).acl('SETUSER', 'default', 'resetpass', '>watch');
    const config = { url: [sentinel.url], sentinelMaster: 'main' };
    expect(await refused(config)).match(/NOAUTH.*; check sentinelUsername and sentinelPassword of/);
    expect(await refused({ ...config, sentinelPassword: 'wrong' })).include('check sentinelUsername and');
    expect(await works(await start({ ...config, sentinelPassword: 'watch' }))).equal(true);
  });

  it('is refused where a key of it would do nothing', async () => {
    const url = 'redis://localhost:1';
    for (const key of ['ca', 'cert', 'key', 'serverName'])
      expect(await refused({ url, [key]: 'text' })).include(`${key} is of no use without TLS`);
    for (const key of ['sentinelUsername', 'sentinelPassword'])
      expect(await refused({ url, [key]: 'text' })).include(`${key} is of no use without sentinelMaster`);
  });

  it('has a certificate where Redis asks for one, which is renewed in its file', async () => {
    const authority = selfSigned();
    const port = await freePort();
    const files = ['--tls-cert-file', authority.certificate, '--tls-key-file', authority.key];
    await startRedis(['--tls-port', String(port), ...files, '--tls-ca-cert-file', authority.certificate]);
    const ca = readFileSync(authority.certificate, 'utf8');
    const tls = { timeoutMs: 2_000, url: `rediss://localhost:${port}`, ca };
    // The words of Redis may be lost where it ends the connection at the same moment.
    expect(await refused(tls)).match(
      /(certificate required|ECONNRESET).*wants a certificate of this client.*set cert and key of/,
    );
    expect(await refused({ ...tls, key: 'PEM' })).include('key is of no use without cert; set both');
    const other = selfSigned();
    const directory = makeDirectory({
      'cert.pem': readFileSync(authority.certificate, 'utf8'),
      'key.pem': readFileSync(authority.key, 'utf8'),
    });
    const gateway = await start({ ...tls, cert: '${file:cert.pem}', key: '${file:key.pem}' }, directory);
    expect(await works(gateway)).equal(true);
    directory.write('cert.pem', readFileSync(other.certificate, 'utf8'));
    directory.write('key.pem', readFileSync(other.key, 'utf8'));
    const refusal = { what: 'the refusal of the other certificate' };
    await until(() => wordsOf(gateway).includes('no connection to Redis'), refusal);
    directory.write('cert.pem', readFileSync(authority.certificate, 'utf8'));
    directory.write('key.pem', readFileSync(authority.key, 'utf8'));
    await until(() => works(gateway).catch(() => false), { what: 'the use of the first one' });
  });
});
