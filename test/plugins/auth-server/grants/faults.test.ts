import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import { CodeGrant } from '../../../../plugins/auth-server/grants/codeGrant.ts';
import { RefreshGrant } from '../../../../plugins/auth-server/grants/refreshGrant.ts';
import { TokenSetRefresh } from '../../../../plugins/auth-server/grants/tokenSetRefresh.ts';
import type { IdentityProvider } from '../../../../plugins/auth-server/provider/identityProvider.ts';
import { AccessTokens } from '../../../../plugins/auth-server/state/accessTokens.ts';
import { Attempts } from '../../../../plugins/auth-server/state/attempts.ts';
import { Codes } from '../../../../plugins/auth-server/state/codes.ts';
import type { IssuedTokens } from '../../../../plugins/auth-server/state/signIn.ts';
import { SignIns } from '../../../../plugins/auth-server/state/signIns.ts';
import { TokenSets } from '../../../../plugins/auth-server/state/tokenSets.ts';
import { Addresses } from '../../../../plugins/auth-server/web/addresses.ts';
import type { ServerConfig } from '../../../../plugins/auth-server/config.ts';
import { OAuthError } from '../../../../plugins/kit/oauth/oauthError.ts';
import type { Vault } from '../../../../plugins/contracts/vault.ts';
import { Params } from '../../../../plugins/auth-server/web/params.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { PUBLIC_CLIENT, REDIRECT, challengeOf } from '../../../support/authServer.ts';
import { movableClock } from '../../../support/clock.ts';
import { processScope } from '../../../support/processScope.ts';
import type { MovableClock } from '../../../support/clock.ts';
import { captureLog } from '../../../support/log.ts';

type Fault = (typeof FAULTS)[number];
/** What happens to one operation of the vault; `dies`: the process ends there. */
const FAULTS = ['dies before', 'dies after', 'fails before', 'fails after'] as const;
/** More than any of the requests needs. */
const MAX_OPERATIONS = 20;
const VERIFIER = 'v'.repeat(43);
const HOUR_MS = 3_600_000;

interface Answer {
  readonly access: string;
  readonly refresh: string;
}
type Outcome = Answer | 'died' | OAuthError | GatewayError;

/** Processes over one vault, each with its own objects. */
class Processes {
  readonly vault = new MemoryVault(() => ({
    maxEntries: 1_000,
    maxBytes: 1e6,
    maxValueBytes: 1e5,
    sweepMs: 1e6,
  }));
  readonly living = new Set<string>();
  /** Ids of the processes that have ended, but count as living for the others. */
  readonly unnoticed = new Set<string>();
  clock: MovableClock | undefined;

  isProviderRotating = false;
  isProviderAway = false;
  #rotated = new Set<string>();

  refreshAtProvider(before: IssuedTokens): IssuedTokens {
    const { refreshToken = '' } = before;
    if (this.isProviderAway) throw new OAuthError('temporarily_unavailable', 'away');
    if (!this.isProviderRotating) return before;
    if (this.#rotated.has(refreshToken)) throw new OAuthError('invalid_grant', 'rotated');
    this.#rotated.add(refreshToken);
    return { ...before, refreshToken: `${refreshToken}+` };
  }

  start(): Process {
    const process = new Process(this, randomUUID());
    this.living.add(process.own);
    return process;
  }
}

const nothing = () => Promise.resolve(undefined);

class Process {
  readonly own: string;
  readonly accessTokens: AccessTokens;
  readonly signIns: SignIns;
  readonly codes: Codes;
  readonly #all: Processes;
  readonly #code: CodeGrant;
  readonly #refresh: RefreshGrant;
  readonly #tokenSets: TokenSetRefresh;
  readonly #faulty: FaultyVault;

