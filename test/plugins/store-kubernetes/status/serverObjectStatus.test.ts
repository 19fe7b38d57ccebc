import { expect } from 'chai';
import type { Issue } from '../../../../kernel/index.ts';
import type { ServiceRecord } from '../../../../plugins/contracts/services.ts';
import { timedConditions } from '../../../../plugins/store-kubernetes/status/timedConditions.ts';
import {
  serverJudgements,
  serverStatusOf,
} from '../../../../plugins/store-kubernetes/status/serverObjectStatus.ts';
import { workflowStatusOf } from '../../../../plugins/store-kubernetes/status/workflowObjectStatus.ts';

const BROKEN: Issue = {
  severity: 'error',
  code: 'CONFIG_INVALID',
  message: 'MCPServer s: wrong',
  file: 'mcpservers/s spec.url',
};
const FAILED = {
  lastError: 'no answer',
  lastErrorCode: 'UPSTREAM_TIMEOUT',
  nextRetryAfter: '2026-11-24T10:00:00.750Z',
  consecutiveFailures: 2,
};

function record(state: string, metadata: object = {}): ServiceRecord {
  return { name: 's', service_type: 'MCPServer', state, health: 'unknown', metadata: { ...metadata } };
}
function judged(state: string, metadata: object = {}, errors: readonly Issue[] = []): Record<string, string> {
  const found = serverJudgements({ type: 'stdio', errors, record: record(state, metadata) });
  return Object.fromEntries(found.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

describe('the conditions of an MCPServer', () => {
  for (const [state, metadata, expected] of [
    ['running', {}, ['True Connected', 'True Connected', 'True Connected']],
    ['idle', {}, ['True Idle', 'True Idle', 'True Idle']],
    ['starting', {}, ['False Starting', 'Unknown Starting', 'Unknown Starting']],
    ['stopped', {}, ['False NotStarted', 'Unknown NotStarted', 'Unknown NotStarted']],
    [
      'stopped',
      { suspended: true },
      ['False UPSTREAM_SUSPENDED', 'Unknown UPSTREAM_SUSPENDED', 'Unknown UPSTREAM_SUSPENDED'],
    ],
    ['auth_required', {}, ['False UPSTREAM_AUTH_REQUIRED', 'True Connected', 'False UPSTREAM_AUTH_REQUIRED']],
    ['unreachable', FAILED, ['False UPSTREAM_TIMEOUT', 'False UPSTREAM_TIMEOUT', 'Unknown UPSTREAM_TIMEOUT']],
  ] as const)
    it(`of one that is ${state}${Object.keys(metadata).length > 0 ? `, with ${Object.keys(metadata).join()}` : ''}`, () => {
      const [Ready, Reachable, Authorized] = expected;
      expect(judged(state, metadata)).deep.equal({ Ready, Accepted: 'True InForce', Reachable, Authorized });
    });

  it('say what is wrong with a definition, and where, before all else', () => {
    expect(judged('running', {}, [BROKEN])).deep.include({
      Ready: 'False CONFIG_INVALID',
      Accepted: 'False CONFIG_INVALID',
      Reachable: 'True Connected',
    });
    const [ready] = serverJudgements({ type: 'stdio', errors: [BROKEN], record: record('running') });
    expect(ready?.message).include('mcpservers/s spec.url: MCPServer s: wrong');
  });

  it('say that one is refused, and which version is in force in its place', () => {
    const refused = { type: 'stdio', errors: [BROKEN], record: undefined };
    const [, accepted, reachable] = serverJudgements(refused);
    expect(accepted?.message).match(/^no version is in force: mcpservers/);
    expect(reachable).include({ status: 'Unknown', reason: 'Refused' });
    const [, kept] = serverJudgements({ ...refused, lastGood: 3 });
    expect(kept?.message).match(/^generation 3, the last valid one, stays in force: /);
    const warnings = [{ ...BROKEN, severity: 'warning' as const }];
    const [, known] = serverJudgements({ ...refused, errors: [], warnings });
    expect(known).include({ status: 'True', reason: 'InForce' });
    expect(known?.message).include('mcpservers/s spec.url: MCPServer s: wrong');
  });

  it('have codes in CamelCase, and the code at the head of the message', () => {
    const judgement = {
      type: 'Ready',
      status: 'False',
      reason: 'UPSTREAM_TIMEOUT',
      message: 'late',
    } as const;
    const [first] = timedConditions([judgement], { before: [], generation: 1, now: 'now' });
    expect(first).include({ reason: 'UpstreamTimeout', message: 'UPSTREAM_TIMEOUT: late' });
  });

  it('say what helps in the words of an object', () => {
    const stopped = record('stopped', { suspended: true });
    const [ready] = serverJudgements({ type: 'stdio', errors: [], record: stopped });
    expect(ready?.message).equal('the server is stopped (spec.suspended: true); set spec.suspended to false');
    const remedy = { cause: 'it answered HTTP 401', action: { do: 'authorize', server: 's' } };
    const error = 'it answered HTTP 401; set headers in its definition';
    for (const state of ['auth_required', 'unreachable']) {
      const facts = { type: 'stdio', errors: [], record: { ...record(state), error, remedy } };
      expect(serverJudgements(facts)[0]?.message).equal('it answered HTTP 401; set spec.headers');
    }
  });

  it('keep the time at which a status changed, not a reason, and are at most 1,024 characters long', () => {
    const message = 'x'.repeat(2_000);
    const judgement = { type: 'Ready', status: 'False', reason: 'A', message } as const;
    const [first] = timedConditions([judgement], { before: [], generation: 1, now: 'first' });
    expect(first).include({ lastTransitionTime: 'first', observedGeneration: 1 });
    expect(first?.message).length(1_024);
    const before = first === undefined ? [] : [first];
    const [same] = timedConditions([{ ...judgement, reason: 'B' }], { before, generation: 2, now: 'second' });
    expect(same).include({ lastTransitionTime: 'first', reason: 'B' });
    const [other] = timedConditions([{ ...judgement, status: 'True' }], {
      before,
      generation: 2,
      now: 'second',
    });
    expect(other).include({ lastTransitionTime: 'second' });
  });
});

describe('the status of an MCPServer', () => {
  it('has the words of core_mcpserver_list, and times in whole seconds', () => {
    const facts = { type: 'streamable-http', errors: [], record: record('unreachable', FAILED) };
    expect(serverStatusOf(facts, { lastConnected: '2026-11-23T10:00:00Z' })).deep.equal({
      state: 'Failed',
      tools: 0,
      lastError: 'no answer',
      lastConnected: '2026-11-23T10:00:00Z',
      lastRestartedAt: undefined,
      nextRetryAfter: '2026-11-24T10:00:00Z',
      consecutiveFailures: 2,
      lastAttempt: undefined,
      restartCount: 0,
      serverInfo: undefined,
      protocolVersion: undefined,
    });
    const lastAttempt = '2026-11-24T09:59:00.250Z';
    const again = record('unreachable', { ...FAILED, restartCount: 3, lastAttempt });
    expect(serverStatusOf({ ...facts, record: again }, {})).include({
      restartCount: 3,
      lastAttempt: '2026-11-24T09:59:00Z',
    });
  });

  it('says what helps in the words of an object, not of an agent', () => {
    const lastError = 'it wants each caller to sign in; call core_auth_login with {} through call_tool';
    const remedy = { cause: 'it wants each caller to sign in', action: { do: 'signIn', server: 's' } };
    const facts = { type: 'sse', errors: [], record: { ...record('auth_required', { lastError }), remedy } };
    expect(serverStatusOf(facts, {}).lastError).equal(
      'it wants each caller to sign in; callers sign in at it',
    );
  });

  it('names no next attempt of a server that is up, and since when it is', () => {
    const since = '2026-11-24T10:00:00.250Z';
    const facts = { type: 'stdio', errors: [], record: record('running', { since, tools: 3 }) };
    const status = serverStatusOf(facts, {});
    expect(status).include({ state: 'Running', tools: 3, lastConnected: '2026-11-24T10:00:00Z' });
    expect(status.nextRetryAfter).equal(undefined);
  });

  it('keeps the last restart of a process that is gone', () => {
    const before = { lastRestartedAt: '2026-11-24T09:00:00Z' };
    const facts = { type: 'stdio', errors: [], record: record('stopped') };
    expect(serverStatusOf(facts, before).lastRestartedAt).equal('2026-11-24T09:00:00Z');
  });
});

describe('the status of a Workflow', () => {
  it('has its steps, the tools that they call, and why it is not in force', () => {
    const spec = {
      args: { tool: { type: 'string' } },
      steps: [
        {
          id: 'a',
          tool: 'x_a',
          args: { tool: 'no' },
          condition: { any: [{ tool: 'x_asked', expect: { jsonPath: { tool: 'no' } } }] },
          outputs: { tool: 'no' },
        },
        { id: 'f', forEach: { items: [{ tool: 'no' }], steps: [{ id: 'g', tool: 'x_d' }] } },
        {
          id: 'b',
          parallel: [
            { id: 'c', tool: 'x_a' },
            { id: 'd', tool: 'x_d' },
          ],
        },
      ],
      onFailure: [{ id: 'e', tool: 'x_e' }],
      output: { tool: 'no' },
    };
    expect(workflowStatusOf(spec, [])).deep.equal({
      steps: 3,
      stepCount: 3,
      referencedTools: ['x_a', 'x_asked', 'x_d', 'x_e'],
      validationErrors: null,
    });
    const error = { severity: 'error', code: 'CONFIG_INVALID', message: 'unknown key "tol"' } as const;
    expect(workflowStatusOf({}, [error]))
      .include({ steps: 0 })
      .property('validationErrors')
      .deep.equal([error.message]);
  });
});
