import { builtInNames } from '../../kernel/loader.ts';
import { makeDirectory } from './directory.ts';
import type { Directory } from './directory.ts';

/** The edge, and the verb that checks the configuration, which never runs in a gateway. */
const EDGE = ['check', 'http', 'front', 'live-reload', 'transport-http', 'transport-sse', 'transport-stdio'];

/** Meta-tools for a process of its own: `large` answers the given number of bytes, `slow` ends on SIGUSR2, `stuck` never. */
const TOOLS = `
import { textResult } from 'pegboard';
const tool = (name, invoke) => ({ name, kind: 'meta', description: name, inputSchema: { type: 'object' }, invoke });
export const plugin = {
  name: 'test-tools',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) => {
    let finish = () => undefined;
    const onSignal = () => finish();
    scope.onStart(() => void process.on('SIGUSR2', onSignal));
    scope.onStop(() => void process.off('SIGUSR2', onSignal));
    scope.addTool(tool('echo', (args) => textResult(JSON.stringify(args))));
    scope.addTool(tool('large', ({ bytes }) => textResult('x'.repeat(bytes))));
    scope.addTool(tool('multiline', () => ({ json: '{\\n"content":[]\\r\\n}', value: () => ({ content: [] }) })));
    scope.addTool(tool('slow', () => new Promise((resolve) => {
      finish = () => resolve(textResult('finished'));
      scope.log.info('slow began');
    })));
    scope.addTool(tool('stuck', () => new Promise(() => {
      setInterval(() => undefined, 1_000);
      scope.log.info('stuck began');
    })));
  },
};
`;

/** A configuration directory with the edge, the test's tools and nothing else. */
export async function edgeDirectory(
  plugins: Readonly<Record<string, unknown>> = {},
  aggregator: Readonly<Record<string, unknown>> = {},
): Promise<Directory> {
  const directory = makeDirectory({ 'test-tools.js': TOOLS, 'package.json': '{"type":"module"}' });
  await writeEdgeConfig(directory, plugins, aggregator);
  return directory;
}

export async function writeEdgeConfig(
  directory: Directory,
  plugins: Readonly<Record<string, unknown>> = {},
  aggregator: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const off = (await builtInNames()).filter((name) => !EDGE.includes(name)).map((name) => [name, false]);
  const config = {
    aggregator,
    plugins: {
      ...(Object.fromEntries(off) as object),
      'test-tools': { module: './test-tools.js' },
      ...plugins,
    },
  };
  directory.replace('config.yaml', JSON.stringify(config));
}
