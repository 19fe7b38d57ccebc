import type { Invocation, JsonObject } from 'pegboard';
import { lookUp } from '../../kit/packages/lookUp.ts';
import type { NamedPackage, PackageSource } from '../../kit/packages/packageIn.ts';
import { versionOrder } from '../../kit/packages/versionOrder.ts';
import { packageOf } from '../add/withPin.ts';
import { Failure } from '../failure.ts';
import { printList } from '../output/print.ts';
import { definedServers } from '../plan/definedServers.ts';
import { verb } from '../verb.ts';
import { askingOf } from './askingOf.ts';
import { ageOf } from './packageFacts.ts';

export const outdated = verb({
  name: 'outdated',
  summary: 'list servers whose package has a newer version',
  examples: ['pegboard outdated', 'pegboard outdated -o json'],
  run: async (invocation) => {
    const servers = await definedServers(invocation.directory);
    const rows: JsonObject[] = [];
    let isComplete = true;
    for (const spec of servers) {
      const named = spec['type'] === 'stdio' ? packageOf(spec) : undefined;
      const found = named && (await newerOf(named, spec, invocation));
      if (found instanceof Failure) {
        isComplete = false;
        invocation.terminal.err(`pegboard: ${String(spec['name'])}: ${found.message}\n`);
      } else if (found !== undefined) rows.push({ name: spec['name'], ...found });
    }
    printList(invocation, 'outdated servers', rows, [
      { title: 'server', value: 'name' },
      { title: 'package', value: 'package' },
      { title: 'pinned', value: 'pinned' },
      { title: 'newest', value: 'newest' },
      { title: 'published', value: ({ publishedAt }) => ageWords(publishedAt) },
    ]);
    return rows.length > 0 || !isComplete ? 1 : 0;
  },
});

/** What the registry has in place of what runs; undefined if that is the newest. */
async function newerOf(
  named: NamedPackage,
  spec: JsonObject,
  invocation: Invocation,
): Promise<JsonObject | Failure | undefined> {
  const source = spec['source'] as PackageSource | undefined;
  const wanted = named.registry === 'oci' ? (named.version ?? source?.version) : 'latest';
  try {
    const found = await lookUp(named, askingOf(invocation), wanted);
    const { version, integrity } = found.source;
    const isImage = named.registry === 'oci';
    const pinned = isImage ? named.digest : named.isExact ? named.version : undefined;
    const newest = isImage ? integrity : version;
    if (pinned === newest) return undefined;
    // A `latest` that went back, or that is behind a beta, is not newer.
    if (!isImage && pinned !== undefined && versionOrder(pinned, newest) >= 0) return undefined;
    return { package: named.name, pinned: pinned ?? 'nothing', newest, publishedAt: found.publishedAt };
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function ageWords(time: unknown): string {
  return typeof time === 'string' ? ageOf(time) : '';
}
