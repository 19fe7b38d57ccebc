/** What taps of onCall cost a call, of both kinds: those that pass, and those that wrap; beside them, observers of its event. */
import { definePlugin, textResult } from '../../kernel/index.ts';
import type { Scope, Tool } from '../../kernel/index.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { requestOf } from '../support/requests.ts';
import { bareKernel } from './bareKernel.ts';
import { median } from './median.ts';

const CALLS = 20_000;
const ROUNDS = 15;
const request = requestOf();

type Taps = (scope: Scope<unknown>) => void;
const passes: Taps = (scope) => scope.tap('onCall', () => undefined);
const wraps: Taps = (scope) => scope.tap('onCall', (_, next) => next());
const mayWrap: Taps = (scope) => scope.tap('onCall', (_, next) => (scope.name === '' ? next() : undefined));
const observes: Taps = (scope) => scope.tap('onEvent', () => undefined);

/** A case: its label, and the taps that it adds. */
const CASES: readonly (readonly [string, number, Taps])[] = [
  ['no tap', 0, passes],
  ['1 that passes', 1, passes],
  ['5 that pass', 5, passes],
  ['1 that may wrap, and passes', 1, mayWrap],
  ['1 that wraps', 1, wraps],
  ['5 that wrap', 5, wraps],
  ['1 observer of call.settled', 1, observes],
  ['5 observers of call.settled', 5, observes],
];

/** @returns the median in ns of a call in this process, by the taps that it meets */
export async function measureTaps(): Promise<readonly (readonly [string, number])[]> {
  const kernels = await Promise.all(
    CASES.map(async ([label, count, add]) => ({
      label,
      kernel: await kernelWith((scope) => Array.from({ length: count }).forEach(() => add(scope))),
      ns: [] as number[],
    })),
  );
  // In turns, so that a slow moment of the machine meets all of them.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { kernel, ns } of kernels) ns.push(await callsOf(kernel));
  for (const { kernel } of kernels) await kernel.stop();
  return kernels.map(({ label, ns }) => [label, median(ns)] as const);
}

async function callsOf(kernel: Kernel): Promise<number> {
  const begin = performance.now();
  for (let at = 0; at < CALLS; at += 1) await kernel.calls.call('echo', {}, request);
  return ((performance.now() - begin) * 1e6) / CALLS;
}

async function kernelWith(add: Taps): Promise<Kernel> {
  const kernel = bareKernel();
  const apply = (scope: Scope<unknown>): void => {
    scope.addTool(ECHO);
    add(scope);
  };
  const plugin = definePlugin<unknown>({ name: 'taps', api: 1, configSchema: { type: 'object' }, apply });
  await kernel.move([{ plugin, config: {} }]);
  return kernel;
}

const RESULT = textResult('done');
const ECHO: Tool = {
  name: 'echo',
  kind: 'meta',
  description: 'Answers at once.',
  inputSchema: { type: 'object' },
  invoke: () => RESULT,
};
