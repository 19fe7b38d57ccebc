import { vaultContract } from '../../contract/index.ts';
import { HAS_REDIS, NO_REDIS, startRedis } from '../../support/redis.ts';

describe('plugin vault-redis', function () {
  let url = '';
  let tests = 0;
  before(async function () {
    if (!HAS_REDIS) {
      console.log(NO_REDIS);
      this.skip();
    }
    ({ url } = await startRedis());
  });
  vaultContract(() => {
    tests += 1;
    const config = { url, keyPrefix: `test*[${tests}]:` };
    return { name: 'vault-redis', plugins: { 'vault-redis': { config } }, isLasting: true };
  });
});
