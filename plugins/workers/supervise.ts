import { availableParallelism } from 'node:os';
import { GatewayError } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { WorkerLine } from '../contracts/processes.ts';
import type { WorkersConfig } from './config.ts';
import { Team } from './team.ts';

/** The first process: it serves as the others do, and keeps them running. */
export function supervise(scope: Scope<WorkersConfig>): void {
  const answers = new Map<string, (question: unknown, from: number) => unknown>();
  const listeners = new Set<(message: JsonObject) => void>();
  const answer = async (topic: string, question: unknown, from: number): Promise<unknown> => {
    const found = answers.get(topic);
    // Nothing must look like what is not in the vault.
    if (found === undefined)
      throw new GatewayError(
        'STORE_UNREACHABLE',
        'the first process keeps no state for workers now; try again',
      );
    return await found(question, from);
  };
  const team = new Team(scope, {
    answer,
    told: (message) => {
      for (const listener of listeners) listener(message);
    },
  });
  scope.provide(WorkerLine, {
    number: 0,
    living: () => team.living(),
    answer: (topic, given) => {
      answers.set(topic, given);
      return () => void answers.delete(topic);
    },
    ask: (topic, question) => answer(topic, question, 0),
    tell: (message) => team.send({ kind: 'told', message }),
    hear: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const reload = (): void => team.send({ kind: 'reload' });
  // A second signal.
  const endNow = (): void => team.endNow();
  scope.tap('onEvent', (event) => {
    if (event.type === 'config.applied') team.follow();
  });
  scope.onStart(async () => {
    process.on('SIGHUP', reload).on('exit', endNow);
    await team.start(othersOf(scope.config));
    team.watch(scope.config);
  });
  scope.onReload((next) => {
    team.resize(othersOf(next));
    team.watch(next);
  });
  scope.onDrain(() => team.stop());
  scope.onStop(() => {
    process.off('SIGHUP', reload).off('exit', endNow);
    team.end();
  });
}

function othersOf({ count }: WorkersConfig): number {
  return (count === 'auto' ? availableParallelism() : count) - 1;
}
