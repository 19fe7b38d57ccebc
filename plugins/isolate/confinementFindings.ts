import { entryOf } from 'pegboard';
import type { JsonObject, Resource, ReviewFacts, ReviewFinding } from 'pegboard';
import { isLoopbackHost } from 'pegboard/net';
import { beyondLimits } from '../kit/definitions/withinLimit.ts';
import { needsSignIn } from '../kit/http/signInSettings.ts';
import type { IsolateConfig } from './config.ts';

/** What an operator should read about definitions: who has all rights, and who asks for more than the limits give. */
export function confinementFindings(facts: ReviewFacts<IsolateConfig>): readonly ReviewFinding[] {
  return [...unconfinedFindings(facts), ...limitedFindings(facts)];
}

function limitedFindings({
  resources,
  settings,
  config,
}: ReviewFacts<IsolateConfig>): readonly ReviewFinding[] {
  const { memoryMb, processes, openFiles } = config;
  const isConfined = ({ kind, spec }: Resource): boolean =>
    kind === 'MCPServer' && spec['runsIn'] !== 'pod' && isolationOf(spec, settings) !== 'none';
  return resources.filter(isConfined).flatMap((resource) => {
    const counted = isolationOf(resource.spec, settings) === 'container' || process.getuid?.() !== 0;
    const limits = { memoryMb, openFiles, ...(counted && { processes }) };
    return beyondLimits(resource, { limits, plugin: 'isolate' });
  });
}

function isolationOf(spec: JsonObject, settings: ReviewFacts<unknown>['settings']): unknown {
  return spec['isolate'] ?? entryOf(settings, 'upstream').config?.['isolate'] ?? 'none';
}

/** The servers that have all rights of a gateway which other people than its user call. */
function unconfinedFindings({ resources, settings }: ReviewFacts<unknown>): readonly ReviewFinding[] {
  const isWide = !isLoopbackHost(settings.aggregator.host);
  if (!needsSignIn(settings) && !isWide) return [];
  return resources
    .filter(({ kind, spec }) => kind === 'MCPServer' && spec['type'] === 'stdio' && spec['runsIn'] !== 'pod')
    .filter(({ spec }) => isolationOf(spec, settings) === 'none')
    .map((resource) => ({
      resource,
      path: resource.spec['isolate'] === undefined ? [] : ['isolate'],
      message:
        'it runs with all rights of Pegboard, and other people call it; set isolate: sandbox with what it needs in grants',
      severity: 'warning',
    }));
}
