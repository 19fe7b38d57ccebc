/** Time the kernel takes to restart a dozen plugins with another configuration. */
import { definePlugin, many, textResult } from '../../kernel/index.ts';
import type { Plugin, Tool } from '../../kernel/index.ts';
import type { Wanted } from '../../kernel/contracts/plugin.ts';
import { bareKernel } from './bareKernel.ts';
import { median } from './median.ts';

const PLUGINS = 12;
const TOOLS_PER_PLUGIN = 10;
const WARM_UPS = 5;
const SWAPS = 25;
const Dummy = many<{ readonly index: number }>('bench-dummy');

/** @returns the median in ms. @throws Error when a swap did not restart every plugin */
export async function measureSwapMs(): Promise<number> {
  const kernel = bareKernel();
  const plugins = Array.from({ length: PLUGINS }, (_, index) => dummy(index));
  const wanted = (generation: number): Wanted[] =>
    plugins.map((plugin) => ({ plugin, config: { generation } }));
  const timesMs: number[] = [];
  try {
    await kernel.move(wanted(0));
    for (let swap = 1; swap <= WARM_UPS + SWAPS; swap += 1) {
      const begin = performance.now();
      const actions = await kernel.move(wanted(swap));
      if (swap > WARM_UPS) timesMs.push(performance.now() - begin);
      const restarted = [...actions.values()].filter((action) => action === 'restart').length;
      if (restarted !== PLUGINS) throw new Error(`swap restarted ${restarted} of ${PLUGINS} plugins`);
    }
  } finally {
    await kernel.stop();
  }
  return median(timesMs);
}

function dummy(index: number): Plugin {
  return definePlugin<unknown>({
    name: `dummy-${index}`,
    api: 1,
    configSchema: { type: 'object' },
    provides: [Dummy],
    apply: (scope) => {
      scope.provide(Dummy, { index });
      scope.tap('onRequest', () => undefined);
      scope.tap('onCall', () => undefined);
      scope.tap('onToolRegister', (tool) => tool);
      scope.tap('onEvent', () => undefined);
      scope.each(Dummy, () => () => undefined);
      for (let at = 0; at < TOOLS_PER_PLUGIN; at += 1) scope.addTool(tool(`x_dummy${index}_tool${at}`));
      scope.onStart(() => Promise.resolve());
      scope.onStop(() => Promise.resolve());
    },
  });
}

function tool(name: string): Tool {
  const invoke: Tool['invoke'] = () => textResult('done');
  return { name, kind: 'tool', description: 'Does nothing.', inputSchema: { type: 'object' }, invoke };
}
