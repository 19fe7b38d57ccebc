import { expect } from 'chai';
import { failSkipped } from '../../../../../plugins/upstream/client/wire/answerLeftOut.ts';

/** The id of the request that fails; undefined if none does. */
function failed(ends: string): number | undefined {
  let found: number | undefined;
  failSkipped({ failed: ({ id }) => (found = id) }, ends, new Error('no room'));
  return found;
}

describe('upstream: a message that is skipped on a stream of several requests', () => {
  it('fails its request, whose id stands before or after the result', () => {
    for (const ends of [
      '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"yyy…yyy"}]}}',
      '{"id":"3","jsonrpc":"2.0","result":{"con…yyy"}]}}',
      '{"jsonrpc":"2.0", "id" : 3, "error": {"message":"yyy…yyy"}}',
      '{"result":{"content":[{"type":"text","text":"yyy…yyy"}]},"jsonrpc":"2.0","id":3}',
      ' { "result" : {"con…yyy"}]} , "id" : 3 , "jsonrpc" : "2.0" } ',
      '{"jsonrpc":"2.0","result":{"con…yyy"}]},"id":3}',
    ])
      expect(failed(ends), ends).to.equal(3);
  });

  it('fails none if it is a request or notification of the server, which has ids of its own', () => {
    for (const ends of [
      '{"method":"sampling/createMessage","params":{"messages":[…]},"jsonrpc":"2.0","id":3}',
      '{"jsonrpc":"2.0","id":3,"method":"sampling/createMessage","params":{…}}',
      '{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"…,\\"id\\":3}"}}',
    ])
      expect(failed(ends), ends).to.equal(undefined);
  });
});
