import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually, mcpClient, startGateway } from '../../contract/index.ts';
import type { McpClient, PluginEntries, TestGateway } from '../../contract/index.ts';
import { definePlugin } from '../../../kernel/index.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import { GuardedServers } from '../../../plugins/contracts/credentials.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { MemoryVault } from '../../../plugins/vault-memory/memoryVault.ts';
import { defer } from '../../support/cleanup.ts';
import { moduleOf } from '../../support/gateway.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import type { GuardedSite } from '../../support/guardedSite.ts';
import { identify } from '../../support/identify.ts';
import { needRedis, startRedis } from '../../support/redis.ts';
import type { ServerIssuer } from '../../support/serverIssuer.ts';
import { gate } from '../../support/until.ts';
import { Callers } from './callersOf.ts';

const OWN = 'x_vault_only_for_ann';
const LIMITS = { maxEntries: 1000, maxBytes: 1_000_000, maxValueBytes: 1_000_000, sweepMs: 60_000 };
/** It answers everything to anyone, except calls. */
const CALLS_ONLY = (method?: string): boolean => method !== 'tools/call';

describe('upstream: what servers listed for their callers, in the next process', () => {
  let site: GuardedSite;

  async function begin(needsNoToken: (method?: string) => boolean = () => false): Promise<void> {
    const check = (token: string) =>
      Promise.resolve(token === 'ann-1' ? { account: 'ann', scopes: ['mcp'] } : undefined);
    const issuer = { issuer: 'http://127.0.0.1:1', protect: () => undefined, check };
    site = await startGuardedSite({ issuer: issuer as unknown as ServerIssuer, needsNoToken });
  }
  /** @param vault the plugin that provides it; absent: none */
  async function start(
    definition: JsonObject,
    vault: PluginEntries = {},
    files: Readonly<Record<string, string>> = {},
  ): Promise<TestGateway> {
    const callers = new Callers();
    callers.tokens.set('ann', 'ann-1');
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({
          plugins: {
            'auth-client': false,
            'vault-file': false,
            'test-identify': { module: './identify.mjs' },
            'test-callers': { module: './callers.mjs' },
            ...vault,
          },
        }),
        'identify.mjs': moduleOf(identify),
        'callers.mjs': moduleOf(callers.plugin),
        'mcpservers/vault.yaml': site.definition(definition),
        ...files,
      },
    });
    defer(() => gateway.stop());
    return gateway;
  }
  const as = (subject: string, gateway: TestGateway): Promise<McpClient> =>
    mcpClient(gateway.url(), { 'x-caller': `https://people ${subject}` });
  const listed = async (subject: string, gateway: TestGateway): Promise<string> => {
    const { content } = await (await as(subject, gateway)).callMeta('list_tools', { limit: 500 });
    return String(content[0]?.['text']);
  };

  it('does not delay the start if the vault opens late, and takes effect then', async () => {
    await begin(CALLS_ONLY);
    const vault = new (class extends MemoryVault {
      override isLasting = true;
      opened = Promise.resolve();
      override async get(key: string): Promise<unknown> {
        if (key.startsWith('listed:')) await this.opened;
        return super.get(key);
      }
    })(() => LIMITS);
    const provider = definePlugin({
      name: 'test-vault',
      api: 1,
      configSchema: { type: 'object' },
      provides: [Vault],
      apply: (scope) => scope.provide(Vault, vault),
    });
    const startWith = (): Promise<TestGateway> =>
      start({}, { 'test-vault': { module: './vault.mjs' } }, { 'vault.mjs': moduleOf(provider) });
    const isGuarded = (gateway: TestGateway): boolean =>
      gateway.get(GuardedServers).get('vault')?.isPersonal === true;
    const first = await startWith();
    expect(JSON.stringify(await (await as('ann', first)).callTool('x_vault_whoami'))).include('ann');
    await first.stop();
    const { opened, open } = gate();
    vault.opened = opened;
    const next = await startWith();
    expect(isGuarded(next), 'nothing is known yet').equal(false);
    open();
    await eventually(() => isGuarded(next), 'what the vault has');
  });

  for (const [where, vault] of [
    ['no plugin provides a vault', {}],
    ['the vault ends with the process', { 'vault-memory': true }],
  ] as const)
    it(`is read anew where ${where}, which holds nothing of it`, async () => {
      await begin();
      const gateway = await start({ auth: { type: 'oauth' } }, vault);
      expect(await listed('ann', gateway)).include(OWN);
      expect(await Promise.all(gateway.all(Vault).map((one) => one.list('listed:')))).deep.equal(
        Object.keys(vault).map(() => []),
      );
      await gateway.stop();
      site.server.fail(503);
      expect(await listed('ann', await start({ auth: { type: 'oauth' } }, vault))).not.include(OWN);
    });

  it('is what any process has read that shares a vault over Redis', async function () {
    needRedis(this);
    const { url } = await startRedis();
    const vault = { 'vault-redis': { config: { url, secret: 's'.repeat(32) } } };
    await begin();
    const [one, other] = [
      await start({ auth: { type: 'oauth' } }, vault),
      await start({ auth: { type: 'oauth' } }, vault),
    ];
    expect(await listed('ann', one)).include(OWN);
    await one.stop();
    site.server.fail(503);
    expect(await listed('ann', other)).include(OWN);
    expect(await listed('bob', other)).not.include(OWN);
  });

  it('was in a folder of the state directory once, which is removed at the start', async () => {
    await begin();
    const { directory } = await start({}, {}, { 'state/callers/vault/one.json': '{}' });
    expect(existsSync(join(directory, 'state'))).equal(true);
    expect(existsSync(join(directory, 'state/callers'))).equal(false);
  });
});
