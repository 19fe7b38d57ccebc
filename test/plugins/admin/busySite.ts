import { createRequire } from 'node:module';
import { defer } from '../../support/cleanup.ts';
import { answerIn, callCore } from '../../support/coreTools.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import { signInAtServer, signedIn, startPeopleGateway } from '../../support/people.ts';
import { newBrowser } from '../../support/browser.ts';
import { TalkingClient } from '../../support/talkingClient.ts';
import type { Exchange } from '../../support/talkingClient.ts';
import { until } from '../../support/until.ts';
import { siteAt } from './adminGateway.ts';
import type { AdminSite } from './adminGateway.ts';
import { programAt } from '../../support/programs.ts';

export const EXPORT = 'x_shop_stock_export_of_all_warehouses_as_spreadsheet';
const SHOP = programAt('test/plugins/admin/shopServer.ts');
const FILES = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const stdio = (command: readonly string[], more: object): string =>
  JSON.stringify({ type: 'stdio', command, autoStart: true, ...more });
const FILES_OF_SITE = {
  'mcpservers/shop.yaml': `# The shop of the company\ntype: stdio\ncommand: ${JSON.stringify([process.execPath, ...SHOP])}\nautoStart: true\ndescription: Orders, invoices and parcels\n`,
  'mcpservers/billing.yaml': stdio(['/opt/billing/bin/mcp-server'], { description: 'Invoices of suppliers' }),
  'mcpservers/archive.yaml': stdio([process.execPath, ...SHOP], { autoStart: false }),
  'mcpservers/crm.yaml': 'type: streamable_http\nurl: https://crm.example/mcp\n',
  'workflows/ship-order.yaml': JSON.stringify({
    description: 'Takes the money for an order, ships it, and tells the customer',
    args: { order: { type: 'string', required: true, description: 'Number of the order' } },
    steps: [
      { id: 'order', tool: 'x_shop_order_get', args: { id: '{{ .input.order }}' } },
      {
        id: 'look-up',
        parallel: [
          { id: 'customer', tool: 'x_shop_customer_get' },
          { id: 'stock', tool: 'x_shop_product_search', args: { query: 'in stock' } },
        ],
      },
      { id: 'pay', tool: 'x_shop_payment_capture' },
      { id: 'ship', tool: 'x_shop_parcel_create' },
    ],
  }),
  'workflows/stock-report.yaml': JSON.stringify({
    description: 'Exports the stock',
    steps: [{ id: 'export', tool: EXPORT }],
  }),
  'workflows/restock.yaml': JSON.stringify({
    description: 'Orders what is low',
    steps: [{ id: 'low', tool: 'x_supplier_price_list' }],
  }),
};

export interface BusySite extends AdminSite {
  /** The client of the person whose call is under way. */
  readonly client: TalkingClient;
  /** Id of that client's session. */
  readonly session: string;
  /** Run ids: with a failed step, and one that waits. */
  readonly runs: { readonly failed: string; readonly running: string };
  /** A call that waits until it is cancelled. */
  readonly wait: () => Exchange;
}

/** The admin pages of a gateway in use: two people, five servers of which one fails, runs, grants and a file with a fault.
 *  @param before what happens before people sign in */
export async function openBusySite(
  before: (site: AdminSite) => Promise<void> = () => Promise.resolve(),
): Promise<BusySite> {
  const calendar = await startGuardedSite({ issuer: { lifetime: 3_600 } });
  const auth = await startPeopleGateway({
    settings: { aggregator: { admin: { enabled: true, port: 0 } } },
    files: {
      ...FILES_OF_SITE,
      'mcpservers/files.yaml': stdio([process.execPath, FILES, '/tmp'], { description: 'Files of the team' }),
      'mcpservers/calendar.yaml': calendar.definition({ auth: { type: 'oauth' } }),
    },
  });
  const site = siteAt(auth.gateway);
  const areRunning = async (): Promise<boolean> => {
    const { servers } = await site.facts<{ servers: Readonly<Record<string, number>> }>('/');
    return servers['running'] === 2 && servers['failed'] === 1;
  };
  await until(areRunning, { what: 'the servers run', withinMs: 20_000 });
  await before(site);

  const people = [await signedIn(auth, 'ann'), await signedIn(auth, 'bob')];
  for (const [at, as] of ['ann', 'bob'].entries()) {
    const browser = newBrowser();
    calendar.issuer.signInAs(browser, as);
    await signInAtServer(people[at]!, 'calendar', { auth, as, browser });
  }
  const authorization = `Bearer ${people[0]!.tokens.access}`;
  const client = await TalkingClient.connect(auth.base, { elicitation: {} }, { authorization });
  defer(() => client.leave());
  await client.told('x_shop_order_get');
  await client.told('x_files_list_allowed_directories');
  await client.told('workflow_ship-order', { order: '2026-00417' });
  const { execution_id: running } = answerIn(
    await callCore(auth.gateway, 'workflow_stock-report', { _async: true }),
  );
  const { runs } = await site.facts<{ runs: { items: readonly Run[] } }>('/runs');
  const [latest] = (await site.facts<{ items: readonly { id: string }[] }>('/sessions')).items;
  return {
    ...site,
    client,
    session: latest?.id ?? '',
    runs: {
      failed: runs.items.find(({ status }) => status === 'failed')?.execution_id ?? '',
      running: String(running),
    },
    wait: () => client.call(EXPORT),
  };
}

/** Calls of an hour, so that the chart has bars. */
export async function anHour({ gateway }: AdminSite, later: (ms: number) => void): Promise<void> {
  for (let minute = 0; minute < 55; minute += 1) {
    for (let count = 0; count < (minute * 7) % 11; count += 1) await callCore(gateway, 'x_shop_order_list');
    if (minute % 9 === 4) await callCore(gateway, 'x_shop_payment_capture');
    if (minute % 4 === 1) await callCore(gateway, 'x_files_list_allowed_directories');
    later(60_000);
  }
}

interface Run {
  readonly execution_id: string;
  readonly status: string;
}
