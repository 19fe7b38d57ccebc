import { readFileSync, readdirSync } from 'node:fs';
import type { Files } from '../../support/directory.ts';
import { until } from '../../support/until.ts';
import { openAdmin } from './adminGateway.ts';
import type { AdminSite, Fields } from './adminGateway.ts';
import { programAt } from '../../support/programs.ts';

const BOOTH = programAt('test/plugins/admin/boothServer.ts');
export const TOKEN = 'booth-token-4711-secret';
export const SCRIPT = '<script>alert(1)</script>';
export const LONG = 'n'.repeat(10_000);
const AUDITED = 'plugins: { audit: { config: {} } }\n';
const server = {
  type: 'stdio',
  command: [process.execPath, ...BOOTH],
  env: { BOOTH_TOKEN: TOKEN },
  autoStart: true,
  description: SCRIPT,
};

/** The admin pages of a gateway with the server `booth` running and an audit trail. */
export async function openBooth(files: Files = {}): Promise<AdminSite> {
  const site = await openAdmin({
    files: { 'mcpservers/booth.yaml': JSON.stringify(server), 'config.yaml': AUDITED, ...files },
  });
  await until(async () => (await site.facts('/mcps/booth'))['state'] === 'running', {
    what: 'booth',
    withinMs: 10_000,
  });
  return site;
}

/** As a browser submits the form of a page. @returns its answer without and with the token of the page */
export async function submits(
  site: AdminSite,
  { page, path, fields = {} }: { readonly page: string; readonly path: string; readonly fields?: Fields },
): Promise<readonly [forged: number, own: number]> {
  const [, token = ''] = /name="token"\s+value="([^"]+)"/.exec((await site.get(page)).text) ?? [];
  const headers = { origin: site.url, 'sec-fetch-site': 'same-origin' };
  const forged = await site.post(path, fields, headers);
  const own = await site.post(path, { ...fields, token }, headers);
  return [forged.status, own.status];
}

/** Script of others in the HTML of a page. */
export const INJECTED = /<script(?! type="module" src="\/live\.js")|<img|<b>\{/;

/** The lines of the audit trail on calls that have begun. */
export function auditedCalls({ gateway: { directory } }: AdminSite, tool: string): readonly string[] {
  const trail = directory.at('state/audit');
  const lines = readdirSync(trail).flatMap((name) => readFileSync(`${trail}/${name}`, 'utf8').split('\n'));
  return lines.filter((line) => line.includes('"type":"begun"') && line.includes(`"tool":"${tool}"`));
}
