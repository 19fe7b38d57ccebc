import { expect } from 'chai';
import { STAGE, definePlugin, textResult } from '../../../../kernel/index.ts';
import type { Capability, ClientMeta, InboundRequest } from '../../../../kernel/index.ts';
import { Tracer } from '../../../../plugins/contracts/tracing.ts';
import { Channel, Peers } from '../../../../plugins/contracts/processes.ts';
import { metaTool, startEdge } from '../../../support/edge.ts';
import type { Edge } from '../../../support/edge.ts';
import { FakeBus } from '../../../support/fakeBus.ts';
import { post, statelessCall } from '../../../support/stateless.ts';

const ASKS = { capabilities: { elicitation: {} } };
const ANSWER = { inputResponses: { question1: { action: 'accept', content: {} } } };
const TRACEPARENT = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

const asks = metaTool('asks', async (_, { client, cancel }) => {
  const answer = await client?.ask({ method: 'elicitation/create', params: '{"message":"sure?"}' }, cancel);
  return textResult(answer?.kind ?? 'nothing');
});

describe('front, revision 2026-07-28: a request that another process runs', () => {
  const bus = new FakeBus();
  /** Ids of the requests that the clients of each process sent. */
  const received: Record<string, string[]> = { a: [], b: [] };
  /** Process, request and trace of each request that was run. */
  const run: (readonly [string, string | undefined, ClientMeta | undefined])[] = [];

  async function startProcess(own: string): Promise<Edge> {
    const shared = bus.scopeOf(own);
    const provided = <T>(id: Capability<T>): T => shared.all(id)[0] as T;
    const plugin = definePlugin({
      name: 'test-processes',
      api: 1,
      configSchema: { type: 'object' },
      provides: [Channel, Peers, Tracer],
      apply: (scope) => {
        scope.provide(Channel, provided(Channel));
        scope.provide(Peers, provided(Peers));
        scope.provide(Tracer, {
          begin: (work, meta) => {
            run.push([own, work.type === 'request' ? work.request.id : undefined, meta]);
            return { meta: meta ?? {}, sentAs: () => undefined, end: () => undefined };
          },
        });
        const tap = ({ id }: InboundRequest): undefined => void received[own]?.push(id);
        scope.tap('onRequest', tap, STAGE.identify);
      },
    });
    return startEdge({ tools: [asks], plugin });
  }

  it('keeps the id that its log lines have at its own process, and the trace of its headers', async () => {
    const [a, b] = [await startProcess('a'), await startProcess('b')];
    const { result } = (await post(a.url, statelessCall('asks', {}, ASKS))).json();
    const back = { requestState: result?.['requestState'], ...ANSWER };
    const again = statelessCall('asks', {}, { ...ASKS, back });
    expect((await post(b.url, again, { traceparent: TRACEPARENT })).text).include('"result"');
    const [[first], [second]] = [received['a'] ?? [], received['b'] ?? []];
    expect(run).deep.equal([
      ['a', first, undefined],
      ['a', second, { traceparent: TRACEPARENT }],
    ]);
  });
});
