import type { ReviewFacts, ReviewFinding } from 'pegboard';
import { readDefinition } from '../definition.ts';
import { readKnown } from './lastKnown.ts';
import { topicsForInstances } from './topicsForInstances.ts';

/** Recommends instances for servers that have asked their clients when they last ran. A definition with the key `instances`
 *  has decided. */
export async function instanceFindings({
  resources,
  statePath,
}: ReviewFacts<unknown>): Promise<readonly ReviewFinding[]> {
  if (statePath === undefined) return [];
  const open = resources.filter(({ kind, spec }) => kind === 'MCPServer' && spec['instances'] === undefined);
  const found = await Promise.all(
    open.map(async (resource): Promise<readonly ReviewFinding[]> => {
      const definition = readDefinition(resource.spec, resource.labels);
      const known = await readKnown(statePath, resource.name, definition);
      const asked = topicsForInstances(definition, known?.asked ?? [], known?.transport);
      if (asked.length === 0) return [];
      const fix = 'set instances: perSession, or instances: shared if it has one client only';
      const message = `it asked its clients for ${asked.join(' and ')}; ${fix}`;
      return [{ resource, path: [], message, severity: 'warning' }];
    }),
  );
  return found.flat();
}
