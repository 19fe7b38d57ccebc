import { expect } from 'chai';
import type { Caller, JsonObject } from '../../../kernel/index.ts';
import { definePlugin } from '../../../kernel/index.ts';
import { startAuthServer, tokensOf } from '../../support/authServer.ts';
import type { AuthServer, AuthServerOptions } from '../../support/authServer.ts';
import { moduleOf } from '../../support/gateway.ts';
import { until } from '../../support/until.ts';

const ROLES = 'https://example.com/roles';

interface Started extends AuthServer {
  /** Events of changed people. */
  readonly changes: Caller[];
}

async function started(options: AuthServerOptions = {}): Promise<Started> {
  const changes: Caller[] = [];
  const ear = definePlugin({
    name: 'ear',
    api: 1,
    configSchema: { type: 'object' },
    apply: (scope) =>
      scope.tap('onEvent', (event) => {
        if (event.type === 'signIn.changed') changes.push(event.caller);
      }),
  });
  const auth = await startAuthServer({
    ...options,
    settings: { plugins: { ear: { module: './ear.mjs' } } },
    files: { 'ear.mjs': moduleOf(ear) },
  });
  return Object.assign(auth, { changes });
}

/** `aggregator` with another idp.groupsClaim. */
function withClaim(aggregator: JsonObject, groupsClaim: string): JsonObject {
  const { oauth } = aggregator as { readonly oauth: { readonly server: { readonly idp: JsonObject } } };
  const { server } = oauth;
  return { ...aggregator, oauth: { ...oauth, server: { ...server, idp: { ...server.idp, groupsClaim } } } };
}

/** What userinfo reports about the holder of a token. */
async function userinfo({ base }: AuthServer, access: string): Promise<Record<string, unknown>> {
  const answer = await fetch(`${base}/oauth/userinfo`, { headers: { authorization: `Bearer ${access}` } });
  return (await answer.json()) as Record<string, unknown>;
}

describe('auth-server: people who change at the identity provider', () => {
  it('have their new groups, name and address at the next refresh, also with tokens from before it', async () => {
    const auth = await started();
    auth.provider.loginAs('alice', { groups: ['ops', 'staff'] });
    const first = await auth.tokens();
    expect(await userinfo(auth, first.access)).deep.include({ groups: ['ops', 'staff'], name: 'alice' });
    auth.provider.loginAs('alice', { groups: ['staff'], name: 'Alice B', email: 'b@example.com' });
    const next = tokensOf(await auth.refresh(first.refresh));
    for (const { access } of [first, next])
      expect(await userinfo(auth, access)).deep.include({
        groups: ['staff'],
        name: 'Alice B',
        email: 'b@example.com',
      });
    expect(auth.changes.map(({ claims }) => claims?.['groups'])).deep.equal([['staff']]);
    await auth.refresh(next.refresh);
    expect(auth.changes).length(1);
  });

  it('lose groups that the provider does not name any more', async () => {
    const auth = await started();
    auth.provider.loginAs('alice', { groups: ['ops'] });
    const { access, refresh } = await auth.tokens();
    auth.provider.loginAs('alice', { groups: undefined });
    await auth.refresh(refresh);
    expect((await userinfo(auth, access))['groups'] ?? []).deep.equal([]);
  });

  it('have their new groups when the tokens are refreshed in advance', async () => {
    // The provider's tokens end within the five minutes in which they are refreshed at the first use.
    const auth = await started({ provider: { lifetimes: { AccessToken: 200 } } });
    auth.provider.loginAs('alice', { groups: ['ops'] });
    const { access } = await auth.tokens();
    auth.provider.loginAs('alice', { groups: ['dev'] });
    await auth.mcp(access);
    await until(() => auth.changes.length > 0 || undefined, { what: 'a changed person' });
    expect(await userinfo(auth, access)).deep.include({ groups: ['dev'] });
  });

  it('are not served by streams that were opened for who they were', async () => {
    const auth = await started();
    const { access, refresh } = await auth.tokens();
    const headers = { authorization: `Bearer ${access}`, accept: 'text/event-stream' };
    const session = (await auth.mcp(access)).headers.get('mcp-session-id') ?? '';
    const stream = await fetch(`${auth.base}/mcp`, { headers: { ...headers, 'mcp-session-id': session } });
    expect(stream.status).equal(200);
    auth.provider.loginAs('alice', { groups: ['dev'] });
    await auth.refresh(refresh);
    // It ends, or this would wait for ever.
    await stream.text();
  });

  it('have groups of another claim, by name or by path, and a single group as a text', async () => {
    const auth = await started({ provider: { groupClaims: ['realm_access', ROLES, 'groups'] } });
    for (const [groupsClaim, claims] of [
      ['realm_access.roles', { realm_access: { roles: ['ops'] } }],
      [ROLES, { [ROLES]: ['ops'] }],
      ['groups', { groups: 'ops' }],
    ] as const) {
      await auth.configure(({ aggregator }) => ({ aggregator: withClaim(aggregator, groupsClaim) }));
      auth.provider.loginAs('alice', { groups: ['other'], ...claims });
      await until(
        async () => (await fetch(auth.authorizeUrl(), { redirect: 'manual' })).status === 302 || undefined,
        {
          what: 'the identity provider',
        },
      );
      const { access } = await auth.tokens();
      expect(await userinfo(auth, access), groupsClaim).deep.include({ groups: ['ops'] });
    }
  });

  it('are warned of once if they have more groups than count', async () => {
    const auth = await started();
    const many = Array.from({ length: 101 }, (_, at) => `group-${at}`);
    auth.provider.loginAs('alice', { groups: many });
    const { access, refresh } = await auth.tokens();
    expect((await userinfo(auth, access))['groups']).deep.equal(many.slice(0, 100));
    await auth.refresh(refresh);
    expect(auth.gateway.log.having('101 groups, of which the first 100 count', 'warn')).length(1);
  });
});
