/** Signing in at a gateway whose identity provider has no pages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { REDIRECT, SignInClient, registerAt, tokensOf } from '../support/authServer.ts';
import { codeOf } from './quickProvider.ts';
import type { QuickProvider } from './quickProvider.ts';

const RETRY_MS = 50;

/** The configuration of a gateway with sign-in. */
export function writeSettings(directory: string, provider: QuickProvider, plugins: object = {}): void {
  const rateLimits = { perAddress: 1_000_000, perClient: 1_000_000, perPerson: 1_000_000 };
  const server = { enabled: true, baseUrl: 'http://localhost:1', idp: provider.config, rateLimits };
  const aggregator = { oauth: { server } };
  writeFileSync(join(directory, 'config.yaml'), JSON.stringify({ aggregator, plugins }));
}

/** A registered client, once the gateway has found its provider. */
export async function clientOf(origin: string): Promise<SignInClient> {
  const client = new SignInClient(origin, await registerAt(origin));
  for (;;) {
    const { status } = await client.open(client.authorizeUrl());
    if (status === 302) return client;
    if (status !== 503) throw new Error(`/oauth/authorize answered ${status}`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** @returns the access token of that person, used once */
export async function signInAs(client: SignInClient, subject: string): Promise<string> {
  const begun = await client.open(client.authorizeUrl());
  const atProvider = new URL(begun.headers.get('location') ?? '').searchParams;
  const [state, nonce] = [atProvider.get('state') ?? '', atProvider.get('nonce') ?? ''];
  const query = new URLSearchParams({ state, code: codeOf({ subject, nonce }) });
  const back = await client.open(`${client.base}/oauth/callback?${query.toString()}`);
  const target = new URL(back.headers.get('location') ?? REDIRECT).searchParams;
  const { access } = tokensOf(await client.redeem(target.get('code') ?? ''));
  const headers = { authorization: `Bearer ${access}` };
  const { status } = await client.open(`${client.base}/oauth/userinfo`, undefined, headers);
  if (status !== 200) throw new Error(`/oauth/userinfo answered ${status}`);
  return access;
}
