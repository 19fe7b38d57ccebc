import { entryOf } from 'pegboard';
import type { ReviewFacts, ReviewFinding } from 'pegboard';
import { isLoopbackHost } from 'pegboard/net';
import { needsSignIn } from '../kit/http/signInSettings.ts';

/** The servers that have all rights of a gateway which other people than its user call. */
export function unconfinedFindings({ resources, settings }: ReviewFacts<unknown>): readonly ReviewFinding[] {
  const isWide = !isLoopbackHost(settings.aggregator.host);
  if (!needsSignIn(settings) && !isWide) return [];
  const { isolate: byDefault } = entryOf(settings, 'upstream').config ?? {};
  return resources
    .filter(({ kind, spec }) => kind === 'MCPServer' && spec['type'] === 'stdio' && spec['runsIn'] !== 'pod')
    .filter(({ spec }) => (spec['isolate'] ?? byDefault ?? 'none') === 'none')
    .map((resource) => ({
      resource,
      path: resource.spec['isolate'] === undefined ? [] : ['isolate'],
      message:
        'it runs with all rights of Pegboard, and other people call it; set isolate: sandbox with what it needs in grants',
      severity: 'warning',
    }));
}
