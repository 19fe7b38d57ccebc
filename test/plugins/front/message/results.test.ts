import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/index.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { errorResult } from '../../../../plugins/front/message/results.ts';
import { captureLog } from '../../../support/log.ts';

describe('front: the result of a failed call', () => {
  const resultOf = (details: object): { text: string; facts: JsonObject } => {
    const error = new GatewayError('UPSTREAM_ERROR', 'tool t of server s failed: Failed', { details });
    const { content, _meta } = JSON.parse(errorResult(error, captureLog(), undefined).json) as {
      readonly content: readonly [{ readonly text: string }];
      readonly _meta: { readonly 'pegboard.dev/error': JsonObject };
    };
    return { text: content[0].text, facts: _meta['pegboard.dev/error'] };
  };

  it('has code and data of the error of a server', () => {
    const data = { hint: 'set the region', allowed: ['eu'] };
    const { text, facts } = resultOf({ serverMessage: 'Failed', code: -32000, data });
    expect(text).equal(
      'tool t of server s failed: Failed; the server adds: {"hint":"set the region","allowed":["eu"]}',
    );
    expect(facts).deep.equal({ code: 'UPSTREAM_ERROR', upstream: { code: -32000, data } });
  });

  it('has data that is a text as it is, and the beginning of long data', () => {
    expect(resultOf({ serverMessage: 'x', code: 1, data: 'see the log' }).text).match(
      /; the server adds: see the log$/,
    );
    const { text, facts } = resultOf({ serverMessage: 'x', code: 1, data: { a: 'y'.repeat(1_000_000) } });
    expect(text.length).below(2_100);
    expect(JSON.stringify(facts).length).below(2_200);
  });

  it('has nothing of a server that said no more than its message, or of other errors', () => {
    for (const data of [undefined, null]) {
      const { text, facts } = resultOf({ serverMessage: 'x', data });
      expect(text).equal('tool t of server s failed: Failed');
      expect(facts).deep.equal({ code: 'UPSTREAM_ERROR' });
    }
    expect(resultOf({ data: { secret: 1 } }).facts).deep.equal({ code: 'UPSTREAM_ERROR' });
  });

  it('says to programs, too, that the tool may have run', () => {
    expect(resultOf({ mayHaveRun: true }).facts).deep.equal({ code: 'UPSTREAM_ERROR', mayHaveRun: true });
    expect(resultOf({ mayHaveRun: false }).facts).deep.equal({ code: 'UPSTREAM_ERROR' });
  });
});
