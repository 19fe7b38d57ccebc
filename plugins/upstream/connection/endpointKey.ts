import { createHash } from 'node:crypto';
import { identifyingFields } from '../definition.ts';
import type { ServerDefinition } from '../definition.ts';

/** Which server a definition means. Includes the names of variables and headers, but not their values, which may be secret. */
export function endpointKey(definition: ServerDefinition): string {
  const [type, command, url] = identifyingFields(definition);
  const { cwd, env, headers, secretNamespace: namespace } = definition;
  const key = [type, command, url, Object.keys(env), Object.keys(headers)];
  // Absent ones leave the keys of what is stored as they are.
  const more = [...(cwd === undefined ? [] : [cwd]), ...(namespace === undefined ? [] : [{ namespace }])];
  return hashOf(JSON.stringify([...key, ...more]));
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
