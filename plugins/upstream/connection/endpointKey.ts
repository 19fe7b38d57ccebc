import { createHash } from 'node:crypto';
import { identifyingFields } from '../definition.ts';
import type { ServerDefinition } from '../definition.ts';

/** Which server a definition means. Includes the names of variables and headers, but not their values, which may be secret. */
export function endpointKey(definition: ServerDefinition): string {
  const [type, command, url] = identifyingFields(definition);
  return hashOf(
    JSON.stringify([type, command, url, Object.keys(definition.env), Object.keys(definition.headers)]),
  );
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
