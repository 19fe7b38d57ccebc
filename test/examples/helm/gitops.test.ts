import { expect } from 'chai';
import { parse } from 'yaml';
import type { JsonObject } from '../../../kernel/index.ts';
import type { ServiceRecord } from '../../../plugins/contracts/services.ts';
import { serverJudgements } from '../../../plugins/store-kubernetes/status/serverObjectStatus.ts';
import { timedConditions } from '../../../plugins/store-kubernetes/status/timedConditions.ts';
import type { ObjectCondition } from '../../../plugins/store-kubernetes/status/timedConditions.ts';
import { textOf } from '../../support/sources.ts';

const FOLDER = 'examples/helm/gitops';

function conditionsOf(state: string, metadata: JsonObject = {}): readonly ObjectCondition[] {
  const record: ServiceRecord = { name: 's', service_type: 'MCPServer', state, health: 'unknown', metadata };
  const judged = serverJudgements({ type: 'stdio', errors: [], record });
  return timedConditions(judged, { before: [], generation: 1, now: '' });
}

describe('the samples for GitOps', () => {
  const { data } = parse(textOf(`${FOLDER}/argo-cd.yaml`)) as { readonly data: Record<string, string> };
  const customizations = parse(data['resource.customizations'] ?? '') as Record<
    string,
    Record<string, string>
  >;
  const lua = customizations['pegboard.dev/*']?.['health.lua'] ?? '';
  const { spec } = parse(textOf(`${FOLDER}/flux.yaml`)) as {
    readonly spec: { readonly healthCheckExprs: readonly Record<string, string>[] };
  };

  it('read reasons that the status of a server has, and name each that is not a fault', () => {
    const words = Object.fromEntries(
      [...lua.matchAll(/^ {2}(\w+) = "(\w+)",$/gm)].map(([, a = '', b]) => [a, b]),
    );
    const reasonOf = (state: string, metadata?: JsonObject): string =>
      conditionsOf(state, metadata).find(({ type }) => type === 'Ready')?.reason ?? '';
    expect(words).deep.equal({
      [reasonOf('starting')]: 'Progressing',
      [reasonOf('stopping')]: 'Progressing',
      [reasonOf('stopped', { suspended: true })]: 'Suspended',
      [reasonOf('stopped')]: 'Suspended',
      [reasonOf('auth_required')]: 'Healthy',
    });
  });

  it('read conditions that there are', () => {
    const types = conditionsOf('running').map(({ type }) => type);
    const texts = [
      lua.replaceAll(/found\["(\w+)"\]/g, "'$1'"),
      ...spec.healthCheckExprs.map((one) => String(one['failed'])),
    ];
    for (const text of texts) {
      const named = [...text.matchAll(/'(Ready|Accepted|Stalled|Reconciling)'/g)].map(([, type]) => type);
      expect(named, text).not.deep.equal([]);
      expect(types).include.members(named);
    }
  });
});
