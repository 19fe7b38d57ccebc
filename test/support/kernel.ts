import { definePlugin } from '../../kernel/contracts/plugin.ts';
import type { Plugin, PluginDefinition, Scope } from '../../kernel/contracts/plugin.ts';
import type { Tool } from '../../kernel/contracts/call.ts';
import type { GatewayError } from '../../kernel/errors.ts';
import { isGatewayError } from '../../kernel/errors.ts';
import { Kernel } from '../../kernel/kernel.ts';
import type { KernelOptions } from '../../kernel/kernel.ts';
import type { Wanted } from '../../kernel/contracts/plugin.ts';
import { textResult } from '../../kernel/lib/results.ts';
import { defer } from './cleanup.ts';
import { captureLog } from './log.ts';
import type { CapturedLog } from './log.ts';

/** A plugin that accepts any configuration. */
export function pluginOf(
  name: string,
  apply: (scope: Scope<unknown>) => void | Promise<void> = () => undefined,
  more: Partial<PluginDefinition<unknown>> = {},
): Plugin {
  return definePlugin<unknown>({ name, api: 1, configSchema: {}, apply, ...more });
}

/** A tool that answers with its own name. */
export function toolOf(name: string, more: Partial<Tool> = {}): Tool {
  const invoke = () => textResult(name);
  return { name, kind: 'tool', description: name, inputSchema: { type: 'object' }, invoke, ...more };
}

/** Plugins as a wanted set; a pair gives a plugin its configuration. */
export function wantedOf(...plugins: readonly (Plugin | readonly [Plugin, unknown])[]): Wanted[] {
  return plugins.map((one) =>
    'name' in one ? { plugin: one, config: {} } : { plugin: one[0], config: one[1] },
  );
}

/** A real kernel with a captured log; stopped after the test. */
export function makeKernel(options: Partial<KernelOptions> = {}): { kernel: Kernel; log: CapturedLog } {
  const log = captureLog();
  const kernel = new Kernel({ log, ...options });
  defer(() => kernel.stop());
  return { kernel, log };
}

/** The GatewayError that `run` throws or rejects with. @throws when it succeeds, or throws something else */
export async function refusalOf(run: () => unknown): Promise<GatewayError> {
  try {
    await run();
  } catch (error) {
    if (isGatewayError(error)) return error;
    throw error;
  }
  throw new Error('expected a GatewayError, nothing was thrown');
}
