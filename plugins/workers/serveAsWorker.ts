import { ConfigControl, GatewayError, Shutdown } from 'pegboard';
import type { ErrorCode, JsonObject, Scope } from 'pegboard';
import { WorkerLine } from '../contracts/processes.ts';
import type { WorkersConfig } from './config.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** After the first process has ended, running requests have this time. */
const ALONE_MS = 10_000;

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: GatewayError) => void;
}

/** One of the other processes: it takes the sockets that the first one has opened, asks that one for what all share, and ends with it. */
export function serveAsWorker(scope: Scope<WorkersConfig>, number: number): void {
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(message: JsonObject) => void>();
  let asked = 0;
  const send = (message: FromWorker): void => void process.send?.(message);
  const take = (id: number): Waiting | undefined => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };
  const receive = (message: ToWorker): void => {
    if (message.kind === 'answer') take(message.id)?.resolve(message.answer);
    else if (message.kind === 'refused')
      take(message.id)?.reject(new GatewayError(message.code as ErrorCode, message.message));
    else if (message.kind === 'told') for (const listener of listeners) listener(message.message);
    else if (message.kind === 'ping') send({ kind: 'pong' });
    else if (message.kind === 'stop') scope.get(Shutdown).request(message.reason);
    else void scope.get(ConfigControl).reload();
  };
  const ended = (): GatewayError =>
    new GatewayError('STORE_UNREACHABLE', 'the first process, which keeps the state, has ended');
  const alone = (): void => {
    for (const { reject } of waiting.values()) reject(ended());
    waiting.clear();
    setTimeout(() => process.exit(1), ALONE_MS).unref();
    scope.get(Shutdown).request('the first process has ended');
  };
  scope.provide(WorkerLine, {
    number,
    living: () => [],
    answer: () => () => undefined,
    ask: (topic, question) =>
      new Promise((resolve, reject) => {
        if (!process.connected) {
          reject(ended());
          return;
        }
        const id = (asked += 1);
        waiting.set(id, { resolve, reject });
        send({ kind: 'ask', id, topic, question });
      }),
    tell: (message) => {
      if (process.connected) send({ kind: 'told', message });
    },
    hear: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  // Only a parent knows the id of its child too late for its environment; the descriptors are for this process.
  if (process.env['LISTEN_FDS'] !== undefined) process.env['LISTEN_PID'] = String(process.pid);
  // Plugins that start earlier ask already.
  process.on('message', receive).once('disconnect', alone);
  scope.onStart(() => {
    if (!process.connected) throw new GatewayError('PLUGIN_START', ALONE);
    send({ kind: 'ready' });
  });
  // Its settings are those of the first process.
  scope.onReload(() => undefined);
  // What ends after it may still ask, and ends even without an answer.
  scope.onStop(() => process.channel?.unref());
}

const ALONE = 'PEGBOARD_WORKER is set by the first process only; unset it, or set plugins.workers';
