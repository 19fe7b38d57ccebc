import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { storeContract } from '../../contract/index.ts';

describe('plugin store-file', () => {
  storeContract(() => ({
    plugins: { 'live-reload': true, 'store-file': true },
    changeOutside: async (directory, kind, { name, spec }) => {
      const folder = join(directory, `${kind.toLowerCase()}s`);
      await mkdir(folder, { recursive: true });
      const definition = { apiVersion: 'pegboard.dev/v1alpha1', kind, metadata: { name }, spec };
      await writeFile(join(folder, `${name}.yaml`), stringify(definition));
    },
  }));
});
