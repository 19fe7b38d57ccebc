import { fillReferences } from 'pegboard/kit';
import { isLoopbackHost, hostOf } from 'pegboard/net';
import type { AuthRules } from '../../contracts/credentials.ts';
import type { SignInFacts } from '../../contracts/signIns.ts';
import { SignInFault } from '../discovery/network.ts';
import type { Network } from '../discovery/network.ts';
import type { GrantClient } from '../grants/record/grantRecord.ts';
import { ownMetadata } from '../../kit/oauth/ownMetadata.ts';
import type { OwnAddresses } from './ownAddresses.ts';
import type { OwnRegistrations } from './ownRegistrations.ts';
import { isBusy, serverFault } from './serverRequest.ts';

const TIMEOUT_MS = 10_000;

export interface ClientQuestion {
  readonly facts: SignInFacts;
  readonly auth: AuthRules;
  readonly redirectUri: string;
  readonly network: Network;
  /** Id of a client that the authorization server may not know any more. */
  readonly doubted: string | undefined;
}

/** The gateway as a client of authorization servers. */
export class OwnClients {
  readonly #addresses: OwnAddresses;
  readonly #registrations: OwnRegistrations;
  readonly #directory: () => string;

  /** @param directory base of relative paths */
  constructor(addresses: OwnAddresses, registrations: OwnRegistrations, directory: () => string) {
    this.#addresses = addresses;
    this.#registrations = registrations;
    this.#directory = directory;
  }

  /** As configured, by the URL of its metadata document, or registered there.
   *  @throws SignInFault; GatewayError STORE_UNREACHABLE. Source: MCP 2025-11-25, Authorization, Client Registration Approaches */
  async of({ facts, auth, redirectUri, network, doubted }: ClientQuestion): Promise<GrantClient> {
    const configured = configuredClient(auth, facts, this.#directory());
    if (configured !== undefined) return configured;
    const { issuer, registration, endpoints } = facts;
    const document = usableDocument(this.#addresses.clientId, facts);
    // By the specification it is https; another authorization server on this machine may insist on it.
    const takesDocuments = registration === 'client-document' && document?.startsWith('http:') !== true;
    // Some read documents and do not announce it; others answer at their own page that the client is unknown.
    if (document !== undefined && (takesDocuments || endpoints.registration === undefined))
      return { id: document, authMethod: 'none', isRegistered: false };
    if (endpoints.registration === undefined) throw new SignInFault(unknownClient(issuer, takesDocuments));
    // Without `scope`: servers behind one issuer want different ones, and it would exclude all others.
    const metadata = ownMetadata(redirectUri, this.#addresses.base ?? '');
    const fetch = await network.sender(new URL(endpoints.registration), TIMEOUT_MS);
    try {
      return await this.#registrations.clientFor(facts, redirectUri, { metadata, fetch, doubted });
    } catch (error) {
      throw new SignInFault(
        `this gateway cannot register at ${endpoints.registration}: ${serverFault(error)}; ${registrationFix(error)}`,
        { cause: error },
      );
    }
  }
}

function registrationFix(error: unknown): string {
  return isBusy(error)
    ? 'it takes no more registrations now: wait, and sign in again later'
    : 'register it there, and set auth.authorizationServer.clientId of the server';
}

/** Only for the pinned issuer, at which its operator has registered the gateway. @throws SignInFault */
function configuredClient(
  { authorizationServer }: AuthRules,
  { authMethods = ['client_secret_basic'] }: SignInFacts,
  directory: string,
): GrantClient | undefined {
  const { clientId, clientSecret, tokenEndpointAuthMethod } = authorizationServer ?? {};
  if (clientId === undefined) return undefined;
  if (clientSecret === undefined) return { id: clientId, authMethod: 'none', isRegistered: false };
  const { values, faults } = fillReferences({ clientSecret }, directory);
  const [fault] = faults;
  if (fault !== undefined)
    throw new SignInFault(`auth.authorizationServer.${fault.name} of the server ${fault.message}`);
  const authMethod =
    tokenEndpointAuthMethod ??
    (authMethods.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post');
  return { id: clientId, secret: values['clientSecret'] ?? '', authMethod, isRegistered: false };
}

/** An authorization server can read it only by https, or on its own machine. */
function usableDocument(clientId: string | undefined, { issuer }: SignInFacts): string | undefined {
  if (clientId === undefined) return undefined;
  const isReadable = clientId.startsWith('https:') || isLoopbackHost(hostOf(new URL(issuer)));
  return isReadable ? clientId : undefined;
}

export function unknownClient(issuer: string, takesDocuments: boolean): string {
  return takesDocuments
    ? `the authorization server ${issuer} cannot read the client metadata document of this gateway; set aggregator.oauth.mcpClient.publicUrl to its https address, or auth.authorizationServer.clientId of the server`
    : `the authorization server ${issuer} registers no clients by itself; register this gateway there, and set auth.authorizationServer with issuer and clientId of the server`;
}
