import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Built } from './provenance.ts';
import type { Verified } from './verifyBundle.ts';

/** What a statement has to be of. */
export interface Subject {
  readonly name: string;
  readonly version: string;
  /** `sha512-<base64>` of the archive. */
  readonly integrity: string;
}

/** The issuers whose certificates name a repository, and where their repositories are. */
const BUILDERS: Readonly<Record<string, string>> = {
  'https://token.actions.githubusercontent.com': 'https://github.com/',
  'https://gitlab.com': 'https://gitlab.com/',
};
/** Source: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
const FULCIO = '1.3.6.1.4.1.57264.1';
const [SHA, REPOSITORY, SOURCE, SOURCE_DIGEST, BUILD_CONFIG] = [3, 5, 12, 13, 18];
const [SOURCE_ID, OWNER_ID] = [15, 17];

/** The predicate of a statement of this archive, name and version. @throws Error */
export function predicateOf({ payload }: Verified, type: string, subject: Subject): JsonObject {
  const statement = JSON.parse(payload.toString()) as unknown;
  if (!isObject(statement) || statement['predicateType'] !== type || !isObject(statement['predicate']))
    throw new Error('it states something else than it is listed for');
  const subjects = Array.isArray(statement['subject']) ? (statement['subject'] as unknown[]) : [];
  const [only, ...others] = subjects;
  if (!isObject(only) || others.length > 0 || only['name'] !== purlOf(subject))
    throw new Error('it is of another package or version');
  const { sha512 } = isObject(only['digest']) ? only['digest'] : {};
  const own = Buffer.from(subject.integrity.slice('sha512-'.length), 'base64').toString('hex');
  if (sha512 !== own) throw new Error('it is of another archive');
  return statement['predicate'];
}

/** Who has built it, by the certificate; the predicate may not say otherwise. @throws Error */
export function builtBy({ identity }: Verified, predicate: JsonObject): Omit<Built, 'isPublished'> {
  const issuer = identity?.extensions?.issuer ?? '';
  const place = Object.hasOwn(BUILDERS, issuer) ? BUILDERS[issuer] : undefined;
  if (place === undefined) throw new Error('no workflow of GitHub or GitLab has signed it');
  const former = place === 'https://github.com/' ? extensionOf(identity, REPOSITORY) : undefined;
  const repository = extensionOf(identity, SOURCE) ?? `${place}${former ?? ''}`;
  const commit = extensionOf(identity, SOURCE_DIGEST) ?? extensionOf(identity, SHA) ?? '';
  const workflow = identity?.subjectAlternativeName ?? '';
  if (!repository.startsWith(place) || repository === place || !workflow.startsWith(place) || commit === '')
    throw new Error('its certificate names no repository');
  const said = sourceIn(predicate);
  if (said.repository !== repository || said.commit?.toLowerCase() !== commit.toLowerCase())
    throw new Error(`it names another repository or commit than its certificate, which is of ${repository}`);
  const config = extensionOf(identity, BUILD_CONFIG);
  if (said.workflow !== undefined && config !== undefined && said.workflow !== config)
    throw new Error(`it names another workflow than its certificate, which is of ${config}`);
  const [repositoryId, ownerId] = [extensionOf(identity, SOURCE_ID), extensionOf(identity, OWNER_ID)];
  const ids = { ...(repositoryId && { repositoryId }), ...(ownerId && { ownerId }) };
  return { state: 'verified', repository, ...ids, workflow, commit };
}

interface Source {
  readonly repository: string | undefined;
  readonly commit: string | undefined;
  readonly workflow?: string;
}

/** Source: https://slsa.dev/spec/v1.0/provenance, https://slsa.dev/spec/v0.2/provenance */
function sourceIn(predicate: JsonObject): Source {
  const definition = inner(predicate, 'buildDefinition');
  if (definition !== undefined) {
    const workflow = inner(inner(definition, 'externalParameters'), 'workflow');
    const [dependency] = [definition['resolvedDependencies']].flat();
    const { gitCommit } = inner(isObject(dependency) ? dependency : {}, 'digest') ?? {};
    const { repository, path, ref } = workflow ?? {};
    return {
      repository: textOf(repository),
      commit: textOf(gitCommit),
      workflow: `${textOf(repository)}/${textOf(path)}@${textOf(ref)}`,
    };
  }
  const source = inner(inner(predicate, 'invocation'), 'configSource');
  const { sha1 } = inner(source, 'digest') ?? {};
  const uri = textOf(source?.['uri']) ?? '';
  // `git+https://github.com/acme/notes@refs/heads/main`
  const [repository] = uri.replace(/^git\+/, '').split('@', 1);
  return { repository, commit: textOf(sha1) };
}

function extensionOf(identity: Verified['identity'], last: number | undefined): string | undefined {
  const id = `${FULCIO}.${last}`;
  const { value } = identity?.oids?.find(({ oid }) => oid?.id.join('.') === id) ?? {};
  if (value === undefined || last === undefined) return undefined;
  // Those up to 7 are the text itself, later ones a UTF8String in DER of less than 128 bytes, or with a length of one or two bytes more.
  if (last <= 7) return value.toString();
  const length = value[1] ?? 0;
  return value.subarray(length < 0x80 ? 2 : 2 + (length & 0x7f)).toString();
}

/** Source: https://github.com/package-url/purl-spec */
function purlOf({ name, version }: Subject): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
}

function inner(value: JsonObject | undefined, key: string): JsonObject | undefined {
  const found = value?.[key];
  return isObject(found) ? found : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
