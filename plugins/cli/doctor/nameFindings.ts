import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Gateway } from '../gateway.ts';
import { kindOf } from '../kinds.ts';
import type { DoctorFinding } from './doctorFinding.ts';

/** Tools that are not offered because something else has their name, as the gateway reports them. @throws Failure */
export async function nameFindings(gateway: Gateway): Promise<readonly DoctorFinding[]> {
  const services = await kindOf('service').list(gateway);
  const shadowed = services.flatMap(({ name, metadata }) =>
    isObject(metadata) && Array.isArray(metadata['collisions'])
      ? [{ name: String(name), metadata, tools: metadata['collisions'] as readonly string[] }]
      : [],
  );
  if (shadowed.length === 0) return [{ level: 'ok', subject: 'names', message: 'each tool has its own' }];
  return Promise.all(
    shadowed.map(async ({ name, metadata, tools }): Promise<DoctorFinding> => {
      const { server, kind } = await kindOf('tool').get(gateway, tools[0] ?? '');
      const holder = typeof server === 'string' ? `server ${server}` : `a ${String(kind)} tool of Pegboard`;
      return {
        level: 'warning',
        subject: 'names',
        message: `${tools.join(', ')} of server ${name} cannot be called: ${holder} has the same name`,
        fix: `pegboard call core_mcpserver_update --name ${name} --toolPrefix ${freePrefix(name, metadata)}`,
      };
    }),
  );
}

/** The server's own name wins over a prefix of others. */
function freePrefix(name: string, { toolPrefix }: JsonObject): string {
  return toolPrefix === undefined || toolPrefix === name ? `${name}-2` : name;
}