  constructor(all: Processes, own: string) {
    this.own = own;
    this.#all = all;
    this.#faulty = new FaultyVault(all.vault);
    const isAlive = (id: string): Promise<boolean> => {
      const isLiving = all.living.has(id) || all.unnoticed.has(id);
      // No request waits longer for a process that lives.
      if (isLiving) all.clock?.later(10_000);
      return Promise.resolve(isLiving);
    };
    const scope = processScope(this.#faulty, { own, isAlive });
    const addresses = new Addresses(() => ({ baseUrl: 'http://localhost:1' }) as unknown as ServerConfig);
    const tokenSets = new TokenSets(scope, () => 'pegboard', nothing);
    this.signIns = new SignIns(
      scope,
      tokenSets,
      { ended: (id) => this.accessTokens.forget(id), changed: () => undefined },
      () => undefined,
    );
    this.accessTokens = new AccessTokens(
      scope,
      this.signIns,
      () => 'http://localhost:1',
      () => 0,
    );
    this.codes = new Codes(scope, tokenSets);
    const issuing = {
      signIns: this.signIns,
      tokenSets,
      accessTokens: this.accessTokens,
      attempts: new Attempts(scope),
      addresses,
      sessionMs: () => HOUR_MS,
      log: captureLog(),
    };
    this.#code = new CodeGrant(issuing, this.codes, () => undefined);
    const refresh: IdentityProvider['refresh'] = async ({ person, provider }) => {
      await this.#faulty.operate(() => undefined);
      return { person, provider: all.refreshAtProvider(provider) };
    };
    this.#tokenSets = new TokenSetRefresh(
      tokenSets,
      issuing.attempts,
      { refresh },
      issuing.sessionMs,
      (key, set) => tokenSets.end(key, set).then(nothing),
    );
    this.#refresh = new RefreshGrant(issuing, this.#tokenSets);
  }

  /** Plans a fault from now on; the count begins anew. @param at number of the operation, from 0 */
  plan(fault: Fault, at: number): void {
    this.#faulty.plan(fault, at);
  }
  /** Whether the planned fault has happened. */
  get wasHit(): boolean {
    return this.#faulty.wasHit;
  }
  get isDead(): boolean {
    return this.#faulty.isDead;
  }
  /** Forgets a fault that has not happened. */
  heal(): void {
    this.#faulty.heal();
  }

  redeem(code: string): Promise<Outcome> {
    return this.#use(this.#code, { code, redirect_uri: REDIRECT, code_verifier: VERIFIER });
  }
  refresh(token: string): Promise<Outcome> {
    return this.#use(this.#refresh, { refresh_token: token });
  }
  /** As refresh(), but the connection is closed before the answer has been sent. */
  refreshUnheard(token: string): Promise<Outcome> {
    return this.#use(this.#refresh, { refresh_token: token }, false);
  }

