import { SocketFlow } from '../../../../../plugins/upstream/client/wire/socketFlow.ts';

/** The budget of one part, which is never spent. */
export function flowOf(): SocketFlow {
  return new SocketFlow(
    () => ({ maxUnaskedPerSecond: 1_000 }),
    () => undefined,
  );
}
