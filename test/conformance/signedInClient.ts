import { newBrowser } from '../support/browser.ts';
import { TalkingClient, toldIn } from '../support/talkingClient.ts';
import type { Heard } from '../support/talkingClient.ts';
import { eventually } from '../contract/index.ts';
import { gatewayOver } from './gateways.ts';
import type { GatewayOver } from './gateways.ts';

export const OWN = 'x_conf_';
/** How the names of its scenarios begin. */
export const SIGN_IN = 'auth/';
/** The client id that the suite expects where the authorization server takes client metadata documents. */
const CLIENT_DOCUMENT = 'https://conformance-test.local/client-metadata.json';
/** A person signs in again where the server wants more scopes, or another authorization server. */
const MAX_SIGN_INS = 3;
const WITHIN_MS = 4_000;

/** Where a client has to refuse: its login gives no link, or the last page of the browser is an error. */
const REFUSALS: Readonly<Record<string, 'login' | 'callback' | 'call' | undefined>> = {
  'resource-mismatch': 'login',
  'metadata-issuer-mismatch': 'login',
  'iss-supported-missing': 'callback',
  'iss-wrong-issuer': 'callback',
  'iss-unexpected': 'callback',
  'iss-normalized': 'callback',
  'scope-retry-limit': 'call',
};

interface Scenario {
  readonly scenario: string;
  /** JSON text. */
  readonly context: string;
}

/** A person who signs in at the server from the link of core_auth_login, in a browser, and uses its tool in the same session.
 *  @throws Error where that ends otherwise than the scenario says */
export async function useSignedIn(server: string, { scenario, context }: Scenario): Promise<void> {
  const gateway = await gatewayOver(server, { isUp: false, ...settingsFor(scenario, context) });
  try {
    const client = await TalkingClient.connect(gateway.url());
    await eventually(() => isLocked(client), `a sign-in is wanted by ${server}`, 10_000);
    const refusal = REFUSALS[scenario.slice(SIGN_IN.length)];
    const reached = await useAsPerson(client);
    if (reached.end !== (refusal ?? 'used'))
      throw new Error(`ended at ${reached.end}: ${JSON.stringify(reached.last)}`);
    client.leave();
  } finally {
    await gateway.stop();
  }
}

function settingsFor(scenario: string, context: string): GatewayOver {
  const known = JSON.parse(context) as Readonly<Record<string, string | undefined>>;
  const isByDocument = scenario === `${SIGN_IN}basic-cimd`;
  return {
    mcpClient: { enabled: true, ...(isByDocument && { clientId: CLIENT_DOCUMENT }) },
    ...(known['client_id'] !== undefined && {
      auth: {
        type: 'oauth',
        authorizationServer: {
          issuer: known['issuer'],
          clientId: known['client_id'],
          clientSecret: known['client_secret'],
        },
      },
    }),
  };
}

interface Reached {
  readonly end: 'used' | 'login' | 'callback' | 'call';
  /** What was answered there. */
  readonly last: unknown;
}

async function useAsPerson(client: TalkingClient): Promise<Reached> {
  let last: unknown;
  for (let count = 0; count < MAX_SIGN_INS; count += 1) {
    const login = await client.call('core_auth_login', { server: 'conf' }).answer();
    const { authUrl } = (login.result?.['structuredContent'] ?? {}) as { readonly authUrl?: string };
    if (authUrl === undefined) return { end: count === 0 ? 'login' : 'call', last: login };
    const page = await newBrowser().open(authUrl);
    if (page.status !== 200) return { end: 'callback', last: page };
    const name = await eventually(() => ownTool(client), 'its tool', WITHIN_MS).catch(() => undefined);
    if (name === undefined) continue;
    last = await client.call(name).answer();
    if (isTest(last as Heard)) return { end: 'used', last };
  }
  return { end: 'call', last };
}

/** The name of the server's tool once it is listed. */
async function ownTool(client: TalkingClient): Promise<string | undefined> {
  const asked = { name: 'filter_tools', arguments: { pattern: `${OWN}*` } };
  const found = toldIn(await client.request('tools/call', asked).answer());
  return (found as { readonly tools: readonly { readonly name: string }[] }).tools[0]?.name;
}

/** What the suite's tool answers. */
function isTest({ result }: Heard): boolean {
  return result?.['isError'] !== true && toldIn({ ...(result && { result }) }) === 'test';
}

async function isLocked(client: TalkingClient): Promise<boolean> {
  const { result } = await client.request('resources/read', { uri: 'auth://status' }).answer();
  const [content] = result?.['contents'] as readonly { readonly text: string }[];
  const { servers } = JSON.parse(content?.text ?? '{"servers":[]}') as {
    readonly servers: readonly { readonly name: string; readonly status: string }[];
  };
  return servers.some(({ name, status }) => name === 'conf' && status === 'auth_required');
}
