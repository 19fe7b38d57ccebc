import { vaultContract } from '../../contract/index.ts';
import { HAS_REDIS, NO_REDIS, startCluster } from '../../support/redis.ts';

describe('plugin vault-redis: cluster', function () {
  this.timeout(20_000);
  let url: readonly string[] = [];
  let tests = 0;
  before(async function () {
    if (!HAS_REDIS) {
      console.log(NO_REDIS);
      this.skip();
    }
    url = (await startCluster()).map((node) => node.url);
  });
  vaultContract(() => {
    tests += 1;
    const config = { url, cluster: true, keyPrefix: `test*[${tests}]:` };
    return { name: 'vault-redis', plugins: { 'vault-redis': { config } }, isLasting: true };
  });
});
