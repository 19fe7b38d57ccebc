import { expect } from 'chai';
import { Cancellation } from '../../../kernel/lib/cancellation.ts';

describe('Cancellation', () => {
  it('passes the reason to each listener, once', () => {
    const cancel = new Cancellation();
    const heard: string[] = [];
    cancel.onCancel((why) => heard.push(`a ${why}`));
    cancel.onCancel((why) => heard.push(`b ${why}`));
    expect(cancel.reason).to.equal(undefined);
    cancel.cancel('first');
    cancel.cancel('second');
    expect(cancel.reason).to.equal('first');
    expect(heard).to.deep.equal(['a first', 'b first']);
  });

  it('calls a late listener at once', () => {
    const cancel = new Cancellation();
    cancel.cancel('done');
    let heard = '';
    cancel.onCancel((why) => (heard = why))();
    expect(heard).to.equal('done');
  });

  it('does not call a listener that was removed', () => {
    const cancel = new Cancellation();
    let heard = 0;
    cancel.onCancel(() => (heard += 1))();
    cancel.cancel('x');
    expect(heard).to.equal(0);
  });

  it('lets a listener remove another one while it cancels', () => {
    const cancel = new Cancellation();
    const heard: string[] = [];
    cancel.onCancel(() => {
      heard.push('a');
      stopB();
    });
    const stopB = cancel.onCancel(() => heard.push('b'));
    cancel.cancel('x');
    expect(heard[0]).to.equal('a');
  });
});
