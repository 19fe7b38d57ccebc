import { writeServer } from '../targets.ts';
import { pointOf } from './curve.ts';
import type { Curve } from './curve.ts';
import { inFrontOfTools } from './manyTools.ts';
import { call, waitForTools, withGateway } from './runningGateway.ts';

const TOOLS = 1_000;
const TIMES = 100;

/** Patterns of the plugin deny that match no tool, in front of a thousand tools. */
export const rulesCurve: Curve = {
  name: 'rules',
  sizes: [10, 100, 1_000],
  measure: (sizes, directory) =>
    inFrontOfTools(async function* (urlOf) {
      for (const size of sizes) {
        const place = directory();
        writeServer(place, 'up', ['type: streamable-http', `url: ${urlOf(TOOLS)}`]);
        const tools = Array.from({ length: size }, (_, at) => `x_*_rule_${at}_of_none`);
        yield* await withGateway(place, { plugins: { deny: { config: { tools } } } }, async (gateway) => {
          await waitForTools(gateway, TOOLS);
          const args = { name: 'x_up_create_branch_0', arguments: { text: 'a' } };
          return [
            await pointOf(gateway, { operation: 'call', size, times: TIMES }, () =>
              call(gateway, 'call_tool', args),
            ),
            await pointOf(gateway, { operation: 'page of list_tools', size, times: TIMES }, () =>
              call(gateway, 'list_tools', {}),
            ),
          ];
        });
      }
    }),
};
