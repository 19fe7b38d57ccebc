import { availableParallelism } from 'node:os';
import type { JsonObject, Scope } from 'pegboard';
import { WorkerLine } from '../contracts/processes.ts';
import type { WorkersConfig } from './config.ts';
import { Team } from './team.ts';

/** The first process: it serves as the others do, and keeps them running. */
export function supervise(scope: Scope<WorkersConfig>): void {
  const answers = new Map<string, (question: unknown, from: number) => unknown>();
  const listeners = new Set<(message: JsonObject) => void>();
  const team = new Team(scope, {
    answer: (topic, question, from) => answers.get(topic)?.(question, from),
    told: (message) => {
      for (const listener of listeners) listener(message);
    },
  });
  scope.provide(WorkerLine, {
    number: 0,
    living: () => team.living(),
    answer: (topic, answer) => {
      answers.set(topic, answer);
      return () => void answers.delete(topic);
    },
    ask: (topic, question) => Promise.resolve(answers.get(topic)?.(question, 0)),
    tell: (message) => team.send({ kind: 'told', message }),
    hear: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const reload = (): void => team.send({ kind: 'reload' });
  scope.tap('onEvent', (event) => {
    if (event.type === 'config.applied') team.follow();
  });
  scope.onStart(async () => {
    process.on('SIGHUP', reload);
    await team.start(othersOf(scope.config));
  });
  scope.onReload((next) => team.resize(othersOf(next)));
  scope.onDrain(() => team.stop());
  scope.onStop(() => {
    process.off('SIGHUP', reload);
    team.end();
  });
}

function othersOf({ count }: WorkersConfig): number {
  return (count === 'auto' ? availableParallelism() : count) - 1;
}
