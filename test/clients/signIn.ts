import { setTimeout as pause } from 'node:timers/promises';
import { metadataOf } from '../support/applicationSignIn.ts';
import { freePort } from '../support/everything.ts';
import { httpsSite } from '../support/httpsSite.ts';
import { startIdentityProvider } from '../support/identityProvider.ts';
import type { IdentityProvider } from '../support/identityProvider.ts';
import type { Client, Program } from './clients.ts';
import { Gateway } from './gateway.ts';
import { Home } from './home.ts';
import type { Leg } from './legs.ts';
import { callOf, expectIn, play } from './play.ts';

const WAYS = ['client metadata document', 'public registration', 'confidential registration'] as const;
type Way = (typeof WAYS)[number];

export const TOOL = 'core_service_list';
/** What its result has. */
export const ANSWER = 'mcp-aggregator';
export const LIFETIME_S = 60;

/** A gateway with sign-in for one client. */
interface Setup {
  readonly way: Way;
  readonly gateway: Gateway;
  readonly provider: IdentityProvider;
  /** The address of the client's metadata document. */
  readonly document: string;
  readonly home: Home;
  /** The time for the redirect to the client. */
  readonly port: number;
}
/** A client that has been registered by hand. */
interface Credentials {
  readonly client_id: string;
  readonly client_secret: string;
}

/** On a busy machine, three of them at once do not connect in the few seconds after which Claude Code begins without its servers. */
const PATIENCE = { MCP_CONNECTION_NONBLOCKING: 'false', CLAUDE_CODE_MCP_STARTUP_WAIT_MS: '60000' };

/** Its command line signs in, in a terminal; its scripted model calls the tool. */
export const CLAUDE_SIGN_IN: Leg<Client> = {
  title: `signs in, calls a tool, and again after ${LIFETIME_S} s with refreshed tokens`,
  run: (hasty) => {
    const client = { ...hasty, env: { ...hasty.env, ...PATIENCE } };
    const call = async ({ home }: Setup, isPermitted = false): Promise<void> => {
      const { api, output } = await play(client, [callOf(TOOL, {})], { home, isPermitted });
      expectIn(api.results, [ANSWER], output);
    };
    return inAllWays(client, '/callback', {
      signIn: async (setup) => {
        const { way, home, gateway, document, port } = setup;
        const { url } = gateway;
        const env = { MCP_OAUTH_CLIENT_METADATA_URL: document };
        const add = client.addUrl('pegboard', `${url}/mcp`);
        if (way === 'confidential registration') {
          const { client_id, client_secret } = await register(url, `http://localhost:${port}/callback`);
          const secret = { MCP_CLIENT_SECRET: client_secret };
          await home.type(`${add} --client-id ${client_id} --client-secret --callback-port ${port}`, secret);
        } else await home.type(add);
        await home.signIn(['claude', 'mcp', 'login', '--no-browser', 'pegboard'], addressAt(url), env);
        // Its settings keep the permission.
        await call(setup, true);
      },
      callAgain: (setup) => call(setup),
    });
  },
};

/** Its command line signs in, registers itself with the port on which it listens, and its scripted model calls the tool. */
export const CODEX_SIGN_IN: Leg<Client> = {
  title: 'signs in by `codex mcp login` and calls a tool',
  run: async (client) => {
    const { gateway, home } = await setUp(client, 'public registration', '/callback');
    const { url } = gateway;
    home.add('.codex/config.toml', `[mcp_servers.pegboard]\nurl = "${url}/mcp"\n`);
    await home.signIn(['codex', 'mcp', 'login', 'pegboard'], addressAt(url));
    const { api, output } = await play(client, [callOf(TOOL, {})], { home, isPermitted: true });
    expectIn(api.results, [ANSWER], output);
    return `signed in as ${gateway.signedIn.length} client`;
  },
};

