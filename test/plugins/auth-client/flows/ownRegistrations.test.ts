import { expect } from 'chai';
import type { GuardedFetch } from '../../../../plugins/kit/net/index.ts';
import type { SignInFacts } from '../../../../plugins/contracts/signIns.ts';
import { OwnRegistrations } from '../../../../plugins/auth-client/flows/ownRegistrations.ts';
import { MemoryVault } from '../../../../plugins/vault-memory/memoryVault.ts';
import { serveWithOutages } from '../../../support/serveWithOutages.ts';
import type { OutageServer } from '../../../support/serveWithOutages.ts';

const LIMITS = { maxEntries: 10, maxBytes: 10_000, maxValueBytes: 10_000, sweepMs: 60_000 };
const CALLBACK = 'http://localhost/callback';
const fetched = ((url: string, options: RequestInit) => fetch(url, options)) as unknown as GuardedFetch;

/** What the gateway is at an authorization server that answers so. */
async function register(answer: object, status = 201) {
  const server = await serveWithOutages((_, res) =>
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
  );
  const registrations = new OwnRegistrations(() => new MemoryVault(() => LIMITS));
  return registrations.clientFor(factsOf(server), CALLBACK, {
    metadata: {},
    fetch: fetched,
    doubted: undefined,
  });
}
function factsOf({ url }: OutageServer): SignInFacts {
  const endpoints = { authorization: `${url}/auth`, token: `${url}/token`, registration: `${url}/register` };
  return {
    issuer: url,
    registration: 'dynamic',
    namesIssuer: true,
    isOlder: false,
    endpoints,
  } as SignInFacts;
}

describe('auth-client: registrations', () => {
  it('accept an answer that leaves out when the secret expires, or has status 200', async () => {
    const client = { id: 'a', secret: 'b', authMethod: 'client_secret_basic', isRegistered: true };
    const answer = { client_id: 'a', client_secret: 'b', token_endpoint_auth_method: 'client_secret_basic' };
    expect(await register(answer)).deep.equal(client);
    expect(await register(answer, 200)).deep.equal(client);
    expect(await register({ ...answer, client_secret_expires_at: 0 })).deep.equal(client);
  });

  it('accept an answer whose members without a value are null', async () => {
    const answer = { client_id: 'a', client_secret: null, client_secret_expires_at: null };
    expect(await register(answer)).deep.equal({ id: 'a', authMethod: 'none', isRegistered: true });
  });

  it('refuse an answer without a client, or of another kind', async () => {
    const secret = { client_secret: 'b' };
    for (const answer of [secret, [], { client_id: 'a', ...secret, client_secret_expires_at: 'soon' }]) {
      const refusal = await register(answer).then(
        () => undefined,
        (error: unknown) => (error as { readonly code?: string }).code,
      );
      expect(refusal, JSON.stringify(answer)).equal('OAUTH_INVALID_RESPONSE');
    }
  });
});
