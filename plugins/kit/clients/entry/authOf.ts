import type { JsonObject } from 'pegboard';
import { flagIn, textIn } from './entryFields.ts';
import type { EntryFields } from './entryFields.ts';

/** `auth` of a definition, if the entry says that its client signs in. Which client it is there stays behind: it needs an issuer. */
export function authOf(fields: EntryFields): JsonObject | undefined {
  const detailed = ['oauth', 'auth'].flatMap((key) => {
    if (!fields.hasObject(key)) return [];
    const inner = fields.below(key);
    const type = inner.take(['type', 'provider'], textIn);
    return type === undefined || type === 'oauth' ? (inner.take(['enabled'], flagIn) ?? true) : false;
  });
  const said = fields.takeAll(['oauth', 'auth', 'requiresOAuth', 'auth_type', 'authType'], (value) =>
    value === 'oauth' ? true : value === 'none' ? false : flagIn(value),
  );
  return [...said, ...detailed].includes(true) ? { type: 'oauth' } : undefined;
}
