import { vaultContract } from '../../contract/index.ts';

describe('plugin vault-file', () => {
  vaultContract(() => ({ name: 'vault-file', plugins: { 'vault-file': true }, isLasting: true }));
});
