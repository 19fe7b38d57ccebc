import { randomInt } from 'node:crypto';
import { messageOf } from 'pegboard';
import type { Invocation, Reply } from 'pegboard';
import type { OAuthTokens } from '@modelcontextprotocol/client';
import { html, page } from '../../kit/http/page.ts';
import { Failure, SIGN_IN_FAILED } from '../failure.ts';
import { reasonOf } from '../reasonOf.ts';
import { authSettings } from './authSettings.ts';
import { Authorization } from './authorization.ts';
import type { Hints } from './authorization.ts';
import { CallbackListener, callbackAt } from './callbackListener.ts';
import { clientId } from './clientId.ts';
import { beginDevice } from './beginDevice.ts';
import type { BegunDevice } from './beginDevice.ts';
import { deviceAddressOf, discoverSignIn } from './discoverSignIn.ts';
import { oauthFetch } from './oauthFetch.ts';
import { TokenFile, newTokens, gatewayOf } from './tokenFile.ts';

/** A sign-in at a gateway: one client, one redirect URI, one authorization request at a time. */
export interface GatewaySignIn {
  /** Where the browser comes back to. */
  readonly redirectUri: string;
  /** Begins an authorization request; a former one is not waited for any more. */
  begin(hints?: Hints): Promise<BegunSignIn>;
  /** Takes what a person pasted: the address of the last page, or its code. @returns whether it belongs to the request */
  accept(pasted: string): Promise<boolean>;
  /** Signs in by a code that a person types in any browser; undefined where that is not possible. */
  readonly device: (() => Promise<BegunDeviceSignIn>) | undefined;
  close(): void;
}
export interface BegunSignIn {
  /** The URL that is to be opened in a browser. */
  readonly url: string;
  /** Resolves once the tokens are stored. Rejects with a Failure (exit code 3). */
  readonly done: Promise<void>;
}

export interface BegunDeviceSignIn extends Pick<BegunDevice, 'url' | 'userCode' | 'lifetimeMs'> {
  /** Resolves once the tokens are stored. Rejects with a Failure (exit code 3). */
  readonly done: (signal: AbortSignal) => Promise<void>;
}

interface Current {
  readonly authorization: Authorization;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

const FIRST_PORT = 49_152;
const LAST_PORT = 65_535;
const OTHER = page(
  'Not this sign-in',
  html`<p>This page does not belong to the sign-in that is under way. It was ignored.</p>
    <p>Use the page that the terminal opened last, or begin again with <code>pegboard auth login</code>.</p>`,
  { status: 400 },
);

/** Finds out where to sign in, and as which client. @throws Failure (exit code 3)
 *  @param refusal the gateway's response with status 401
 *  @param isListening false: the answer will be pasted */
export async function prepareSignIn(
  invocation: Invocation,
  endpoint: string,
  refusal: Response,
  isListening: boolean,
): Promise<GatewaySignIn> {
  const fetch = await oauthFetch(invocation);
  const found = await discoverSignIn(endpoint, refusal, fetch);
  const file = new TokenFile(invocation.directory, endpoint);
  const stored = await file.read();
  const { callbackPort } = await authSettings(invocation);
  const formerPort = Number(new URL(stored?.redirect_uri ?? callbackAt(0)).port);
  let current: Current | undefined;

  const store = async (tokens: OAuthTokens): Promise<void> => {
    const facts = { server_url: gatewayOf(endpoint), client_id: client, redirect_uri: redirectUri };
    await file.locked(() => file.write(newTokens(tokens, { ...facts, ...placeOf(found) })));
  };
  const finish = async (redeem: (one: Authorization) => Promise<OAuthTokens>): Promise<Reply> => {
    if (current === undefined) return OTHER;
    const { authorization, resolve, reject } = current;
    // A code is good for one attempt.
    current = undefined;
    try {
      await store(await redeem(authorization));
      resolve();
      return donePage(endpoint);
    } catch (error) {
      reject(error);
      return failedPage(messageOf(error));
    }
  };
  const receive = (params: URLSearchParams): Promise<Reply> =>
    current?.authorization.isAnsweredBy(params) === true
      ? finish((authorization) => authorization.redeem(params))
      : Promise.resolve(OTHER);

  const listener = isListening ? await listen(callbackPort, formerPort, receive) : undefined;
  const port = callbackPort || formerPort || randomInt(FIRST_PORT, LAST_PORT);
  const redirectUri = listener?.redirectUri ?? callbackAt(port);
  const close = (): void => listener?.close();
  const client = await clientId({ found, redirectUri, stored, fetch }).catch((error: unknown) => {
    close();
    if (error instanceof Failure) throw error;
    throw new Failure(`cannot sign in at ${endpoint}: ${reasonOf(error)}`, SIGN_IN_FAILED);
  });
  const deviceAddress = deviceAddressOf(found.metadata);
  const device = async (address: string): Promise<BegunDeviceSignIn> => {
    const { tokens, ...begun } = await beginDevice(address, { found, clientId: client, fetch });
    return { ...begun, done: async (signal) => store(await tokens(signal)) };
  };
  return {
    redirectUri,
    device: deviceAddress === undefined ? undefined : () => device(deviceAddress),
    begin: async (hints) => {
      const authorization = await Authorization.begin({ found, clientId: client, redirectUri, fetch }, hints);
      const done = new Promise<void>((resolve, reject) => (current = { authorization, resolve, reject }));
      done.catch(() => undefined);
      return { url: authorization.url, done };
    },
    accept: async (pasted) => {
      const params = paramsIn(pasted);
      const shown = await (params === undefined
        ? finish((authorization) => authorization.redeemCode(pasted.trim()))
        : receive(params));
      return shown !== OTHER;
    },
    close,
  };
}

function donePage(endpoint: string): Reply {
  return page(
    'Signed in',
    html`<p>You are signed in at <strong>${endpoint}</strong>.</p>
      <p>You can close this page and return to the terminal.</p>`,
  );
}

/** @param fault may hold words of the authorization server */
function failedPage(fault: string): Reply {
  return page(
    'You are not signed in',
    html`<p class="fault">${fault}</p>
      <p>You can close this page and begin again in the terminal.</p>`,
    { status: 400 },
  );
}

/** The port of the last sign-in, whose client is registered for it, if that is free. @throws Failure if the configured one is not */
async function listen(
  configured: number,
  former: number,
  receive: (params: URLSearchParams) => Promise<Reply>,
): Promise<CallbackListener> {
  try {
    return await CallbackListener.open(configured || former, receive);
  } catch (error) {
    if (configured === 0 && former !== 0) return listen(0, 0, receive);
    const fix = configured === 0 ? '' : '; free that port, or change auth.callbackPort in config.yaml';
    throw new Failure(`cannot wait for the browser: ${messageOf(error)}${fix}`, SIGN_IN_FAILED);
  }
}

/** The parameters of a pasted address; undefined for a code alone. */
function paramsIn(pasted: string): URLSearchParams | undefined {
  const text = pasted.trim();
  if (URL.canParse(text)) return new URL(text).searchParams;
  return text.includes('code=') || text.includes('error=') ? new URLSearchParams(text) : undefined;
}

function placeOf({ metadata, resource }: Awaited<ReturnType<typeof discoverSignIn>>) {
  const { issuer, token_endpoint } = metadata;
  const { revocation_endpoint } = metadata as { readonly revocation_endpoint?: string };
  return {
    issuer_url: issuer,
    token_endpoint,
    ...(revocation_endpoint !== undefined && { revocation_endpoint }),
    resource,
  };
}