/** Its command line signs in when it is refused. */
export const INSPECTOR_SIGN_IN: Leg<Program> = {
  title: CLAUDE_SIGN_IN.title,
  run: (inspector) => {
    const env = { MCP_INSPECTOR_SECRET_STORE: 'file', MCP_AUTO_OPEN_ENABLED: 'false' };
    const commands = new Map<Way, readonly string[]>();
    return inAllWays(inspector, '/oauth/callback', {
      signIn: async ({ way, home, gateway, document, port }) => {
        const { url } = gateway;
        const callback = `http://127.0.0.1:${port}/oauth/callback`;
        const options: Readonly<Record<Way, () => Promise<readonly string[]> | readonly string[]>> = {
          'client metadata document': () => ['--client-metadata-url', document],
          'public registration': () => [],
          'confidential registration': async () => {
            const { client_id, client_secret } = await register(url, callback);
            return ['--client-id', client_id, '--client-secret', client_secret];
          },
        };
        const command = [
          ...['mcp-inspector', '--cli', `${url}/mcp`, '--callback-url', callback, ...(await options[way]())],
          ...['--method', 'tools/call', '--tool-name', 'call_tool'],
          ...['--tool-args-json', JSON.stringify({ name: TOOL, arguments: {} })],
        ];
        commands.set(way, command);
        const text = await home.signIn(command, addressAt(url), env);
        if (!text.includes(ANSWER)) throw new Error(text);
      },
      callAgain: async ({ way, home }) => {
        const { stdout, text } = await home.run([...(commands.get(way) ?? []), '--stored-auth-only'], env);
        if (!stdout.includes(ANSWER)) throw new Error(text);
      },
    });
  },
};

interface Steps {
  readonly signIn: (setup: Setup) => Promise<void>;
  readonly callAgain: (setup: Setup) => Promise<void>;
}

/** All at the same time, because each way waits until a token has expired. @param path of its redirect URI */
async function inAllWays(program: Program, path: string, { signIn, callAgain }: Steps): Promise<string> {
  const seen = WAYS.map(async (way) => {
    try {
      const setup = await setUp(program, way, path);
      await signIn(setup);
      const { gateway, document } = setup;
      const isByDocument = gateway.signedIn.every((client) => client === document);
      if (isByDocument !== (way === WAYS[0])) throw new Error(`signed in: ${gateway.signedIn.join(', ')}`);
      await pause((LIFETIME_S + 1) * 1_000);
      const before = setup.provider.refreshes();
      await callAgain(setup);
      if (setup.provider.refreshes() === before) throw new Error('it called without refreshing its tokens');
    } catch (error) {
      throw new Error(`${way}: ${String(error)}`, { cause: error });
    }
  });
  const outcomes = await Promise.allSettled(seen);
  const faults = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [String(outcome.reason)] : [],
  );
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return WAYS.join(', ');
}

/** A gateway with sign-in whose tokens last LIFETIME_S, and a home for the program. @param path of its redirect URI */
export async function setUp(program: Program, way: Way, path: string): Promise<Setup> {
  const provider = await startIdentityProvider({
    lifetimes: { AccessToken: LIFETIME_S },
    isRotating: true,
  });
  let document = '';
  const site = await httpsSite((_, response) => {
    // Without a port, as programs publish them.
    const redirect_uris = ['localhost', '127.0.0.1'].map((host) => `http://${host}${path}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...metadataOf('none'), client_id: document, redirect_uris }));
  });
  document = `https://localhost:${site.port}/client.json`;
  const config = (baseUrl: string): string => {
    // Clients prefer documents to registration.
    const enableCIMD = way === 'client metadata document';
    const options = { enabled: true, enableCIMD, allowPrivateIPClientMetadata: true };
    const server = { ...options, baseUrl, idp: provider.config };
    return JSON.stringify({ aggregator: { extraCaFile: 'ca.pem', oauth: { server } } });
  };
  const gateway = await Gateway.start({ config, servers: {}, more: { 'ca.pem': site.ca.join('') } });
  provider.allowRedirects(`${gateway.url}/oauth/callback`);
  return { way, gateway, provider, document, home: new Home(program), port: await freePort() };
}

async function register(url: string, redirectUri: string): Promise<Credentials> {
  const answer = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...metadataOf('client_secret_basic'), redirect_uris: [redirectUri] }),
  });
  return (await answer.json()) as Credentials;
}

/** What a client prints for the browser, to its end. */
export function addressAt(url: string): RegExp {
  return new RegExp(`${url}/oauth/authorize\\?[\\w.%~+&=-]+(?=[^\\w.%~+&=-])`);
}
