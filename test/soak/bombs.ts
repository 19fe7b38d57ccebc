import { setTimeout as pause } from 'node:timers/promises';
import { McpClient, textOf } from '../support/mcpClient.ts';
import { servePegboard } from '../support/serve.ts';
import { soakDirectory } from './soakDirectory.ts';

const ASK_EVERY_MS = 5;
const SETTLE_MS = 500;
const REPEATS = 450;
const KEYS = 20_000;
const ALIASES = 9_000;

/** A tool that answers 2 MB of JSON, and 8,000 tools with long names. */
const PLUGIN = `
import { structuredResult, textResult } from 'pegboard';
const schema = { type: 'object' };
const tool = (name, invoke) => ({ name, kind: 'core', description: name, inputSchema: schema, invoke });
export const plugin = { name: 'bombs', api: 1, configSchema: schema, apply: (scope) => {
  scope.addTool(tool('core_big', () => structuredResult({ x: 'y'.repeat(2_000_000) })));
  for (let at = 0; at < 8_000; at += 1)
    scope.addTool(tool('core_' + 'long_name_'.repeat(10) + at, () => textResult('')));
} };
`;

export interface Bombed {
  readonly bomb: string;
  /** Longest wait of another client in ms. */
  readonly stall: number;
}

/** Measures the longest wait of other clients while one request or file needs much work. */
export async function bombAll(): Promise<readonly Bombed[]> {
  const directory = soakDirectory(['a']);
  directory.write('bombs.mjs', PLUGIN);
  directory.write('config.yaml', 'plugins: { bombs: { module: ./bombs.mjs } }\n');
  const pegboard = await servePegboard(directory.path);
  const client = await McpClient.connect(pegboard.url);
  const stored = textOf(await client.callTool('core_big'));
  const [, handle = ''] = /"handle": ?"([^"]+)"/.exec(stored) ?? [];
  const select = `$[${Array.from({ length: REPEATS }, () => '"x"').join()}]`;
  const envOf = (count: number): string => Array.from({ length: count }, (_, at) => `  K${at}: v\n`).join('');
  const anchors = Array.from({ length: ALIASES }, (_, at) => `  K${at}: &a${at} v\n  L${at}: *a${at}\n`).join(
    '',
  );
  const head = 'type: stdio\nautoStart: false\ncommand: [absent]\nenv:\n';
  const bombs: readonly (readonly [string, () => unknown])[] = [
    ['nothing', () => pause(SETTLE_MS)],
    ['get_result select of one place 450 times', () => client.callMeta('get_result', { handle, select })],
    ['a definition with 20,000 keys', () => directory.write('mcpservers/wide.yaml', head + envOf(KEYS))],
    ['a definition with 9,000 aliases', () => directory.write('mcpservers/names.yaml', head + anchors)],
    [
      'a pattern of 90 classes over 8,000 names',
      () => client.callMeta('filter_tools', { pattern: '*[a-z0-9_]'.repeat(90) }),
    ],
    ['list_tools with limit 1e9', () => client.callMeta('list_tools', { limit: 1e9 })],
  ];
  const measured: Bombed[] = [];
  for (const [bomb, drop] of bombs) measured.push({ bomb, stall: await slowestDuring(pegboard.url, drop) });
  await pegboard.stop();
  return measured;
}

async function slowestDuring(url: string, drop: () => unknown): Promise<number> {
  let slowest = 0;
  let isOver = false;
  const asking = (async () => {
    while (!isOver as boolean) {
      const asked = performance.now();
      await (await fetch(`${url}/health`)).text();
      slowest = Math.max(slowest, performance.now() - asked);
      await pause(ASK_EVERY_MS);
    }
  })();
  await drop();
  // A file is read a short time after it was written.
  await pause(SETTLE_MS);
  isOver = true;
  await asking;
  return Math.round(slowest);
}
