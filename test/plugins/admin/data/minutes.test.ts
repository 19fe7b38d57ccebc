import { expect } from 'chai';
import { textResult } from '../../../../kernel/index.ts';
import type { KernelEvent, Tool } from '../../../../kernel/index.ts';
import { Minutes, sumOfMinutes } from '../../../../plugins/admin/data/minutes.ts';
import { requestOf } from '../../../support/requests.ts';

function settled(tool: Partial<Tool>, isError = false, transport = 'http'): KernelEvent {
  const request = { ...requestOf(), transport };
  const call = { tool: { kind: 'tool', name: 't', server: 'shop', ...tool }, request };
  return {
    type: 'call.settled',
    call,
    ms: 1,
    outcome: 'ok',
    result: textResult('x', isError),
  } as unknown as KernelEvent;
}

describe('the counters of the last hour', () => {
  it('count what clients called, with its errors, by server, and not the meta-tool around it', () => {
    const minutes = new Minutes();
    minutes.take(settled({}));
    minutes.take(settled({}, true));
    minutes.take(settled({ kind: 'meta' }));
    minutes.take(settled({ kind: 'core' }, false, 'admin'));
    minutes.take({
      type: 'call.refused',
      name: 'x',
      args: {},
      request: requestOf(),
      parent: undefined,
      meta: undefined,
      error: 1,
    });
    expect(minutes.all()).length(60);
    expect(sumOfMinutes(minutes.all())).deep.equal({ calls: 3, errors: 2 });
    expect(minutes.servers()).deep.equal({ shop: { calls: 2, errors: 1 } });
  });

  it('forget servers that are not defined any more', () => {
    const minutes = new Minutes();
    minutes.take(settled({}));
    minutes.forgetOthers(new Set());
    expect(minutes.servers()).deep.equal({});
  });
});
