import { ConfigControl, GatewayError } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { GrantStore } from '../../contracts/credentials.ts';
import { ownerIn } from '../data/ownerIn.ts';
import type { StoredGrant } from '../../contracts/credentials.ts';
import { actAsOperator } from '../data/actAsOperator.ts';
import { checkAuthority } from '../web/checkSender.ts';
import type { Action, Visit } from '../web/definePage.ts';
import { count, counted, shown } from '../../kit/pages/words.ts';

interface Deed {
  readonly method: Action['method'];
  readonly path: string;
  /** Absent: `define`. `use`: of the person's own grants; those of others take `define`. */
  readonly takes?: 'use';
  /** As the audit trail names it. */
  readonly name: string;
  readonly run: (store: GrantStore, params: Visit['params']) => Promise<string>;
}

/** What is stored without the plugin that signs in at servers: nothing. */
const NO_GRANTS: GrantStore = {
  all: () => Promise.resolve([]),
  refresh: () => Promise.resolve(undefined),
  drop: () => Promise.resolve(false),
  dropServer: () => Promise.resolve(0),
  dropAll: () => Promise.resolve(0),
};

/** What operators do with the grants of persons. */
export function grantActions(scope: Scope<unknown>): readonly Action[] {
  const isKnown = (name: string): boolean =>
    scope
      .get(ConfigControl)
      .resources('MCPServer')
      .some((server) => server.name === name);
  const deeds: readonly Deed[] = [
    { method: 'POST', path: '/grants/:id/refresh', takes: 'use', name: 'admin_grant_refresh', run: refresh },
    { method: 'POST', path: '/grants/:id/drop', takes: 'use', name: 'admin_grant_drop', run: drop },
    {
      method: 'DELETE',
      path: '/auth/:server',
      name: 'admin_grants_drop_server',
      run: (store, { server = '' }) => dropServer(store, server, isKnown(server)),
    },
    { method: 'DELETE', path: '/user-tokens', name: 'admin_grants_drop_all', run: dropAll },
  ];
  return deeds.map(({ method, path, takes, name, run }) => ({
    method,
    path,
    ...(takes !== undefined && { takes }),
    run: async (visit) => {
      const { params, request } = visit;
      const args: JsonObject = { ...params };
      const own = async (): Promise<string> => {
        const store = scope.find(GrantStore) ?? NO_GRANTS;
        const { visitor } = visit;
        const isMeant = ({ id }: StoredGrant): boolean => id === params['id'];
        if (visitor === undefined || (await store.all(visitor.caller)).some(isMeant))
          return run(store, params);
        if (ownerIn(visit) !== undefined) throw gone();
        checkAuthority(visitor, 'define');
        return run(store, params);
      };
      const act = { name, args, run: own };
      return { message: await actAsOperator(scope, act, request), next: '/grants' };
    },
  }));
}

async function refresh(store: GrantStore, { id = '' }: Visit['params']): Promise<string> {
  const before = (await store.all()).find((grant) => grant.id === id);
  const after = await store.refresh(id);
  if (after === undefined) throw gone();
  const { state, server, reason } = after;
  const isNewer = state === 'valid' && after.expires !== before?.expires;
  if (isNewer) return `the grant for server ${server} was refreshed`;
  const why = reason ?? 'there is no refresh token, or a pause after a failure lasts';
  throw new GatewayError(
    'SERVICE_UNSUPPORTED',
    `the grant for server ${server} is ${state} as before: ${why}`,
  );
}

async function drop(store: GrantStore, { id = '' }: Visit['params']): Promise<string> {
  if (!(await store.drop(id))) throw gone();
  return 'the grant was dropped';
}

/** The definition may be gone, and its grants not. */
async function dropServer(store: GrantStore, server: string, isKnown: boolean): Promise<string> {
  const dropped = await store.dropServer(server);
  if (dropped > 0 || isKnown) return `${counted(dropped, 'grant')} for server ${server} dropped`;
  throw new GatewayError(
    'SERVICE_NOT_FOUND',
    `no server is called ${JSON.stringify(shown(server))}, and no grant is for it`,
  );
}

async function dropAll(store: GrantStore): Promise<string> {
  return `stored grants and secrets dropped: ${count(await store.dropAll())}`;
}

function gone(): GatewayError {
  return new GatewayError(
    'REQUEST_NOT_FOUND',
    'there is no such grant any more; open the page of grants again',
  );
}
