/** How long the admin pages take to their first byte, in this process, which also has the sessions and tools that they show. */
import { request } from 'node:http';
import { openAdmin } from '../plugins/admin/adminGateway.ts';
import type { AdminSite } from '../plugins/admin/adminGateway.ts';
import { runEnds } from '../support/cleanup.ts';
import { initializeBody, listenerUrl, postMcp, toolsPlugin } from '../support/edge.ts';
import { moduleOf } from '../support/gateway.ts';
import { toolOf } from '../support/kernel.ts';
import { median } from './median.ts';

const SESSIONS = 1_000;
const TOOLS = 2_000;
const SERVERS = 40;
const ROUNDS = 50;

export interface PageTime {
  readonly page: string;
  /** Median time to the first byte, in ms. */
  readonly medianMs: number;
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
    const paths = await pathsOf(site);
    const times = new Map<string, number[]>(paths.map((path) => [path, []]));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const path of paths) times.get(path)?.push(await firstByteMs(`${site.url}${path}`));
    return [...times].map(([page, ms]) => ({ page: page.slice(0, 40), medianMs: median(ms) }));
  } finally {
    await runEnds();
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
