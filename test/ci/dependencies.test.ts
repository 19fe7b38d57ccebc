import { expect } from 'chai';
import { textOf } from '../support/sources.ts';

type Versions = Readonly<Record<string, string>>;
const MANIFEST = JSON.parse(textOf('package.json')) as {
  readonly dependencies?: Versions;
  readonly devDependencies: Versions;
  readonly peerDependencies: Versions;
};
const LOCK = JSON.parse(textOf('package-lock.json')) as {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
};

describe('dependencies', () => {
  it('are pinned to the version that is installed', () => {
    const direct = Object.entries({ ...MANIFEST.dependencies, ...MANIFEST.devDependencies });
    expect(direct).length.above(40);
    for (const [name, version] of direct)
      expect(LOCK.packages[`node_modules/${name}`]?.version, name).equal(version);
  });

  it('that are held back are dependencies still', () => {
    const source = textOf('.ci/outdated.mjs');
    const reasons = /const REASONS = \{(.*?)\n\};/s.exec(source)?.[1] ?? '';
    const names = [...reasons.matchAll(/^ {2}'?([@\w/-]+)'?:/gm)].map(([, name]) => name);
    expect(names).length.above(5);
    const { dependencies, devDependencies, peerDependencies } = MANIFEST;
    expect(Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies })).include.members(names);
  });
});
