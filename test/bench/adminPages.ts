/** How long the admin pages take to their first byte, in this process, which also has the sessions, tools and calls that they show. */
import { request } from 'node:http';
import type { Tool } from '../../kernel/contracts/call.ts';
import { openAdmin } from '../plugins/admin/adminGateway.ts';
import type { AdminSite } from '../plugins/admin/adminGateway.ts';
import { runEnds } from '../support/cleanup.ts';
import { initializeBody, listenerUrl, postMcp, toolsPlugin } from '../support/edge.ts';
import { moduleOf } from '../support/gateway.ts';
import { requestOf } from '../support/requests.ts';
import { toolOf } from '../support/kernel.ts';
import { until } from '../support/until.ts';
import { median } from './median.ts';

const SESSIONS = 1_000;
const TOOLS = 2_000;
const SERVERS = 40;
const CALLS = 100_000;
/** Calls between two looks at whether those before are written. */
const BATCH = 2_000;
const ROUNDS = 50;

/** Pages that read what is kept of all calls, or everything. */
const LARGE = [
  '/?span=week',
  '/calls',
  '/calls?outcome=error',
  '/calls?server=server1&since=1h',
  '/connect',
  '/logs',
  '/search?q=item',
  '/sign-ins',
];

export interface PageTime {
  readonly page: string;
  /** Median time to the first byte, in ms. */
  readonly medianMs: number;
  readonly belowMs: number;
}

/** Pages alternate, so that a change of the machine's speed meets all of them. */
export async function measureAdminPages(): Promise<readonly PageTime[]> {
  try {
    const tools = Array.from({ length: TOOLS }, (_, at) => {
      const server = `server${at % SERVERS}`;
      const description = `Reads and writes item ${at} of the list that ${server} keeps`;
      return toolOf(`x_${server}_tool${at}`, { server, description });
    });
    const site = await openAdmin({
      files: {
        'tools.mjs': moduleOf(toolsPlugin('test-tools', tools)),
        'config.yaml': 'plugins: { test-tools: { module: ./tools.mjs } }\n',
        'mcpservers/shop.yaml': 'type: stdio\ncommand: [node]\nautoStart: false\n',
      },
    });
    const url = listenerUrl(site.gateway);
    for (let at = 0; at < SESSIONS; at += 1) await postMcp(url, initializeBody());
    await makeCalls(site);
    const paths = await pathsOf(site);
    const times = new Map<string, number[]>(paths.map((path) => [path, []]));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const path of paths) times.get(path)?.push(await firstByteMs(`${site.url}${path}`));
    return [...times].map(([page, ms]) => ({
      page: page.slice(0, 40),
      medianMs: median(ms),
      belowMs: LARGE.includes(page) ? 200 : 20,
    }));
  } finally {
    await runEnds();
  }
}

/** As many calls as the history has to list. */
async function makeCalls(site: AdminSite): Promise<void> {
  const { catalogue, calls: path } = site.gateway.kernel;
  const entry: Tool = {
    name: 'bench_entry',
    kind: 'meta',
    description: 'Calls another tool',
    inputSchema: { type: 'object' },
    invoke: ({ name }, call) => call.child(String(name), {}),
  };
  catalogue.add('bench', entry);
  for (let at = 0; at < CALLS; at += 1) {
    await path.call(entry.name, { name: `x_server${at % SERVERS}_tool${at % SERVERS}` }, requestOf());
    if ((at + 1) % BATCH > 0) continue;
    const isWritten = async (): Promise<boolean> => {
      const { calls } = await site.facts<{ calls: { readonly total: number } }>('/calls');
      return calls.total === at + 1;
    };
    await until(isWritten, { what: `${at + 1} calls are listed`, withinMs: 60_000 });
  }
}

async function pathsOf(site: AdminSite): Promise<readonly string[]> {
  const { items } = await site.facts<{ items: readonly { readonly id: string }[] }>('/sessions');
  const id = items[0]?.id ?? '';
  return [
    ...['/', '/sessions', `/sessions/${id}`, '/mcps', '/mcps/shop', '/mcps/shop/edit', '/tools'],
    ...['/tools?query=item+of+the+list', '/tools/x_server1_tool1', '/explain'],
    ...[
      `/explain?session=${id}&tool=x_server1_tool1`,
      '/workflows',
      '/runs',
      '/events',
      '/grants',
      '/config',
    ],
    ...LARGE,
  ];
}

function firstByteMs(url: string): Promise<number> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { headers: { accept: 'text/html' } }, (response) => {
      let ms: number | undefined;
      response.on('data', () => (ms ??= performance.now() - startedAt));
      response.on('end', () => {
        if (response.statusCode === 200 && ms !== undefined) resolve(ms);
        else reject(new Error(`${url}: HTTP ${response.statusCode ?? 0}`));
      });
    })
      .on('error', reject)
      .end();
  });
}
