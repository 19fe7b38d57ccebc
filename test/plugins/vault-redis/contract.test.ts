import { vaultContract } from '../../contract/index.ts';
import { needRedis, startRedis } from '../../support/redis.ts';

describe('plugin vault-redis', function () {
  let url = '';
  let tests = 0;
  before(async function () {
    needRedis(this);
    ({ url } = await startRedis());
  });
  vaultContract(() => {
    tests += 1;
    const config = { url, keyPrefix: `test*[${tests}]:` };
    return { name: 'vault-redis', plugins: { 'vault-redis': { config } }, isLasting: true };
  });
});
