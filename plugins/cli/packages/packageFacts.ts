import { plainText } from 'pegboard';
import type { FoundPackage } from '../../kit/packages/foundPackage.ts';
import type { Provenance } from '../../kit/provenance/provenance.ts';

/** A publisher, or a reason against a package, is shown this far. */
const MAX_CHARS = 200;
/** As git shortens them. */
const COMMIT_CHARS = 12;
const DAY_MS = 86_400_000;
const KINDS = { npm: 'npm package', pypi: 'Python package', oci: 'image' } as const;

/** What a registry declares for a package, in one line for whom it is to be trusted by. */
export function packageFacts(found: FoundPackage, provenance?: Provenance): string {
  const { source, publisher, publishedAt, warning } = found;
  return [
    `${KINDS[source.registry]} ${source.name} ${source.version}`,
    publisher === undefined || publisher === '' ? 'publisher not known' : `by ${publisher}`,
    publishedAt === undefined
      ? 'publication not dated'
      : `published ${publishedAt.slice(0, 10)} (${ageOf(publishedAt)})`,
    ...(provenance === undefined ? [] : provenanceWords(provenance)),
    source.integrity,
    ...(warning === undefined ? [] : [warning]),
  ]
    .map((part) => plainText(part).replaceAll(/\s+/g, ' ').slice(0, MAX_CHARS))
    .join(', ');
}

function provenanceWords(provenance: Provenance): readonly string[] {
  if (provenance.state === 'absent') return ['without a provenance statement'];
  if (provenance.state === 'unserved')
    return ['with a provenance statement (not verified) that the registry does not serve'];
  const { repository, workflow, commit, isPublished } = provenance;
  return [
    `provenance verified: built from ${repository}`,
    `at commit ${commit.slice(0, COMMIT_CHARS)}`,
    `by ${workflow.startsWith(`${repository}/`) ? workflow.slice(repository.length + 1) : workflow}`,
    ...(isPublished ? ['published by npm as stated'] : []),
  ];
}

/** `3 days ago`, or `today`. */
export function ageOf(time: string): string {
  const days = Math.floor((Date.now() - Date.parse(time)) / DAY_MS);
  if (!(days >= 1)) return 'today';
  return days === 1 ? '1 day ago' : `${days} days ago`;
}
