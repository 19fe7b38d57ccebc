import { expect } from 'chai';
import type { Settings } from '../../../kernel/index.ts';
import type { VaultRedisConfig } from '../../../plugins/vault-redis/config.ts';
import { filledConfig, usableConfig } from '../../../plugins/vault-redis/filledConfig.ts';
import { plugin } from '../../../plugins/vault-redis/index.ts';
import { makeDirectory } from '../../support/directory.ts';

const GIVEN = {
  url: '${env:REDIS_URL}',
  cluster: false,
  keyPrefix: 'p:',
  timeoutMs: 100,
  verifyMs: 100,
  maxValueBytes: 100,
};
const ENV = { REDIS_URL: 'rediss://redis.example.com', WORD: 'word', SECRET: 's'.repeat(32) };

describe('plugin vault-redis: its configuration', () => {
  const fill = (more: Partial<VaultRedisConfig>, files = {}) =>
    filledConfig({ ...GIVEN, ...more }, makeDirectory(files).path, ENV);

  it('is filled in from variables and files', () => {
    const given = {
      username: 'ada',
      password: '${env:WORD}',
      ca: '${file:ca.pem}',
      secret: ['${env:SECRET}'],
    };
    const { config, findings } = fill(given, { 'ca.pem': 'PEM\n' });
    expect(findings).deep.equal([]);
    const filled = { username: 'ada', password: 'word', ca: 'PEM', secret: [ENV.SECRET] };
    expect(config).deep.equal({ ...GIVEN, ...filled, url: [ENV.REDIS_URL] });
  });

  it('names the key whose variable or file is missing', () => {
    const { findings } = fill({ password: '${env:MISSING}', ca: '${file:missing.pem}' });
    expect(findings.map(({ path }) => path)).deep.equal([['password'], ['ca']]);
    expect(findings[0]?.message).equal(
      'password names the environment variable MISSING, which is not set; set it and restart Pegboard',
    );
  });

  it('is refused with another URL or a short secret, which the message does not hold', () => {
    const { findings } = fill({
      url: ['http://user:word@example.com', 'redis://:::'],
      secret: '${env:WORD}',
    });
    expect(findings.map(({ message }) => message)).deep.equal([
      'url must be a URL that begins with redis:// or rediss://',
      'url must be a URL that begins with redis:// or rediss://',
      'secret must have at least 32 characters; make one with: openssl rand -base64 32',
    ]);
    expect(() => usableConfig({ ...GIVEN, url: 'redis://localhost', secret: 'word' }, '/')).throw(
      'plugins.vault-redis.config.secret must have at least 32 characters',
    );
  });

  it('is refused if it lists hosts and does not say what they are, or says both', () => {
    const findings = (more: Partial<VaultRedisConfig>): readonly string[] =>
      (plugin.check?.({ ...GIVEN, ...more }, {} as Settings) ?? []).map(({ message }) => message);
    const url = ['redis://one', 'redis://two'];
    expect(findings({ url })[0]).include('set cluster: true, or sentinelMaster');
    expect(findings({ url, cluster: true })).deep.equal([]);
    expect(findings({ url, sentinelMaster: 'main' })).deep.equal([]);
    expect(findings({ url, cluster: true, sentinelMaster: 'main' })[0]).include('exclude each other');
  });
});
