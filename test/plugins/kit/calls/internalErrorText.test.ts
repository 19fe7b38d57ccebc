import { expect } from 'chai';
import { internalErrorText } from '../../../../plugins/kit/calls/internalErrorText.ts';
import { captureLog } from '../../../support/log.ts';

describe('internalErrorText', () => {
  it('keeps the error in the log, under the id that it returns, another each time', () => {
    const log = captureLog();
    const error = new Error('the password is 1234');
    const texts = [1, 2].map(() => internalErrorText('call failed', error, log));
    expect(texts.join()).not.to.include('password');
    const ids = texts.map((text) => /^internal error ([0-9a-f]{8});/.exec(text)?.[1]);
    expect(new Set(ids).size).to.equal(2);
    expect(log.records.map(({ text, data }) => [text, data['id'], data['error']])).to.deep.equal(
      ids.map((id) => ['call failed', id, error]),
    );
  });

  it('puts the trace that the error belongs to into the line', () => {
    const log = captureLog();
    internalErrorText('call failed', new Error('x'), log, 'a1');
    expect(log.records[0]?.data).include({ trace: 'a1' });
  });
});
