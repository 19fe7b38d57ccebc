import { expect } from 'chai';
import type { Call } from '../../../kernel/contracts/call.ts';
import type { InboundRequest } from '../../../kernel/contracts/request.ts';
import { isGatewayError } from '../../../kernel/errors.ts';
import type { LimitsConfig } from '../../../plugins/limits/config.ts';
import { Leases } from '../../../plugins/limits/leases.ts';
import { Limits } from '../../../plugins/limits/limits.ts';
import { toolOf } from '../../support/kernel.ts';
import { META, OTHER, READ, WRITE, callOf, configOf, inner } from './calls.ts';

/** The limits of a process that is alone. */
function limitsOf(config: LimitsConfig): Limits {
  return new Limits(config, new Leases(() => expect.fail('nothing is shared')));
}

/** Answers at once, because nothing is shared. */
function admit(limits: Limits, call: Call, now: number): void {
  expect(limits.admit(call, now)).equal(undefined);
}

const session = (sessionId: string): Partial<InboundRequest> => ({ sessionId });

/** @returns the seconds to wait, or undefined when the call was admitted */
function ask(limits: Limits, call: Call, now: number): number | undefined {
  try {
    admit(limits, call, now);
    return undefined;
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    expect(error.code).equal('LIMIT_EXCEEDED');
    return error.details['retryAfter'];
  }
}
function messageOf(limits: Limits, call: Call, now: number): string {
  try {
    admit(limits, call, now);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was let in');
}
/** Admits calls until one is refused, each over at once. */
function drain(limits: Limits, make: () => Call, now: number): number {
  for (let count = 0; count < 10_000; count += 1) {
    const call = make();
    if (ask(limits, call, now) !== undefined) return count;
    limits.settle(call);
  }
  throw new Error('there is no limit');
}

describe('limits', () => {
  it('admits a burst, then one call per interval, and says in how many seconds', () => {
    const limits = limitsOf(configOf({ perSession: { callsPerMinute: 60, burst: 3 } }));
    const next = (): Call => callOf(META);
    expect(drain(limits, next, 0)).equal(3);
    expect(ask(limits, next(), 0)).equal(1);
    expect(ask(limits, next(), 400)).equal(0.6);
    expect(ask(limits, next(), 1_000)).equal(undefined);
    expect(ask(limits, next(), 1_000)).equal(1);
    expect(drain(limits, next, 60_000)).equal(3);
  });

  it('bounds the tools of a family together by the name of the family', () => {
    const limits = limitsOf(configOf({ tools: { x_db_drop: { concurrent: 1 } } }));
    const group = toolOf('x_db_drop');
    admit(limits, inner(toolOf('x_prod_drop', { group })), 0);
    expect(messageOf(limits, inner(toolOf('x_stage_drop', { group })), 0)).to.match(
      /^tool x_db_drop is limited to 1 at a time/,
    );
  });

  it('names the limit and the next step', () => {
    const config = {
      perSession: { callsPerMinute: 60, burst: 1, concurrent: 4 },
      perServer: { concurrent: 1 },
    };
    const limits = limitsOf(configOf(config));
    admit(limits, callOf(META), 0);
    expect(messageOf(limits, callOf(META), 0)).equal(
      'this session is limited to 60 calls a minute and 4 at a time; try again in 1 s',
    );
    admit(limits, inner(READ), 0);
    expect(messageOf(limits, inner(WRITE), 0)).equal(
      'server github is limited to 1 at a time; try again in 1 s',
    );
  });

  it('uses the singular for one call', () => {
    const limits = limitsOf(configOf({ perSession: { callsPerMinute: 1, burst: 1 } }));
    admit(limits, callOf(META), 0);
    expect(messageOf(limits, callOf(META), 0)).equal(
      'this session is limited to 1 call a minute; try again in 60 s',
    );
  });

  it('counts a running call until it is over, however it ends', () => {
    const limits = limitsOf(configOf({ perTool: { concurrent: 2 }, busyRetrySeconds: 5 }));
    const running = [inner(READ), inner(READ)] as const;
    for (const call of running) admit(limits, call, 0);
    expect(ask(limits, inner(READ), 0)).equal(5);
    expect(ask(limits, inner(OTHER), 0)).equal(undefined);
    limits.settle(running[0]);
    limits.settle(running[0]);
    expect(ask(limits, inner(READ), 0)).equal(undefined);
    expect(ask(limits, inner(READ), 0)).equal(5);
  });

  it('counts each session separately, and a caller across its sessions', () => {
    const config = {
      perSession: { callsPerMinute: 60, burst: 2 },
      perCaller: { callsPerMinute: 60, burst: 3 },
    };
    const limits = limitsOf(configOf(config));
    const ada = { caller: { subject: 'ada' } };
    const counts = ['a', 'b', 'c'].map((id) =>
      drain(limits, () => callOf(META, { ...session(id), ...ada }), 0),
    );
    expect(counts).deep.equal([2, 1, 0]);
    expect(drain(limits, () => callOf(META, { ...session('d'), caller: { subject: 'bob' } }), 0)).equal(2);
    const elsewhere = { ...session('e'), caller: { subject: 'ada', issuer: 'elsewhere' } };
    expect(drain(limits, () => callOf(META, elsewhere), 0)).equal(2);
  });

  it('uses the address as the caller when there is no sign-in', () => {
    const limits = limitsOf(configOf({ perCaller: { callsPerMinute: 60, burst: 2 } }));
    const from = (remoteAddress: string) => () => callOf(META, { remoteAddress });
    expect(drain(limits, from('192.0.2.1'), 0)).equal(2);
    expect(drain(limits, from('192.0.2.1'), 0)).equal(0);
    expect(drain(limits, from('192.0.2.2'), 0)).equal(2);
  });

  it('counts only direct calls for a session, but all calls that reach a server or tool', () => {
    const config = {
      perSession: { callsPerMinute: 1, burst: 1 },
      perServer: { callsPerMinute: 1, burst: 3 },
    };
    const limits = limitsOf(configOf(config));
    const entry = callOf(META);
    admit(limits, entry, 0);
    const workflow = callOf(toolOf('workflow_deploy', { kind: 'workflow' }), {}, entry);
    admit(limits, workflow, 0);
    for (const tool of [READ, WRITE, READ]) admit(limits, callOf(tool, {}, workflow), 0);
    expect(messageOf(limits, callOf(READ, {}, workflow), 0)).match(/^server github is limited/);
  });

  it('applies the limits of named servers and tools', () => {
    const config = {
      perTool: { callsPerMinute: 60, burst: 1 },
      tools: { x_github_read: { callsPerMinute: 60, burst: 4 }, x_files_read: {} },
      servers: { github: { callsPerMinute: 60, burst: 5 } },
    };
    const limits = limitsOf(configOf(config));
    expect(drain(limits, () => inner(READ), 0)).equal(4);
    expect(drain(limits, () => inner(WRITE), 0)).equal(1);
    expect(() => drain(limits, () => inner(OTHER), 0)).throw('there is no limit');
  });

  it('counts a refused call nowhere', () => {
    const config = { perServer: { callsPerMinute: 60, burst: 2 }, perTool: { callsPerMinute: 60, burst: 1 } };
    const limits = limitsOf(configOf(config));
    expect(drain(limits, () => inner(READ), 0)).equal(1);
    expect(drain(limits, () => inner(READ), 0)).equal(0);
    expect(drain(limits, () => inner(WRITE), 0)).equal(1);
    expect(limits.running).equal(0);
  });

  it('leaves other callers their part of a rate beside a noisy one, which gets the rest', () => {
    const limits = limitsOf(configOf({ perServer: { callsPerMinute: 600, burst: 10 } }));
    const passed = { noisy: 0, quiet: 0 };
    for (let now = 0; now < 21_000; now += 10) {
      const quiet = inner(READ, session('quiet'));
      // Three calls a second, less than its half.
      if (now % 330 === 0 && now > 1_000 && ask(limits, quiet, now) === undefined) {
        passed.quiet += 1;
        limits.settle(quiet);
      }
      passed.noisy += drain(limits, () => inner(READ, session('noisy')), now);
    }
    expect(passed.quiet).within(58, 60);
    expect(passed.noisy + passed.quiet).within(205, 220);
  });

  it('leaves other callers their part of the slots beside a noisy one', () => {
    const limits = limitsOf(configOf({ perServer: { concurrent: 4 } }));
    const running = [1, 2, 3, 4].map(() => inner(READ, session('noisy')));
    for (const call of running) admit(limits, call, 0);
    expect(ask(limits, inner(READ, session('quiet')), 10)).equal(1);
    limits.settle(running[0]!);
    expect(ask(limits, inner(READ, session('noisy')), 20)).equal(1);
    expect(ask(limits, inner(READ, session('quiet')), 30)).equal(undefined);
  });

  it('keeps its counts when the limits change', () => {
    const limits = limitsOf(configOf({ perTool: { callsPerMinute: 60, burst: 100 } }));
    expect(drain(limits, () => inner(READ), 0)).equal(100);
    limits.adopt(configOf({ perTool: { callsPerMinute: 60, burst: 2, concurrent: 1 } }));
    expect(ask(limits, inner(READ), 0)).above(1);
    expect(ask(limits, inner(READ), 99_000)).equal(undefined);
    expect(ask(limits, inner(READ), 99_000)).equal(1);
  });

  it('remembers sessions and sharers up to its limit, and forgets none with a running call', () => {
    const config = configOf({ perSession: { concurrent: 1 }, perTool: { concurrent: 500 }, maxEntries: 100 });
    const limits = limitsOf(config);
    const running = callOf(META, session('busy'));
    admit(limits, running, 0);
    for (let at = 0; at < 1_000; at += 1) {
      const call = callOf(META, session(`s${at}`));
      admit(limits, call, 0);
      limits.settle(call);
    }
    expect(ask(limits, callOf(META, session('busy')), 0)).equal(1);
    limits.settle(running);
    expect(limits.running).equal(0);
  });
});
