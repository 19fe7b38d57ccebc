import type { JsonObject } from 'pegboard';
import { flagIn } from './entryFields.ts';
import type { EntryFields } from './entryFields.ts';

/** `auth` of a definition, if the entry says that its client signs in. Which client it is there stays behind: it needs an issuer. */
export function authOf(fields: EntryFields): JsonObject | undefined {
  const detailed = ['oauth', 'auth'].flatMap((key) => {
    if (!fields.hasObject(key)) return [];
    const inner = fields.below(key);
    const isOAuth = inner.take(['type'], (value) => (value === 'oauth' ? true : undefined));
    return inner.take(['enabled'], flagIn) ?? isOAuth ?? true;
  });
  const said = fields.takeAll(['oauth', 'auth', 'requiresOAuth', 'auth_type', 'authType'], (value) =>
    value === 'oauth' ? true : value === 'none' ? false : flagIn(value),
  );
  return [...said, ...detailed].includes(true) ? { type: 'oauth' } : undefined;
}
