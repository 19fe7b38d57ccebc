import { Dialect } from '../../../../../plugins/upstream/client/rpc/dialect.ts';
import { Pending } from '../../../../../plugins/upstream/client/rpc/pending.ts';
import { rpcText } from '../../../../../plugins/upstream/client/rpc/rpcText.ts';

/** A call that waits for its answer. */
export function pendingCall(): Pending {
  const dialect = new Dialect({ topics: () => [], logLevel: () => undefined });
  return new Pending(1, dialect, {
    what: 'a call',
    rpc: rpcText('tools/call'),
    isOwn: false,
    silenceMs: 1_000,
    totalMs: 1_000,
    settle: () => undefined,
    reject: () => undefined,
  });
}
