import { chmodSync, mkdirSync } from 'node:fs';
import { expect } from 'chai';
import { keysFor } from '../../../../plugins/kit/secrets/keysFor.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { bootGateway } from '../../../support/gateway.ts';

const FILES = ['session-keys.json', 'vault-keys.json'] as const;

/** The warnings of a start with key files of these modes. */
async function warningsFor(mode: number): Promise<readonly unknown[]> {
  const directory = makeDirectory({ 'config.yaml': '{}' });
  mkdirSync(directory.at('state'), { mode: 0o700 });
  for (const use of ['session', 'vault'] as const) keysFor(use, directory.at('state'), [], {});
  for (const file of FILES) chmodSync(directory.at(`state/${file}`), mode);
  const { log } = await bootGateway({ directory, builtIns: ['vault-file', 'front'] });
  const lines = log.having('a key file is open to others', 'warn').map(({ data }) => data);
  return lines
    .map(({ mode, fix }) => `${String(mode)} ${String(fix).replace(directory.at('state/'), '')}`)
    .sort();
}

describe('the key files at the start', () => {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('are reported with the line that mends them when group or all may read them', async () => {
    expect(await warningsFor(0o644)).deep.equal(FILES.map((file) => `0644 chmod 600 ${file}`));
    expect(await warningsFor(0o640)).deep.equal(FILES.map((file) => `0640 chmod 600 ${file}`));
  });

  it('are not mentioned when they are private', async () => {
    for (const mode of [0o600, 0o400]) expect(await warningsFor(mode)).deep.equal([]);
  });
});
