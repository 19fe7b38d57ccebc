import { isObject, plainText } from 'pegboard';
import type { Configuration } from 'openid-client';
import type { GuardedFetch } from 'pegboard/net';
import { newSecret } from '../../kit/secrets/secrets.ts';
import { jsonIn } from '../../kit/text/jsonIn.ts';
import type { ProviderConfig } from '../config.ts';
import { signInUrl } from './signInUrl.ts';

const MAX_CHARS = 300;
const ASKING = { headers: { accept: 'text/html' } };
/** Answers to a request that no person is behind. Source: https://openid.net/specs/openid-connect-core-1_0.html#AuthError */
const EXPECTED = ['login_required', 'interaction_required', 'consent_required', 'account_selection_required'];
/** Entra ID shows its errors on pages with status 200. */
const ENTRA = /AADSTS\d+[^<"\\]*/;

/** Sends the request of a sign-in, as a browser would, and follows no redirect to a page where a person signs in.
 *  @param fetch returns redirects @returns what the provider says against it; undefined if it would have people sign in
 *  @throws what fetch throws; Error if the provider is out of order */
export async function refusedSignIn(
  configuration: Configuration,
  idp: ProviderConfig,
  redirectUri: string,
  fetch: GuardedFetch,
  scopes = idp.scopes,
): Promise<string | undefined> {
  const question = { state: newSecret(), nonce: newSecret(), verifier: newSecret(), hints: {} };
  const url = await signInUrl(configuration, idp, redirectUri, { ...question, scopes });
  let answer = await fetch(url, ASKING);
  const connector = locationOf(answer, url);
  // Dex judges the request at a connector, which is below its authorization endpoint.
  if (connector?.href.startsWith(`${url.origin}${url.pathname}/`) === true)
    answer = await fetch(connector, ASKING);
  const location = locationOf(answer, url);
  const said = location === undefined ? await onPage(answer) : inAddress(location);
  return said === undefined ? undefined : plainText(said).replace(/\s+/g, ' ').trim().slice(0, MAX_CHARS);
}

function locationOf({ headers }: Response, base: URL): URL | undefined {
  const location = headers.get('location');
  return location === null ? undefined : new URL(location, base);
}

function inAddress({ searchParams }: URL): string | undefined {
  const error = searchParams.get('error');
  if (error !== null && EXPECTED.includes(error)) return undefined;
  if (error !== null)
    return [error, searchParams.get('error_description')].filter((part) => part !== null).join(': ');
  // Google writes the error into a message of its own.
  const own = searchParams.get('authError');
  if (own === null) return undefined;
  return (
    Buffer.from(own, 'base64')
      .toString('latin1')
      .match(/[\x20-\x7e]{4,}/g) ?? []
  ).join(' ');
}

/** @throws Error if the provider is out of order */
async function onPage(answer: Response): Promise<string | undefined> {
  if (answer.status >= 500) throw new Error(`it answers HTTP ${answer.status}`);
  const text = await answer.text();
  const [ofEntra] = ENTRA.exec(text) ?? [];
  if (ofEntra !== undefined) return ofEntra;
  if (answer.status < 400) return undefined;
  return `HTTP ${answer.status}: ${inJson(text) ?? wordsOf(text)}`;
}

function inJson(text: string): string | undefined {
  const body = jsonIn(text);
  const { error, error_description: description } = isObject(body) ? body : {};
  return [error, description].filter((part) => typeof part === 'string').join(': ') || undefined;
}

/** The text of a page, without its title and tags. */
function wordsOf(page: string): string {
  return page
    .split('<')
    .map((part) => {
      const [tag = '', text] = part.split('>', 2);
      if (text === undefined) return part;
      return /^(?:script|style|title)\b/i.test(tag) ? '' : text;
    })
    .join(' ')
    .replace(/&(?:#39|apos|quot|amp|nbsp);/g, ' ');
}
