import { expect } from 'chai';
import * as fc from 'fast-check';
import type { GrantFacts } from '../../../../../plugins/contracts/credentials.ts';
import {
  MAX_TURN_MS,
  grantFacts,
  isFresh,
  lossOf,
} from '../../../../../plugins/auth-client/grants/record/grantFacts.ts';
import type { KeptGrant, GrantRecord } from '../../../../../plugins/auth-client/grants/record/grantRecord.ts';
import { LOSSES } from '../../../../../plugins/auth-client/grants/record/losses.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const SECRETS = ['secret-access', 'secret-refresh', 'secret-client'];
const PLACE = { url: 'https://mcp.example/mcp', issuer: undefined };

const time = fc.integer({ min: NOW - DAY_MS, max: NOW + DAY_MS });
const maybe = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined });
const grant: fc.Arbitrary<KeptGrant> = fc.record({
  url: fc.constantFrom(PLACE.url, 'https://former.example/mcp'),
  issuer: fc.constantFrom('https://login.example', 'https://login.example/'),
  tokenEndpoint: fc.constant('https://login.example/token'),
  client: fc.constant({
    id: 'gateway',
    secret: 'secret-client',
    isRegistered: true,
    authMethod: 'client_secret_post' as const,
  }),
  accessToken: fc.constant('secret-access'),
  refreshToken: maybe(fc.constant('secret-refresh')),
  grantedAt: time,
  issuedAt: time,
  expiresAt: maybe(time),
  refreshAt: maybe(time),
});
const record = fc.record({
  owner: fc.constant('local'),
  server: fc.constant('notes'),
  grant: maybe(grant),
  asked: maybe(fc.record({ at: time, until: time })),
  turn: maybe(fc.record({ process: fc.constant('one'), id: fc.constant('one/1'), since: time })),
  trouble: maybe(
    fc.record({
      since: time,
      retryAt: time,
      count: fc.nat(10),
      mayBeSpent: fc.boolean(),
      reason: fc.constant('HTTP 503'),
    }),
  ),
  lost: maybe(
    fc.record({ at: time, loss: fc.constantFrom(...(Object.keys(LOSSES) as (keyof typeof LOSSES)[])) }),
  ),
  missingScopes: maybe(fc.constant(['write'])),
}) as fc.Arbitrary<GrantRecord>;

/** Checks all records, at any time. */
function always(check: (record: GrantRecord, facts: GrantFacts, now: number) => void): void {
  fc.assert(
    fc.property(record, time, (made, now) => check(made, grantFacts(made, PLACE, now), now)),
    { numRuns: 1_000 },
  );
}

describe('auth-client: the state of a grant', () => {
  it('has the state none without a record', () => {
    expect(grantFacts(undefined, PLACE, NOW)).deep.equal({ state: 'none' });
  });

  it('lets the token be sent in the states valid, refreshing and expiring, and in no other', () => {
    always((made, { state }, now) => {
      const isUsable = made.grant !== undefined && lossOf(made, PLACE, now) === undefined;
      expect(['valid', 'refreshing', 'expiring'].includes(state)).equal(isUsable);
    });
  });

  it('names a reason if it is lost or expiring, and a cure whenever a person can help', () => {
    always(({ missingScopes, grant: given }, { state, reason, cure }) => {
      if (state === 'lost' || state === 'expiring') expect(reason).match(/\w/);
      const canHelp =
        state === 'lost' ||
        state === 'asked' ||
        (missingScopes !== undefined && state !== 'none') ||
        (state === 'expiring' && given?.refreshToken === undefined);
      if (canHelp) expect(cure).include('core_auth_login with {"server": "notes"}');
    });
  });

  it('is asked only while the link is of use and nothing can be sent', () => {
    always(({ asked }, { state }, now) => {
      if (state === 'asked') expect(asked?.until).greaterThan(now);
    });
  });

  it('does not stay refreshing when the request must have ended', () => {
    always(({ turn }, { state }, now) => {
      if (state === 'refreshing') expect(now).lessThan((turn?.since ?? 0) + MAX_TURN_MS);
    });
  });

  it('never shows a token or the secret of the client', () => {
    always((_, facts) => {
      for (const secret of SECRETS) expect(JSON.stringify(facts)).not.include(secret);
    });
  });

  it('is a function of the time only: it never comes back from lost by waiting', () => {
    fc.assert(
      fc.property(record, time, fc.nat(DAY_MS), (made, now, later) => {
        const isLost = lossOf(made, PLACE, now) !== undefined;
        if (isLost) expect(lossOf(made, PLACE, now + later)).not.equal(undefined);
      }),
    );
  });

  it('has a token that is sent only before its end', () => {
    fc.assert(
      fc.property(grant, time, (made, now) => {
        if (isFresh(made, now)) expect(made.expiresAt ?? Infinity).greaterThan(now);
      }),
    );
  });

  it('survives the vault unchanged', () => {
    always((made, facts, now) => {
      const stored = JSON.parse(JSON.stringify(made)) as GrantRecord;
      expect(grantFacts(stored, PLACE, now)).deep.equal(facts);
    });
  });
});
