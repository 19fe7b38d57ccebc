import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { verifiedFile } from '../../../../plugins/kit/packages/verifiedFile.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { sha512, startPackageRegistry } from '../../../support/packageRegistry.ts';

describe('the verified file of a package', () => {
  it('is there for each of several processes that fetch it at the same time', async () => {
    const registry = await startPackageRegistry();
    const archive = Buffer.alloc(2_000_000, 'x');
    registry.npm.push({ name: 'notes', version: '1.0.0', archive });
    const source = { registry: 'npm', name: 'notes', version: '1.0.0', integrity: sha512(archive) } as const;
    const folder = join(makeDirectory({}).path, 'packages');
    const asking = { env: registry.env, timeoutMs: 5_000 };
    const files = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const file = await verifiedFile(source, folder, asking);
        // Its runner reads it while others still fetch.
        return [file, readFileSync(file).equals(archive)] as const;
      }),
    );
    const [[file] = ['']] = files;
    expect(files).deep.equal(Array.from({ length: 8 }, () => [file, true]));
    expect(readdirSync(dirname(file))).deep.equal(['notes-1.0.0.tgz']);
  });

  it('has a name by which npm knows it for an archive, whatever the registry calls it', async () => {
    const registry = await startPackageRegistry();
    const archive = Buffer.from('an archive');
    registry.npm.push({ name: '@acme/notes', version: '1.0.0', archive, file: '5e1f0c' });
    const asking = { env: registry.env, timeoutMs: 5_000 };
    const source = { registry: 'npm', version: '1.0.0', integrity: sha512(archive) } as const;
    const file = await verifiedFile({ ...source, name: '@acme/notes' }, makeDirectory({}).path, asking);
    expect(file).match(/\/acme-notes-1\.0\.0\.tgz$/);
  });

  it('is not asked for in the private network if a registry on the Internet says that it is there', async () => {
    const registry = await startPackageRegistry();
    const archive = Buffer.from('an archive');
    registry.npm.push({ name: 'notes', version: '1.0.0', archive });
    const source = { registry: 'npm', name: 'notes', version: '1.0.0', integrity: sha512(archive) } as const;
    const host = registry.host.replace('127.0.0.1', 'registry.example');
    const asking = {
      env: { ...registry.env, npm_config_registry: `http://${host}/npm/` },
      timeoutMs: 5_000,
      resolve: () => Promise.resolve(['93.184.216.34']),
      dial: () => '127.0.0.1',
    };
    const error: unknown = await verifiedFile(source, makeDirectory({}).path, asking).catch(
      (reason: unknown) => reason,
    );
    expect(String(error)).contain(`${registry.host} has a private or internal address`);
    expect(registry.asked).deep.equal(['/npm/notes']);
  });
});
