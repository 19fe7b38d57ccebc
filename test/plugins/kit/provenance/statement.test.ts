import { expect } from 'chai';
import { builtBy } from '../../../../plugins/kit/provenance/statement.ts';

const FULCIO = [1, 3, 6, 1, 4, 1, 57264, 1];
const GITHUB = 'https://token.actions.githubusercontent.com';
const REPOSITORY = 'https://github.com/acme/notes';
const WORKFLOW = `${REPOSITORY}/.github/workflows/release.yml@refs/heads/main`;
const COMMIT = 'a'.repeat(40);

describe('The builder of a package', () => {
  function build(
    { issuer = GITHUB, san = WORKFLOW, oids = {} }: Certificate = {},
    predicate = { repository: REPOSITORY, path: '.github/workflows/release.yml', commit: COMMIT },
  ): object {
    const known = { 12: REPOSITORY, 13: COMMIT, 18: WORKFLOW, ...oids };
    const identity = {
      extensions: { issuer },
      subjectAlternativeName: san,
      oids: Object.entries(known).map(([last, text]) => ({
        oid: { id: [...FULCIO, Number(last)] },
        value: Buffer.concat([Buffer.from([0x0c, text.length]), Buffer.from(text)]),
      })),
    };
    const { repository, path, commit } = predicate;
    return builtBy(
      { payload: Buffer.from(''), identity },
      {
        buildDefinition: {
          externalParameters: { workflow: { repository, path, ref: 'refs/heads/main' } },
          resolvedDependencies: [{ digest: { gitCommit: commit } }],
        },
      },
    );
  }
  interface Certificate {
    readonly issuer?: string;
    readonly san?: string;
    readonly oids?: Readonly<Record<number, string>>;
  }

  it('is that of its certificate', () => {
    expect(build()).include({ repository: REPOSITORY, workflow: WORKFLOW, commit: COMMIT });
  });

  it('is a workflow of GitHub or GitLab, and no person', () => {
    for (const [issuer, san] of [
      ['https://accounts.google.com', 'someone@example.com'],
      ['https://github.com/login/oauth', 'someone@example.com'],
      ['__proto__', WORKFLOW],
    ] as const)
      expect(() => build({ issuer, san })).throw('no workflow of GitHub or GitLab');
    expect(() => build({ san: 'someone@example.com' })).throw('names no repository');
    expect(() => build({ issuer: 'https://gitlab.com' })).throw('names no repository');
    expect(() => build({ oids: { 12: 'https://github.com/' } })).throw('names no repository');
  });

  it('is not another one that the statement names', () => {
    const predicate = { repository: REPOSITORY, path: '.github/workflows/release.yml', commit: COMMIT };
    const other = 'https://github.com/acme/other';
    expect(() => build({}, { ...predicate, repository: other })).throw('another repository or commit');
    expect(() => build({}, { ...predicate, commit: 'b'.repeat(40) })).throw('another repository or commit');
    expect(() => build({}, { ...predicate, path: 'x.yml' })).throw('names another workflow');
    expect(() => build({ oids: { 12: other } })).throw(`which is of ${other}`);
  });
});
