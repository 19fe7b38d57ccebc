import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { lookUp } from '../../../../plugins/kit/packages/lookUp.ts';
import { packageIn } from '../../../../plugins/kit/packages/packageIn.ts';
import { FalseProvenance } from '../../../../plugins/kit/provenance/provenance.ts';
import { provenanceOf } from '../../../../plugins/kit/provenance/provenanceOf.ts';
import { TRUSTED_ROOT } from '../../../../plugins/kit/provenance/trustedRoot.ts';
import { startPackageRegistry } from '../../../support/packageRegistry.ts';
import type { PackageRegistry, Published } from '../../../support/packageRegistry.ts';
import { statedIntegrity, statementsOf } from '../../../support/provenance.ts';
import type { Statements } from '../../../support/provenance.ts';

interface Root {
  certificateAuthorities: { validFor: { end?: string } }[];
  tlogs: unknown[];
}

const KEYS = ['state', 'repository', 'repositoryId', 'ownerId', 'workflow', 'commit', 'isPublished'] as const;

describe('The provenance of an npm package', () => {
  const archive = Buffer.from('');
  let registry: PackageRegistry;

  beforeEach(async () => {
    registry = await startPackageRegistry();
  });

  /** Asks for a package that the registry has with these statements. */
  async function ask(
    published: Pick<Published, 'name' | 'version'> & Partial<Published>,
    statements: Statements | string,
    root?: string,
  ): Promise<unknown> {
    const text = typeof statements === 'string' ? statements : JSON.stringify(statements);
    registry.npm.push({ archive, attestations: text, ...published });
    const named = packageIn(['npx', `${published.name}@${published.version}`]);
    const asking = { env: registry.env, timeoutMs: 5_000 };
    if (named === undefined) throw new Error('it names nothing');
    const answer = await provenanceOf(await lookUp(named, asking), asking, root).catch(
      (error: unknown) => error,
    );
    return answer;
  }

  /** As sigstore 2.3.1 is published, with some of it changed. */
  function sigstore(
    change: (statements: Statements) => void = () => undefined,
    published: Partial<Published> = {},
    root?: string,
  ): Promise<unknown> {
    const statements = statementsOf('sigstore-2.3.1');
    const integrity = statedIntegrity(statements);
    change(statements);
    return ask({ name: 'sigstore', version: '2.3.1', integrity, ...published }, statements, root);
  }

  function changedRoot(change: (root: Root) => void): string {
    const root = JSON.parse(TRUSTED_ROOT) as Root;
    change(root);
    return JSON.stringify(root);
  }

  it('is what a certificate of Sigstore states about its build, where npm has published it', async () => {
    expect(await sigstore()).deep.equal({
      state: 'verified',
      repository: 'https://github.com/sigstore/sigstore-js',
      repositoryId: '495574555',
      ownerId: '71096353',
      workflow: 'https://github.com/sigstore/sigstore-js/.github/workflows/release.yml@refs/heads/main',
      commit: '46e7056ff9912ebfee5298d94024895a9fea76c0',
      isPublished: true,
    });
  });

  it('is read of a scoped package, of an old certificate, and of a workflow that others share', async () => {
    for (const [file, name, version, repository] of [
      [
        'supreme-goggles-1.0.5',
        '@trishankatdatadog/supreme-goggles',
        '1.0.5',
        'trishankatdatadog/supreme-goggles',
      ],
      ['sigstore-0.4.0', 'sigstore', '0.4.0', 'sigstore/sigstore-js'],
      [
        'provenance-npm-test-1.0.5',
        '@laurentsimon/provenance-npm-test',
        '1.0.5',
        'laurentsimon/provenance-npm-test',
      ],
    ] as const) {
      const statements = statementsOf(file);
      const found = await ask({ name, version, integrity: statedIntegrity(statements) }, statements);
      expect(found).include({ state: 'verified', repository: `https://github.com/${repository}` });
      // Certificates of 2022 have no ids.
      if (name === 'sigstore') expect(found).not.have.any.keys('repositoryId', 'ownerId');
      else expect(found).have.all.keys(...KEYS);
    }
  });

  it('is absent, or declared and not served, as the registry says', async () => {
    expect(await ask({ name: 'a', version: '1.0.0', hasProvenance: false }, '')).deep.equal({
      state: 'absent',
    });
    expect(await ask({ name: 'b', version: '1.0.0', hasProvenance: true }, '{"attestations":[]}')).deep.equal(
      {
        state: 'unserved',
      },
    );
  });

  const FALSE: Readonly<Record<string, readonly [() => Promise<unknown>, RegExp]>> = {
    'another archive': [
      () => sigstore(undefined, { integrity: `sha512-${createHash('sha512').digest('base64')}` }),
      /it is of another archive$/,
    ],
    'another version of the name': [
      () => sigstore(undefined, { version: '2.3.2' }),
      /another package or version$/,
    ],
    'another package': [() => sigstore(undefined, { name: 'sigstore-js' }), /another package or version$/],
    'an altered payload': [
      () =>
        sigstore(({ attestations: [, built] }) => {
          const { dsseEnvelope } = built!.bundle;
          const text = Buffer.from(dsseEnvelope.payload, 'base64')
            .toString()
            .replace('sigstore-js', 'sigstore-jz');
          dsseEnvelope.payload = Buffer.from(text).toString('base64');
        }),
      /is not valid, .*(?:payload hash|signature|transparency log|does not match)/i,
    ],
    'the certificate of another': [
      () =>
        sigstore(({ attestations: [, built] }) => {
          const other = statementsOf('supreme-goggles-1.0.5').attestations[1]!;
          built!.bundle.verificationMaterial.x509CertificateChain =
            other.bundle.verificationMaterial.x509CertificateChain!;
        }),
      /is not valid/,
    ],
    'a key in place of a certificate': [
      () =>
        sigstore(({ attestations: [published, built] }) => {
          built!.bundle = published!.bundle;
        }),
      /it is not signed by a certificate$/,
    ],
    'a statement that is listed for another kind': [
      () =>
        sigstore(({ attestations: [, built] }) => {
          built!.predicateType = 'https://slsa.dev/provenance/v0.2';
        }),
      /it states something else than it is listed for$/,
    ],
    'a time that the log has not signed': [
      () =>
        sigstore(({ attestations: [, built] }) => {
          built!.bundle.verificationMaterial.tlogEntries[0]!.integratedTime = '1700000000';
        }),
      /is not valid/,
    ],
    'no entry in the log': [
      () =>
        sigstore(({ attestations: [, built] }) => {
          built!.bundle.verificationMaterial.tlogEntries = [];
        }),
      /is not valid/,
    ],
    'a statement of npm with another signature': [
      () =>
        sigstore(({ attestations: [published] }) => {
          const other = statementsOf('supreme-goggles-1.0.5').attestations[0]!;
          published!.bundle.dsseEnvelope.signatures = other.bundle.dsseEnvelope.signatures;
        }),
      /is not valid/,
    ],
    'a statement of npm for another package': [
      () =>
        sigstore(({ attestations }) => {
          attestations[0] = statementsOf('supreme-goggles-1.0.5').attestations[0]!;
        }),
      /another package or version$/,
    ],
    'two statements of a kind': [
      () => sigstore(({ attestations }) => attestations.push(attestations[1]!)),
      /the registry has several of a kind$/,
    ],
    'very many statements': [
      () =>
        sigstore(({ attestations }) =>
          attestations.push(...Array<(typeof attestations)[0]>(20).fill(attestations[1]!)),
        ),
      /the registry has 22 of them$/,
    ],
    'a bundle that is a number': [
      () =>
        ask(
          { name: 'x', version: '1.0.0' },
          '{"attestations":[{"predicateType":"https://slsa.dev/provenance/v1","bundle":7}]}',
        ),
      /is not valid/,
    ],
    'an authority whose time is over': [
      () =>
        sigstore(
          undefined,
          {},
          changedRoot(({ certificateAuthorities }) => {
            for (const one of certificateAuthorities) one.validFor.end = '2022-12-31T00:00:00Z';
          }),
        ),
      /those of --trusted-root; --trusted-root <file> gives others\)$/,
    ],
    'a log that is not known': [
      () =>
        sigstore(
          undefined,
          {},
          changedRoot((root) => root.tlogs.shift()),
        ),
      /those of --trusted-root/,
    ],
  };
  for (const [what, [answer, words]] of Object.entries(FALSE)) {
    it(`is refused with ${what}`, async () => {
      const error = await answer();
      expect(error).instanceOf(FalseProvenance);
      expect(String(error)).match(words);
    });
  }

  it('counts without the statement of npm while its key is not known', async () => {
    const found = await sigstore(({ attestations: [published] }) => {
      published!.bundle.verificationMaterial.publicKey = { hint: 'SHA256:unheard-of' };
    });
    expect(found).include({ state: 'verified', isPublished: false });
  });

  it('is not an answer that is too large or too deep', async () => {
    const large = await ask(
      { name: 'large', version: '1.0.0' },
      `{"attestations":["${'x'.repeat(3_000_000)}"]}`,
    );
    expect(String(large)).contain('does not answer').and.contain('2097152');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const nested = `{"attestations":[{"predicateType":"https://slsa.dev/provenance/v1","bundle":${deep}}]}`;
    expect(await ask({ name: 'deep', version: '1.0.0' }, nested)).instanceOf(FalseProvenance);
  });

  it('says what is wrong with a trusted root', async () => {
    for (const root of ['{}', 'no JSON', '[]', changedRoot((one) => (one.tlogs = []))])
      expect(String(await sigstore(undefined, {}, root))).contain(
        'the file of --trusted-root is not a trusted root',
      );
  });

  it('takes signatures of the registry into account, by the keys of npm', async () => {
    const sig =
      'MEUCIQD+Dksaw6q6YpTDITfpfAwI15qCuQT84NvQKOpMqq4ZdQIgHvVlZ7+kJk4gzGM7hD10eILXlpOfqQa6Z6NZtcOvX+M=';
    const keyid = 'SHA256:jl3bwswu80PjjokCgh0o2w5c2U4LhQAE57gj9cz1kzA';
    const integrity =
      'sha512-wVhbJT3QumfE7zlMLAZoAllaUufN5r3ia8vatKaqcG/Bau9SdFmcZpo8IuWDfSX+Jqyh9dViSRpUYChrVUvyFw==';
    const name = '@node-rs/xxhash';
    const age = (Date.now() - Date.parse('2021-10-22')) / 86_400_000;
    const signed = {
      name,
      version: '1.0.0',
      integrity,
      age,
      signatures: [{ keyid, sig }],
      hasProvenance: false,
    };
    expect(await ask(signed, '')).deep.equal({ state: 'absent' });
    for (const changed of [
      { version: '1.0.1' },
      { integrity: `sha512-${createHash('sha512').digest('base64')}`, version: '1.0.2' },
      // After the end of the key.
      { age: 1 },
    ])
      expect(String(await ask({ ...signed, ...changed }, ''))).contain('the signature of its registry');
    const foreign = [{ keyid: 'SHA256:unheard-of', sig }, 7];
    expect(await ask({ ...signed, version: '2.0.0', signatures: foreign as object[] }, '')).deep.equal({
      state: 'absent',
    });
  });
});
