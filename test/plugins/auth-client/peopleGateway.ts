import { ANYONE, definePlugin } from '../../../kernel/index.ts';
import type { Caller } from '../../../kernel/index.ts';
import type { AuthRules } from '../../../plugins/contracts/credentials.ts';
import { startAuthServer } from '../../support/authServer.ts';
import type { AuthServer, Tokens } from '../../support/authServer.ts';
import { moduleOf } from '../../support/gateway.ts';
import { startGuardedSite } from '../../support/guardedSite.ts';
import type { GuardedSite } from '../../support/guardedSite.ts';
import { callAs, fakeUpstream } from './guardedGateway.ts';

export interface Person {
  readonly caller: Caller;
  readonly tokens: Tokens;
}
export interface PeopleGateway {
  readonly auth: AuthServer;
  /** The server `notes`. */
  readonly site: GuardedSite;
  /** A new sign-in at the gateway. */
  readonly signIn: (subject?: string) => Promise<Person>;
  readonly signOut: (person: Person) => Promise<void>;
  /** The link of core_auth_login for `notes`. */
  readonly link: (caller: Caller) => Promise<string>;
  /** Keys of the grants that the vault has. */
  readonly grants: () => Promise<readonly string[]>;
}

/** A gateway at which people sign in, in front of a server at which they sign in too. @param rules of the definition */
export async function peopleGateway(rules: Partial<AuthRules> = {}): Promise<PeopleGateway> {
  const site = await startGuardedSite();
  const upstream = fakeUpstream({ notes: { url: site.url, auth: rules } }, new Set());
  const begun: Caller[] = [];
  const ear = definePlugin({
    name: 'ear',
    api: 1,
    configSchema: { type: 'object' },
    apply: (scope) =>
      scope.tap('onEvent', (event) => {
        if (event.type === 'signIn.begun') begun.push(event.caller);
      }),
  });
  const plugins = [upstream, ear];
  const auth = await startAuthServer({
    builtIns: ['http', 'front', 'metatools', 'toolsets', 'vault-memory', 'auth-server', 'auth-client'],
    settings: {
      aggregator: { oauth: { mcpClient: { enabled: true } } },
      plugins: Object.fromEntries(plugins.map(({ name }) => [name, { module: `./${name}.mjs` }])),
    },
    files: Object.fromEntries(plugins.map((plugin) => [`${plugin.name}.mjs`, moduleOf(plugin)])),
  });
  return {
    auth,
    site,
    signIn: async (subject = 'alice') => {
      auth.provider.loginAs(subject);
      const tokens = await auth.tokens();
      const caller = begun.at(-1);
      if (caller === undefined) throw new Error('no sign-in has begun');
      return { caller, tokens };
    },
    signOut: async ({ tokens }) => {
      await auth.post({ token: tokens.refresh, client_id: auth.clientId }, {}, '/oauth/revoke');
    },
    link: async (caller) => {
      const asked = { name: 'core_auth_login', args: { server: 'notes' }, request: { ...ANYONE, caller } };
      const { structuredContent } = await callAs(auth.gateway, asked);
      return (structuredContent as { readonly authUrl: string }).authUrl;
    },
    grants: async () => {
      const keys = await auth.vault.list('server-grant:');
      const records = await Promise.all(keys.map((key) => auth.vault.get(key)));
      return keys.filter((_, at) => (records[at] as { readonly grant?: unknown }).grant !== undefined);
    },
  };
}
