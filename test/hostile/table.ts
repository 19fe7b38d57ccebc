import { AUTHORITY } from './authority.ts';
import { DEMANDS } from './demands.ts';
import type { HostileCase } from './hostileCase.ts';
import { MESSAGES } from './messages.ts';
import { SERVERS } from './servers.ts';
import { SIGN_INS } from './signIns.ts';
import { STATELESS } from './stateless.ts';

export const HOSTILE_CASES: readonly HostileCase[] = [
  ...MESSAGES,
  ...SERVERS,
  ...STATELESS,
  ...DEMANDS,
  ...SIGN_INS,
  ...AUTHORITY,
];

/** The list in test/README.md; `npm run tables` writes it. */
export function markdown(): string {
  return HOSTILE_CASES.flatMap((one) => {
    const tests = 'tests' in one ? one.tests : [];
    return [`- **${one.id}** ${one.what}: ${statusOf(one)}`, ...tests.map((test) => `  - ${test}`)];
  })
    .map((line) => line.replace(/__\w+__/g, '`$&`'))
    .join('\n');
}

function statusOf(one: HostileCase): string {
  if ('open' in one) return `open, ${one.open}`;
  return one.but === undefined ? 'held' : `held, but ${one.but}`;
}
