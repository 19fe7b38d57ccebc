import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, it } from 'mocha';
import { authContract, startGateway } from 'pegboard/testing';

const FACTS = { transport: 'test', access: 'caller' };
const KEY = 'a-key-for-the-test';
const module = fileURLToPath(import.meta.resolve('./index.js'));
const sha256 = createHash('sha256').update(KEY).digest('hex');

describe('plugin auth-apikey', () => {
  authContract(() => ({
    name: 'auth-apikey',
    entry: { module, config: { keys: { ci: `sha256:${sha256}` } } },
    good: { headers: { 'x-api-key': KEY }, subject: 'ci' },
    bad: { headers: { 'x-api-key': `${KEY}x` } },
  }));

  describe('reading its keys', () => {
    let gateway;
    afterEach(() => gateway?.stop());
    const started = async (keys) => {
      gateway = await startGateway({
        plugins: { 'auth-apikey': { module, config: { keys } } },
        builtIns: ['http'],
      });
    };
    const caller = async (headers) =>
      (await gateway.open({ ...FACTS, header: (name) => headers[name] })).caller;

    it('refuses a plain-text key in config.yaml, and does not show it', async () => {
      const issues = await issuesOf(() => started({ ci: KEY }));
      assert.match(issues, /keys\.ci must be sha256:<64 hex digits> or \$\{env:NAME\}/);
      assert.ok(!issues.includes(KEY));
    });

    it('refuses a reference to a variable that is not set', async () => {
      const issues = await issuesOf(() => started({ ci: '${env:NO_SUCH_KEY}' }));
      assert.match(issues, /keys\.ci: set the environment variable NO_SUCH_KEY/);
    });

    it('applies new keys while it runs', async () => {
      env.KEY_FOR_TEST = KEY;
      await started({ ci: '${env:KEY_FOR_TEST}' });
      assert.equal((await caller({ 'x-api-key': KEY })).subject, 'ci');
      const keys = { laptop: `sha256:${sha256}` };
      await gateway.configure({ 'auth-apikey': { module, config: { keys } } });
      assert.equal((await caller({ 'x-api-key': KEY })).subject, 'laptop');
    });
  });
});

async function issuesOf(run) {
  const failure = await run().then(
    () => undefined,
    (error) => error,
  );
  return JSON.stringify(failure?.issues);
}
