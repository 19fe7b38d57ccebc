import type { Log } from 'pegboard';
import type { OAuthClient } from '../../contracts/oauth.ts';
import { OAuthError } from '../../kit/oauth/oauthError.ts';
import { recentlyUsed } from '../../kit/limits/recentlyUsed.ts';
import { isDocumentId } from './clientDocuments.ts';
import { isLoopbackRedirect } from './redirectUri.ts';

const KEY = 'aggregator.oauth.server.allowedClients';
/** Strangers choose the names: so many lines an hour. */
const MAX_LINES = 100;
const LINE_MS = 3_600_000;

/** The clients with which people may sign in, by host; any without a list. */
export class AllowedClients {
  readonly #list: () => readonly string[];
  readonly #log: Log;
  readonly #reported = recentlyUsed<true>(MAX_LINES, LINE_MS);

  /** @param list `allowedClients` */
  constructor(list: () => readonly string[], log: Log) {
    this.#list = list;
    this.#log = log;
  }

  /** A client with a metadata document counts by the host of that, so that none of another host is fetched; another one by all its
   *  redirect URIs. @throws OAuthError unauthorized_client, or with redirect URIs only invalid_redirect_uri */
  check({ id = '', redirectUris }: { readonly id?: string } & Pick<OAuthClient, 'redirectUris'>): void {
    const list = this.#list();
    if (list.length === 0) return;
    const hosts = isDocumentId(id) ? [hostOf(id)] : redirectUris.map(hostOf);
    const others = hosts.filter((host) => !list.some((entry) => matches(entry, host)));
    if (hosts.length > 0 && others.length === 0) return;
    this.#report(others.join(', ').slice(0, 200));
    throw new OAuthError(
      id === '' ? 'invalid_redirect_uri' : 'unauthorized_client',
      'this application is not admitted here; ask the administrator of the gateway',
      { reason: 'client-not-allowed' },
    );
  }

  #report(hosts: string): void {
    if (this.#reported.has(hosts) || this.#reported.size >= MAX_LINES) return;
    this.#reported.set(hosts, true);
    this.#log.warn('a client was refused', { hosts, fix: `if it is one of yours, add it to ${KEY}` });
  }
}

/** `claude.ai`, `localhost` for this machine of the person, `cursor:` for a scheme of its own. */
function hostOf(uri: string): string {
  if (!URL.canParse(uri)) return '';
  const { protocol, hostname } = new URL(uri);
  if (!/^https?:$/.test(protocol)) return protocol;
  return isLoopbackRedirect(uri) ? 'localhost' : hostname;
}

function matches(entry: string, host: string): boolean {
  return entry === host || (entry.startsWith('*.') && host.endsWith(entry.slice(1)));
}
