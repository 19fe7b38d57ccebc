import { setTimeout as wait } from 'node:timers/promises';
import { isObject, plainText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { signInFailed } from './authorization.ts';
import type { AuthorizationParts } from './authorization.ts';

/** Source: RFC 8628 §3.2, §3.5, in seconds */
const INTERVAL = { initial: 5, slower: 5 };
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';

/** What a person does in any browser. */
export interface BegunDevice {
  readonly url: string;
  readonly userCode: string;
  readonly lifetimeMs: number;
  /** Asks until the person has decided. @throws Failure (exit code 3) */
  readonly tokens: (signal: AbortSignal) => Promise<OAuthTokens>;
}

/** Asks for the codes of this device. Source: RFC 8628 §3.1 @param address of the device authorization endpoint
 *  @throws Failure (exit code 3) */
export async function beginDevice(
  address: string,
  { found, clientId, fetch }: Omit<AuthorizationParts, 'redirectUri'>,
): Promise<BegunDevice> {
  const { metadata, resource, scope } = found;
  const ask = async (url: string, form: Readonly<Record<string, string>>) => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ client_id: clientId, resource, ...form }),
    });
    const body: unknown = await answer.json().catch(() => undefined);
    return { status: answer.status, body: isObject(body) ? body : {} };
  };
  const { status, body } = await ask(address, scope === undefined ? {} : { scope });
  const {
    device_code: code,
    user_code,
    verification_uri,
    verification_uri_complete,
    expires_in,
    interval,
  } = body;
  if (status !== 200 || typeof code !== 'string' || typeof user_code !== 'string')
    throw refusalOf(status, body);
  return {
    url: textOf(verification_uri_complete ?? verification_uri),
    userCode: textOf(user_code),
    lifetimeMs: secondsOf(expires_in, 600) * 1_000,
    tokens: async (signal) => {
      for (let seconds = secondsOf(interval, INTERVAL.initial); ;) {
        await wait(seconds * 1_000, undefined, { signal });
        // A network that is away for a moment is asked again.
        const told = await ask(metadata.token_endpoint, { grant_type: GRANT_TYPE, device_code: code }).catch(
          () => undefined,
        );
        if (told?.status === 200) return told.body as unknown as OAuthTokens;
        if (told?.body['error'] === 'slow_down') seconds += INTERVAL.slower;
        else if (told !== undefined && told.status < 500 && told.body['error'] !== 'authorization_pending')
          throw refusalOf(told.status, told.body);
      }
    },
  };
}

function refusalOf(status: number, { error, error_description: why }: JsonObject): Error {
  return signInFailed(
    typeof why === 'string' ? why : `HTTP ${status}`,
    typeof error === 'string' ? error : '',
  );
}

function textOf(value: unknown): string {
  return plainText(typeof value === 'string' ? value : '').slice(0, 2_048);
}

function secondsOf(value: unknown, fallback: number): number {
  return typeof value === 'number' && value > 0 ? value : fallback;
}
