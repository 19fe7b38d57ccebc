import { expect } from 'chai';
import { Cancellation, GatewayError } from '../../../../../kernel/index.ts';
import type { Client, ClientAnswer } from '../../../../../kernel/index.ts';
import type { Pending } from '../../../../../plugins/upstream/client/rpc/pending.ts';
import { Questions } from '../../../../../plugins/upstream/client/conversation/questions.ts';
import type { Said } from '../../../../../plugins/upstream/client/rpc/pending.ts';
import { pendingCall } from '../rpc/support.ts';
import { until } from '../../support.ts';

const FORM = { message: 'm', requestedSchema: { type: 'object', properties: {} } };

describe('upstream: questions of a server', () => {
  let replies: string[];
  let taken: string[];
  /** A client that never answers. */
  const client: Client = {
    hasSession: true,
    id: 'c',
    capabilities: { elicitation: {} },
    log: () => undefined,
    tell: () => true,
    ask: (_, cancel: Cancellation): Promise<ClientAnswer> =>
      new Promise((__, reject) => {
        cancel.onCancel((reason) => {
          taken.push(reason);
          reject(new GatewayError('TOOL_CANCELLED', reason));
        });
      }),
  };
  beforeEach(() => {
    replies = [];
    taken = [];
  });

  function open(limits: {
    readonly questionTimeoutMs: number;
    readonly maxQuestionBytes: number;
  }): Questions {
    return new Questions({
      server: 's',
      config: () => ({ questions: ['elicitation'], lateMs: 30_000, ...limits }),
      isUnowned: () => false,
      newTopic: () => undefined,
      reply: (text) => replies.push(text),
      asksByUrl: () => undefined,
    });
  }
  function call(): Pending {
    const pending = pendingCall();
    pending.client = client;
    return pending;
  }
  function said(id: number, about: readonly Pending[], message = 'm'): Said {
    const params = { ...FORM, message };
    const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params });
    return { method: 'elicitation/create', params, text, about, late: [] };
  }

  it('are withdrawn from a client that does not answer in time, and the server receives an error', async () => {
    const questions = open({ questionTimeoutMs: 1, maxQuestionBytes: 1_024 });
    const pending = call();
    questions.asked(7, said(7, [pending]));
    await until('the end', () => replies.length === 1);
    expect(taken).to.deep.equal(['there was no answer within 1 ms']);
    expect(JSON.parse(replies[0]!)).to.deep.equal({
      jsonrpc: '2.0',
      id: 7,
      error: { code: -32000, message: 'there was no answer within 1 ms' },
    });
    expect(pending.questions?.size).to.equal(0);
  });

  it('of a client without sessions are asked in another of its calls when the one that had them ends', async () => {
    const questions = open({ questionTimeoutMs: 60_000, maxQuestionBytes: 1_024 });
    const [first, last] = [call(), call()];
    let end = (): void => undefined;
    first.client = {
      ...client,
      hasSession: false,
      ask: () => Promise.resolve({ kind: 'result', json: '{}' }),
    };
    const asked = new Promise<ClientAnswer>((_, reject) => {
      end = () => {
        last.isSettled = true;
        reject(new GatewayError('TOOL_CANCELLED', 'the call is over'));
      };
    });
    last.client = { ...client, hasSession: false, ask: () => asked };
    questions.asked(3, said(3, [first, last]));
    end();
    await until('the answer', () => replies.length === 1);
    expect(JSON.parse(replies[0]!)).to.deep.equal({ jsonrpc: '2.0', id: 3, result: {} });
  });

  it('are asked in a call whose client accepts them, of those of one client', async () => {
    const questions = open({ questionTimeoutMs: 60_000, maxQuestionBytes: 1_024 });
    const [first, last] = [call(), call()];
    first.client = { ...client, ask: () => Promise.resolve({ kind: 'result', json: '{}' }) };
    last.client = { ...client, capabilities: {} };
    questions.asked(4, said(4, [first, last]));
    await until('the answer', () => replies.length === 1);
    expect(JSON.parse(replies[0]!)).to.deep.equal({ jsonrpc: '2.0', id: 4, result: {} });
  });

  it('are refused when they are larger than maxQuestionBytes, and when their id is in use', async () => {
    const questions = open({ questionTimeoutMs: 60_000, maxQuestionBytes: 1_024 });
    const pending = call();
    questions.asked(1, said(1, [pending], 'x'.repeat(2_000)));
    questions.asked(2, said(2, [pending]));
    questions.asked(2, said(2, [pending]));
    const errors = replies.map((text) => (JSON.parse(text) as { error: { message: string } }).error.message);
    expect(errors).to.deep.equal([
      'the question is larger than 1024 bytes',
      'a request with the id 2 is open',
    ]);
    expect(taken).to.deep.equal([]);
    questions.dropAll();
    await until('it is taken back', () => taken.length === 1);
  });
});
