import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { newKeyRing } from '../../../plugins/kit/secrets/keyRing.ts';
import { sealBytes } from '../../../plugins/kit/secrets/seal.ts';
import { selfSigned } from '../../support/certificate.ts';
import { freePort } from '../../support/everything.ts';
import { refusalOf } from '../../support/kernel.ts';
import { clientOf, needRedis, openVault, startRedis } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

describe('plugin vault-redis: faults', function () {
  this.timeout(20_000);
  before(function () {
    needRedis(this);
  });

  it('says that Redis is not there, which one, and what to check, without the password', async () => {
    const url = 'redis://me:hush@127.0.0.1:1/0';
    const { code, message } = await refusalOf(() => openVault({ url }));
    expect(code).equal('STORE_UNREACHABLE');
    expect(message)
      .match(
        /^Redis at 127\.0\.0\.1:1 does not answer: .*ECONNREFUSED.*; check plugins\.vault-redis\.config\.url/,
      )
      .and.not.include('hush');
  });

  it('says that the password or the rights are wrong', async () => {
    const { url, port } = await startRedis(['--requirepass', 'right']);
    for (const access of [{}, { password: 'wrong' }, { username: 'unknown', password: 'right' }]) {
      const { message } = await refusalOf(() => openVault({ url, ...access }));
      expect(message).match(/(NOAUTH|WRONGPASS).*; check the user, the password and the rights/);
    }
    const { vault } = await openVault({ url: `redis://:right@127.0.0.1:${port}` });
    await vault.set('note:a', 1);
    expect(await vault.get('note:a')).equal(1);
  });

  it('refuses a Redis that drops entries when its memory is full', async () => {
    const { url } = await startRedis(['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru']);
    const { message } = await refusalOf(() => openVault({ url }));
    expect(message)
      .include('maxmemory-policy allkeys-lru')
      .and.include('CONFIG SET maxmemory-policy noeviction');
  });

  it('refuses writes while Redis is full, and loses nothing', async () => {
    const { url } = await startRedis(['--maxmemory', '4mb', '--maxmemory-policy', 'noeviction']);
    const { vault } = await openVault({ url });
    await vault.set('note:a', 'first');
    const fill = async (): Promise<void> => {
      for (let at = 0; at < 100; at += 1) await vault.set(`fill:${at}`, 'x'.repeat(100_000));
    };
    const { code, message } = await refusalOf(fill);
    expect({ code, message }).deep.equal({
      code: 'STORE_FORBIDDEN',
      message: 'Redis is full; let entries expire, or give it more maxmemory',
    });
    expect(await vault.get('note:a')).equal('first');
  });

  it('refuses to start where values are sealed with other keys, and accepts a ring that holds both', async () => {
    const { url } = await startRedis();
    const [one, two] = [newKeyRing(), newKeyRing()];
    await (await openVault({ url }, one)).vault.set('note:a', 1);
    const { message } = await refusalOf(() => openVault({ url }, two));
    expect(message).include('sealed with other keys').and.include('PEGBOARD_KEYS_FILE');
    const { vault } = await openVault({ url }, [two[0], one[0]]);
    expect(await vault.get('note:a')).equal(1);
  });

  it('refuses to start where a newer version has written, and changes nothing', async () => {
    const server = await startRedis();
    const ring = newKeyRing();
    const [key] = ring;
    const context = Buffer.concat([key.id, Buffer.from(JSON.stringify('"keys"'))]);
    const sealed = sealBytes(key, context, Buffer.from(JSON.stringify({ id: 'a', format: 2 })));
    await clientOf(server).set('pegboard:"keys"', Buffer.concat([key.id, sealed]));
    const { message } = await refusalOf(() => openVault({ url: server.url }, ring));
    expect(message).include('a newer version of Pegboard, in format 2').and.include('start that version');
    expect(await clientOf(server).keys('*')).deep.equal(['pegboard:"keys"']);
  });

  it('writes neither values nor what they are below another key', async () => {
    const server = await startRedis();
    const { vault } = await openVault({ url: server.url });
    const client = clientOf(server);
    await vault.set('code:a', 'very secret');
    const bytes = await client.getBuffer('pegboard:code:a');
    expect(bytes?.toString('latin1')).not.include('secret');
    await client.set('pegboard:code:b', bytes ?? '');
    const { message } = await refusalOf(() => vault.get('code:b'));
    expect(message).include('was not sealed with the keys of this process');
  });

  it('names keys of another application below its prefix, and lists around them', async () => {
    const server = await startRedis();
    const { vault } = await openVault({ url: server.url });
    await clientOf(server).hset('pegboard:note:a', 'field', 'value');
    await clientOf(server).set('pegboard:a"b', 'value');
    await vault.set('note:b', 1);
    const { message } = await refusalOf(() => vault.get('note:a'));
    expect(message).include('another application uses keys below pegboard:');
    expect(await vault.list('')).deep.equal(['note:a', 'note:b']);
  });

  it('fails within its time limit while Redis does not answer, and works again with the same entries', async () => {
    const server = await startRedis();
    const { vault, log } = await openVault({ url: server.url });
    await vault.set('note:a', 1);
    server.signal('SIGSTOP');
    expect(await refusalOf(() => vault.get('note:a'))).include({ code: 'STORE_UNREACHABLE' });
    server.signal('SIGCONT');
    await until(() => vault.get('note:a').catch(() => undefined), { what: 'an answer' });
    await server.kill();
    const lost = await Promise.all([1, 2, 3].map((at) => refusalOf(() => vault.set('note:b', at))));
    expect(lost.map(({ code }) => code)).deep.equal(Array(3).fill('STORE_UNREACHABLE'));
    await server.restart();
    await until(() => vault.get('note:a').catch(() => undefined), { what: 'an answer' });
    expect(await vault.get('note:b')).equal(undefined, 'a write that has failed is not repeated');
    expect(log.having('no connection to Redis')).length(1);
    expect(log.having('the connection to Redis is back')).length(1);
  });

  it('speaks TLS to a server whose authority is configured, and to no other', async () => {
    const { certificate, key } = selfSigned();
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    const port = await freePort();
    await startRedis(['--tls-port', String(port), ...files]);
    const url = `rediss://127.0.0.1:${port}`;
    const { message } = await refusalOf(() => openVault({ url }));
    expect(message).match(/does not answer: .*(self-signed|altname)/i);
    const ca = readFileSync(certificate, 'utf8');
    const { vault } = await openVault({ url, ca, serverName: 'localhost' });
    await vault.set('note:a', 1);
    expect(await vault.get('note:a')).equal(1);
  });
});
