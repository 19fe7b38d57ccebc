import { plainText } from 'pegboard';
import type { FoundPackage } from '../../kit/packages/foundPackage.ts';

/** A publisher, or a reason against a package, is shown this far. */
const MAX_CHARS = 200;
const DAY_MS = 86_400_000;
const KINDS = { npm: 'npm package', pypi: 'Python package', oci: 'image' } as const;

/** What a registry declares for a package, in one line for whom it is to be trusted by. */
export function packageFacts(found: FoundPackage): string {
  const { source, publisher, publishedAt, warning, hasProvenance } = found;
  return [
    `${KINDS[source.registry]} ${source.name} ${source.version}`,
    publisher === undefined || publisher === '' ? 'publisher not known' : `by ${publisher}`,
    publishedAt === undefined
      ? 'publication not dated'
      : `published ${publishedAt.slice(0, 10)} (${ageOf(publishedAt)})`,
    ...(hasProvenance === undefined ? [] : [provenanceWords(hasProvenance)]),
    source.integrity,
    ...(warning === undefined ? [] : [warning]),
  ]
    .map((part) => plainText(part).replaceAll(/\s+/g, ' ').slice(0, MAX_CHARS))
    .join(', ');
}

function provenanceWords(has: boolean): string {
  return has ? 'with a provenance statement (not verified)' : 'without a provenance statement';
}

/** `3 days ago`, or `today`. */
export function ageOf(time: string): string {
  const days = Math.floor((Date.now() - Date.parse(time)) / DAY_MS);
  if (!(days >= 1)) return 'today';
  return days === 1 ? '1 day ago' : `${days} days ago`;
}
