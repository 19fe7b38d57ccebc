import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeServer } from '../targets.ts';
import { pointOf } from './curve.ts';
import type { Curve, Point } from './curve.ts';
import { call, inParallel, waitForTools, withGateway, inFrontOfUpstream } from './runningGateway.ts';

const TIMES = 60;
const WORKFLOW = {
  apiVersion: 'pegboard.dev/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'say' },
  spec: {
    description: 'Says a word',
    steps: [{ id: 'say', tool: 'x_up_echo', args: { text: 'a' }, output: true }],
  },
};
/** All runs are kept, in memory: the disk is another curve. */
const CONFIG = {
  plugins: {
    'vault-file': false,
    'vault-memory': { config: { maxEntries: 1e6, maxBytes: 4e9 } },
    workflow: { config: { executionMaxCount: 1e6 } },
  },
};

/** Records of runs of a workflow with one step. */
export const runsCurve: Curve = {
  name: 'runs',
  sizes: [1_000, 10_000, 100_000],
  measure: (sizes, directory) =>
    inFrontOfUpstream(async function* (url) {
      const place = directory();
      writeServer(place, 'up', ['type: streamable-http', `url: ${url}`]);
      mkdirSync(join(place, 'workflows'));
      writeFileSync(join(place, 'workflows/say.yaml'), JSON.stringify(WORKFLOW));
      yield* await withGateway(place, CONFIG, async (gateway) => {
        await waitForTools(gateway, 1);
        const run = (): Promise<string> => call(gateway, 'call_tool', { name: 'workflow_say' });
        const points: Point[] = [];
        let made = 0;
        for (const size of sizes) {
          const wanted = size - 2 * TIMES;
          await inParallel(wanted - made, run);
          made = size;
          points.push(
            await pointOf(gateway, { operation: 'run', size, times: TIMES }, run),
            await pointOf(gateway, { operation: 'page of runs', size, times: TIMES }, (at) =>
              call(gateway, 'call_tool', {
                name: 'core_workflow_execution_list',
                arguments: { offset: (at * 50) % size },
              }),
            ),
          );
        }
        return points;
      });
    }),
};
