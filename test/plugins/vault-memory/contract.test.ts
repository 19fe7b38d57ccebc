import { vaultContract } from '../../contract/index.ts';

describe('plugin vault-memory', () => {
  vaultContract(() => ({ name: 'vault-memory', plugins: { 'vault-memory': true }, isLasting: false }));
});
