import type { JsonObject } from 'pegboard';
import type { Server } from './entry/serverOfEntry.ts';

/** What the definition of a server says about it, apart from whether it runs. Its secrets are still in it. */
export function specOf(server: Server): JsonObject {
  const { type, command, cwd = server.projectFolder, url, env, headers, auth, description } = server;
  return {
    type,
    ...(command !== undefined && { command }),
    ...(cwd !== undefined && { cwd }),
    ...(url !== undefined && { url }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(auth !== undefined && { auth }),
    ...server.limits,
    ...server.times,
    ...(description !== undefined && { description }),
  };
}