  /** Refreshes the provider's tokens in advance. @returns once that has ended, or the process */
  async refreshAhead({ access: token }: Answer): Promise<void> {
    const run = async (): Promise<void> => {
      const access = await this.accessTokens.find(token);
      if (access === undefined) throw new Error('the access token is not valid');
      await this.#tokenSets.refreshed(access.tokenSet ?? '', () => false, 0);
    };
    await Promise.race([run(), this.#faulty.died]);
    if (this.isDead) this.#all.living.delete(this.own);
  }

  async #use(
    grant: CodeGrant | RefreshGrant,
    form: Record<string, string>,
    isAnswered = true,
  ): Promise<Outcome> {
    let answer: Answer | undefined;
    const run = async (): Promise<Outcome> => {
      try {
        const request = { form: new Params(new URLSearchParams(form)), client: PUBLIC_CLIENT };
        const { body, ended } = await grant.redeem({
          ...request,
          hasProof: false,
          address: '',
          jkt: () => Promise.resolve(undefined),
        });
        const given = { access: String(body['access_token']), refresh: String(body['refresh_token']) };
        if (isAnswered) answer = given;
        await ended?.(isAnswered);
        return given;
      } catch (error) {
        if (error instanceof OAuthError || error instanceof GatewayError) return error;
        throw error;
      }
    };
    const outcome = await Promise.race([run(), this.#faulty.died.then(() => answer ?? 'died')]);
    if (this.isDead) this.#all.living.delete(this.own);
    return outcome;
  }
}

/** A vault of which one operation goes wrong. */
class FaultyVault implements Vault {
  readonly #vault: Vault;
  #fault: Fault | undefined;
  #left = 0;
  isDead = false;
  wasHit = false;
  #die: () => void = () => undefined;
  readonly died = new Promise<void>((resolve) => (this.#die = resolve));

  constructor(vault: Vault) {
    this.#vault = vault;
  }
  plan(fault: Fault, at: number): void {
    this.#fault = fault;
    this.wasHit = false;
    this.#left = at;
  }
  heal(): void {
    this.#fault = undefined;
  }

  get: Vault['get'] = (...of) => this.operate(() => this.#vault.get(...of));
  set: Vault['set'] = (...of) => this.operate(() => this.#vault.set(...of));
  putIfAbsent: Vault['putIfAbsent'] = (...of) => this.operate(() => this.#vault.putIfAbsent(...of));
  compareAndSwap: Vault['compareAndSwap'] = (...of) => this.operate(() => this.#vault.compareAndSwap(...of));
  take: Vault['take'] = (...of) => this.operate(() => this.#vault.take(...of));
  delete: Vault['delete'] = (...of) => this.operate(() => this.#vault.delete(...of));
  list: Vault['list'] = (...of) => this.operate(() => this.#vault.list(...of));

  async operate<T>(run: () => T | Promise<T>): Promise<T> {
    if (this.isDead) return new Promise(() => undefined);
    const fault = this.#left === 0 ? this.#fault : undefined;
    if (fault === undefined) {
      this.#left -= 1;
      return run();
    }
    this.#fault = undefined;
    this.wasHit = true;
    if (fault.endsWith('after')) await run();
    if (fault.startsWith('fails')) throw new GatewayError('STORE_UNREACHABLE', 'no answer');
    this.isDead = true;
    this.#die();
    return new Promise(() => undefined);
  }
}

function answered(outcome: Outcome, what = 'answer'): Answer {
  if (typeof outcome === 'object' && 'access' in outcome) return outcome;
  const text = outcome instanceof OAuthError ? `${outcome.error}: ${outcome.reason}` : String(outcome);
  throw new Error(`no ${what}: ${text}`);
}
function isAnswer(outcome: Outcome): outcome is Answer {
  return typeof outcome === 'object' && 'access' in outcome;
}
function refused(outcome: Outcome, error = 'invalid_grant'): void {
  expect(outcome instanceof OAuthError ? outcome.error : outcome).equal(error);
}

async function newCode(process: Process): Promise<string> {
  const person = { subject: 'alice', issuer: 'https://idp', groups: [] };
  const provider = { idToken: 'id', accessToken: 'access', refreshToken: 'refresh' };
  const facts = { clientId: PUBLIC_CLIENT.id, redirectUri: REDIRECT, scope: 'openid' };
  return process.codes.issue({ ...facts, challenge: challengeOf(VERIFIER) }, { person, provider });
}
/** How many of these refresh tokens are the current one of their sign-in. */
async function currentOf(process: Process, outcomes: readonly Outcome[]): Promise<number> {
  const tokens = new Set(outcomes.filter(isAnswer).map(({ refresh }) => refresh));
  const found = await Promise.all([...tokens].map((token) => process.signIns.presented(token)));
  return found.filter((one) => one?.generation === 'current').length;
}
async function isAdmitted(process: Process, { access }: Answer): Promise<boolean> {
  return (await process.accessTokens.find(access)) !== undefined;
}

/** Runs `scenario` with the fault at each operation of the vault and of the provider.
 *  @param scenario its `plan` is for the process that is given, from then on @returns how many operations there were */
async function atEachOperation(
  fault: Fault,
  scenario: (plan: (process: Process) => void, all: Processes) => Promise<unknown>,
): Promise<number> {
  for (let at = 0; at < MAX_OPERATIONS; at += 1) {
    let planned: Process | undefined;
    const plan = (process: Process): void => (planned = process).plan(fault, at);
    try {
      await scenario(plan, new Processes());
    } catch (error) {
      throw new Error(`operation ${at}: ${String(error)}`, { cause: error });
    }
    if (planned?.wasHit === false) return at;
  }
  throw new Error(`more than ${MAX_OPERATIONS} operations`);
}

describe('auth-server: grants under faults', () => {
  for (const fault of FAULTS) {
    it(`a refresh whose process ${fault} any operation loses no sign-in, and leaves one token that is valid`, async () => {
      const { later } = movableClock();
      const operations = await atEachOperation(fault, async (plan, all) => {
        const first = all.start();
        const old = answered(await first.redeem(await newCode(first)));
        plan(first);
        const interrupted = await first.refresh(old.refresh);
        first.heal();
        const next = first.isDead ? all.start() : first;
        const known = isAnswer(interrupted) ? interrupted : old;
        expect(await currentOf(next, [old, interrupted])).at.most(1);
        const repeated = answered(await next.refresh(known.refresh), 'second try');
        expect(await isAdmitted(next, repeated)).equal(true);
        expect(await currentOf(next, [old, interrupted, repeated])).equal(1);
        // The replay of a rotated token ends the sign-in, unless it follows within a minute.
        later(61_000);
        refused(await next.refresh(known.refresh));
        refused(await next.refresh(repeated.refresh));
        expect(await isAdmitted(next, repeated)).equal(false);
      });
      expect(operations).least(6);
    });

    it(`the old token after a refresh whose process ${fault} any operation makes at most one token valid`, async () => {
      const { later } = movableClock();
      await atEachOperation(fault, async (plan, all) => {
        const first = all.start();
        const old = answered(await first.redeem(await newCode(first)));
        plan(first);
        const interrupted = await first.refresh(old.refresh);
        first.heal();
        const next = first.isDead ? all.start() : first;
        later(61_000);
        const repeated = await next.refresh(old.refresh);
        expect(await currentOf(next, [old, interrupted, repeated])).at.most(1);
        // Also if the answer had arrived: then the former of the two is a replay.
        if (isAnswer(interrupted)) refused(await next.refresh(interrupted.refresh));
      });
    });

    it(`a code whose redemption ${fault} any operation gives tokens later, and leaves one token that is valid`, async () => {
      const operations = await atEachOperation(fault, async (plan, all) => {
        const first = all.start();
        const code = await newCode(first);
        plan(first);
        const interrupted = await first.redeem(code);
        first.heal();
        const next = first.isDead ? all.start() : first;
        const repeated = isAnswer(interrupted)
          ? interrupted
          : answered(await next.redeem(code), 'second try');
        expect(await isAdmitted(next, repeated)).equal(true);
        expect(await currentOf(next, [interrupted, repeated])).equal(1);
        const later = answered(await next.refresh(repeated.refresh));
        // At the latest the use of its tokens tells that it was used.
        refused(await next.redeem(code));
        refused(await next.refresh(later.refresh));
      });
      expect(operations).least(4);
    });
  }

  it('two processes that die one after the other in the same refresh lose no sign-in', async () => {
    for (const [fault, first, second] of pairs()) {
      const all = new Processes();
      const [one, two, three] = [all.start(), all.start(), all.start()];
      const old = answered(await one.redeem(await newCode(one)));
      one.plan(fault, first);
      two.plan(fault, second);
      const outcomes = [await one.refresh(old.refresh)];
      if (!isAnswer(outcomes[0] ?? 'died')) outcomes.push(await two.refresh(old.refresh));
      const known = outcomes.find(isAnswer) ?? old;
      outcomes.push(
        answered(await three.refresh(known.refresh), `answer after ${fault} ${first} and ${second}`),
      );
      expect(await currentOf(three, outcomes)).equal(1);
    }
  });

  it('a process that has ended, but counts as living, makes clients wait and loses no sign-in', async () => {
    const waits = { refresh: 0, redeem: 0 };
    const clock = movableClock();
    for (const use of ['refresh', 'redeem'] as const) {
      await atEachOperation('dies after', async (plan, all) => {
        all.clock = clock;
        const [first, next] = [all.start(), all.start()];
        const code = await newCode(next);
        const sent = use === 'redeem' ? code : answered(await next.redeem(code)).refresh;
        plan(first);
        const interrupted = await first[use](sent);
        first.heal();
        if (isAnswer(interrupted)) return;
        all.unnoticed.add(first.own);
        const early = await next[use](sent);
        all.unnoticed.clear();
        if (isAnswer(early)) return;
        waits[use] += 1;
        refused(early, 'temporarily_unavailable');
        answered(await next[use](sent), 'answer at last');
      });
    }
    expect(waits.refresh).least(3);
    expect(waits.redeem).least(2);
  });

  it('a token whose successor was presented stays refused, also if the provider is away then', async () => {
    const { later } = movableClock();
    await atEachOperation('dies before', async (plan, all) => {
      const [first, next] = [all.start(), all.start()];
      const old = answered(await first.redeem(await newCode(first)));
      plan(first);
      const interrupted = await first.refresh(old.refresh);
      first.heal();
      if (!isAnswer(interrupted)) return;
      all.isProviderAway = true;
      refused(await next.refresh(interrupted.refresh), 'temporarily_unavailable');
      all.isProviderAway = false;
      later(61_000);
      refused(await next.refresh(old.refresh));
    });
  });

  it('a client whose answer was lost may repeat its request, whatever a refresh in advance does meanwhile', async () => {
    const clock = movableClock();
    for (const fault of FAULTS) {
      await atEachOperation(fault, async (plan, all) => {
        all.clock = clock;
        const [first, next] = [all.start(), all.start()];
        const old = answered(await first.redeem(await newCode(first)));
        await first.refreshUnheard(old.refresh);
        plan(first);
        await first.refreshAhead(old).catch(() => undefined);
        first.heal();
        const early = await next.refresh(old.refresh);
        if (isAnswer(early)) return;
        // The first process still has the turn, as far as the other knows.
        refused(early, 'temporarily_unavailable');
        answered(await first.refresh(old.refresh), 'answer of the first process');
      });
    }
  });

  it('a client that leaves before the answer may repeat its request, at any process', async () => {
    const all = new Processes();
    const [one, two] = [all.start(), all.start()];
    const old = answered(await one.redeem(await newCode(one)));
    const unheard = answered(await one.refreshUnheard(old.refresh));
    const again = answered(await two.refresh(old.refresh));
    expect(await currentOf(one, [old, unheard, again])).equal(1);
    refused(await one.refresh(unheard.refresh));
    refused(await two.refresh(again.refresh));
  });

  it('a provider that rotates is not asked twice with one token because the vault was away', async () => {
    for (const fault of ['fails before', 'fails after'] as const) {
      await atEachOperation(fault, async (plan, all) => {
        all.isProviderRotating = true;
        const process = all.start();
        const old = answered(await process.redeem(await newCode(process)));
        plan(process);
        const first = await process.refresh(old.refresh);
        process.heal();
        const next = isAnswer(first) ? first : answered(await process.refresh(old.refresh), 'second try');
        answered(await process.refresh(next.refresh), 'third try');
      });
    }
  });
});

/** Every two operations at which two processes can die. */
function* pairs(): Generator<readonly [Fault, number, number]> {
  for (const fault of ['dies before', 'dies after'] as const)
    for (let first = 0; first < 6; first += 1)
      for (let second = 0; second < 6; second += 1) yield [fault, first, second];
}
