import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import type { RunRecord, RunRow } from '../../../../plugins/contracts/runs.ts';
import type { KeyRing } from '../../../../plugins/contracts/vault.ts';
import { newKeyRing } from '../../../../plugins/kit/secrets/keyRing.ts';
import { KubernetesRuns } from '../../../../plugins/store-kubernetes/runs/kubernetesRuns.ts';
import {
  recordIn,
  replacing,
  rowsIn,
  runObject,
  sealWith,
} from '../../../../plugins/store-kubernetes/runs/runObject.ts';
import { captureLog } from '../../../support/log.ts';

const TIMES = { started_at: '2026-01-02T03:04:05.000Z', duration_ms: 7 };
const FAILED = { status: 'failed', error: 'step a: no customer hush' };
const IF = { condition_evaluation: true, condition_tool: 'u', condition_result: 'hush' };
const step = { step_id: 'a', tool: 't', ...FAILED, ...TIMES, input: { q: 'hush' }, ...IF };
const RUN = { execution_id: 'x1', workflow_name: 'flow', ...FAILED, ...TIMES, owner: '["https://id","amy"]' };
const RECORD: RunRecord = { ...RUN, input: { word: 'hush' }, result: { steps: ['hush'] }, steps: [step] };
const ROW: RunRow = { ...RUN, step_count: 1 };

describe('WorkflowExecution objects', () => {
  const ring = newKeyRing();
  const log = captureLog();
  const sealOf = (shared: () => KeyRing | undefined) => sealWith(shared, () => undefined, log);
  const seal = sealOf(() => ring);

  it('show what ran and how it ended, never what was sent, answered or said', () => {
    const object = runObject(RECORD, ROW, seal);
    expect(JSON.stringify(object)).not.match(/hush|amy|condition/i);
    const { sealed, ...status } = object.status as Readonly<Record<string, unknown>>;
    expect(sealed).a('string');
    expect(object.spec).deep.equal({ workflow: 'flow' });
    const times = { startedAt: TIMES.started_at, durationMs: 7 };
    const steps = [{ id: 'a', tool: 't', state: 'failed', ...times }];
    expect(status).deep.equal({ state: 'failed', ...times, stepCount: 1, steps });
    expect(recordIn(object, seal)).deep.equal(RECORD);
    expect(rowsIn(object, seal)).deep.equal([ROW]);
  });

  it('say why contents are missing that other keys have sealed, or that are those of another run', () => {
    const object = runObject(RECORD, ROW, seal);
    const other = sealOf(() => newKeyRing());
    const { input, error, owner, steps, ...known } = recordIn(object, other);
    expect([JSON.stringify(input), error].join()).match(/sealed with keys .* PEGBOARD_KEYS_FILE.*,sealed/);
    // No caller has that name, so it is not taken for one without sign-in.
    expect(owner).equal(error);
    expect({ ...known, error: FAILED.error, owner: RUN.owner }).deep.equal(RUN);
    expect(steps).deep.equal([{ step_id: 'a', tool: 't', status: 'failed', ...TIMES }]);
    expect(rowsIn(object, other)[0]).include({ owner });
    const moved = { ...object, metadata: { ...object.metadata, name: 'x2' } };
    expect(recordIn(moved, seal).input).deep.equal(recordIn(moved, other).input);
  });

  it('show everything where that is configured, and are read as earlier versions wrote them', () => {
    const object = runObject(RECORD, ROW, undefined);
    expect(object.spec).deep.equal({ workflow: 'flow', input: { word: 'hush' } });
    expect(object.status).deep.include({ error: FAILED.error, result: RECORD.result });
    const { metadata } = object;
    for (const one of [object, { metadata, record: RECORD }]) {
      expect(recordIn(one, seal)).deep.equal(RECORD);
      expect(rowsIn(one, seal)).deep.equal([ROW]);
    }
  });

  it('are neither written nor listed, with the reason, where the keys cannot be read', async () => {
    const broken = sealOf(() => {
      throw new GatewayError('CONFIG_UNREADABLE', 'keys.json cannot be used');
    });
    expect(() => rowsIn(runObject(RECORD, ROW, seal), broken)).throw('keys.json cannot be used');
    const cluster = { connect: () => Promise.reject(new Error('was asked')) };
    const parts = { cluster, namespace: () => 'tools', seal: broken, isOpen: () => false };
    const error: unknown = await new KubernetesRuns(parts)
      .put(RECORD, ROW)
      .catch((reason: unknown) => reason);
    expect(error).include({ code: 'CONFIG_UNREADABLE', message: 'keys.json cannot be used' });
  });

  it('are said, once, to be lost with the process whose keys are its own', () => {
    runObject(RECORD, ROW, seal);
    expect(log.records).deep.equal([]);
    const own = sealOf(() => undefined);
    for (const one of [own, own]) runObject(RECORD, ROW, one);
    expect(log.having('keys of this process only', 'warn')).length(1);
  });

  it('keep what other keys have sealed when they are marked as interrupted, for who has these', () => {
    const running = { status: 'running' };
    const before = runObject({ ...RECORD, ...running }, { ...ROW, ...running }, seal);
    const other = sealOf(() => newKeyRing());
    const marked = { ...recordIn(before, other), ...FAILED };
    const after = replacing(before, runObject(marked, { ...ROW, owner: marked.owner }, other), other);
    expect(recordIn(after, seal)).deep.include({ status: 'failed', input: RECORD.input, owner: RUN.owner });
    expect(recordIn(after, seal).steps).deep.equal([step]);
    expect(rowsIn(after, seal)[0]).include({ status: 'failed', owner: RUN.owner });
    expect(replacing(before, after, seal)).equal(after);
  });
});
