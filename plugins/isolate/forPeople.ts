import type { Grants } from '../contracts/servers.ts';
import type { IsolateConfig } from './config.ts';
import { limitsOf } from './limitsOf.ts';
import type { Mount } from './mounts.ts';

/** Paths that are shown; what a program needs may have more. */
const MAX_PATHS = 20;

export interface InForce {
  readonly how: 'sandbox' | 'container';
  /** That of a container. */
  readonly image?: string;
  readonly grants: Grants;
  readonly config: IsolateConfig;
  readonly mounts: readonly Mount[];
}

/** What a process has beside the system, in words. */
export function forPeople({ how, image, grants, config, mounts }: InForce): string {
  const network =
    typeof grants.network === 'string' ? grants.network : grants.network.join(', ') || 'no host';
  const paths = [...new Set(mounts.map(({ path, mode }) => `${path} (${mode})`))];
  const more = paths.length - MAX_PATHS;
  const files =
    [...paths.slice(0, MAX_PATHS), ...(more > 0 ? [`and ${more} more`] : [])].join(', ') || 'none';
  const { memoryMb, processes, openFiles } = limitsOf(how, grants, config);
  const isSandbox = how === 'sandbox';
  const limits = [
    `memory ${bound(memoryMb, ' MB')}${isSandbox ? ' each' : ''}`,
    ...(grants.cpus === undefined ? [] : [`processors ${grants.cpus}`]),
    `processes ${bound(processes)}`,
    `open files ${openFiles} each`,
    ...(isSandbox ? [`home ${config.homeMb} MB`] : []),
    `tmp ${config.tmpMb} MB`,
  ];
  const run = image === undefined ? [] : [`image ${image}`];
  return [how, `network ${network}`, `files ${files}`, ...run, `limits ${limits.join(', ')}`].join('; ');
}

function bound(value: number, unit = ''): string {
  return value === 0 ? 'unlimited' : `${value}${unit}`;
}
