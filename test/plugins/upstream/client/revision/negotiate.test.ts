import { expect } from 'chai';
import { GatewayError } from '../../../../../kernel/index.ts';
import type { Era } from '../../../../../plugins/upstream/client/options.ts';
import { erasToTry, negotiate } from '../../../../../plugins/upstream/client/revision/negotiate.ts';
import type { Requests } from '../../../../../plugins/upstream/client/rpc/requests.ts';
import type { RpcText } from '../../../../../plugins/upstream/client/rpc/rpcText.ts';
import type { Wire } from '../../../../../plugins/upstream/client/wire/wire.ts';

describe('upstream: the eras to try', () => {
  const [stdio, http] = [
    { type: 'stdio', revision: 'auto' },
    { type: 'streamable-http', revision: 'auto' },
  ] as const;

  it('begin for a process with the older, for a remote server with the newer one', () => {
    expect(erasToTry(stdio, undefined)).deep.equal(['legacy', 'modern']);
    expect(erasToTry(http, undefined)).deep.equal(['modern', 'legacy']);
  });

  it('begin with the one in which the server was connected before', () => {
    for (const server of [stdio, http]) {
      expect(erasToTry(server, 'legacy')).deep.equal(['legacy', 'modern']);
      expect(erasToTry(server, 'modern')).deep.equal(['modern', 'legacy']);
    }
  });

  it('are the one of the definition, and the older one over SSE', () => {
    for (const { type } of [stdio, http]) {
      expect(erasToTry({ type, revision: 'legacy' }, 'modern')).deep.equal(['legacy']);
      expect(erasToTry({ type, revision: 'modern' }, 'legacy')).deep.equal(['modern']);
    }
    expect(erasToTry({ type: 'sse', revision: 'modern' }, 'modern')).deep.equal(['legacy']);
  });
});

describe('upstream: the first requests to a server', () => {
  /** Method and time-out of each, none of which is answered. */
  async function asked(
    eras: readonly Era[],
    isStarting = false,
  ): Promise<readonly (readonly [string, number])[]> {
    const sent: (readonly [string, number])[] = [];
    const requests = {
      speak: () => undefined,
      ask: ({ method }: RpcText, timeoutMs: number) => {
        sent.push([method, timeoutMs]);
        return Promise.reject(new GatewayError('UPSTREAM_TIMEOUT', `${method} had no answer`));
      },
    };
    const parts = { eras, isStarting, timeoutMs: 30_000, questions: [], ownWords: (text: string) => text };
    const wire: Pick<Wire, 'renew'> = { renew: () => undefined };
    await negotiate(requests as unknown as Requests, wire as Wire, parts).catch((error: unknown) => {
      if (!(error instanceof GatewayError)) throw error;
    });
    return sent;
  }

  it('wait for server/discover for 5 s if initialize can follow, and otherwise for the whole time-out', async () => {
    expect(await asked(['modern', 'legacy'])).deep.equal([
      ['server/discover', 5_000],
      ['initialize', 30_000],
    ]);
    expect(await asked(['modern'])).deep.equal([['server/discover', 30_000]]);
  });

  it('wait for a process that starts for the whole time-out, which says nothing of what it speaks', async () => {
    expect(await asked(['modern', 'legacy'], true)).deep.equal([['server/discover', 30_000]]);
    expect(await asked(['legacy', 'modern'], true)).deep.equal([['initialize', 30_000]]);
  });

  it('are initialize alone if a process that may answer only that does not', async () => {
    expect(await asked(['legacy', 'modern'])).deep.equal([['initialize', 30_000]]);
    expect(await asked(['legacy'])).deep.equal([['initialize', 30_000]]);
  });
});
