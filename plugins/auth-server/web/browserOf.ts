import type { InboundRequest } from 'pegboard';
import { newSecret } from '../state/secrets.ts';

const LIFETIME_S = 3_600;

/** The cookie that tells one browser from another, so that a sign-in continues where it began. */
export interface Browser {
  readonly id: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The browser's own cookie, or a new one. @param isHttps the prefix __Host- needs it */
export function browserOf(request: InboundRequest, isHttps: boolean): Browser {
  const id = knownBrowser(request, isHttps) ?? newSecret(128);
  const secure = isHttps ? '; Secure' : '';
  const cookie = `${nameOf(isHttps)}=${id}; Path=/; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Lax${secure}`;
  return { id, headers: { 'set-cookie': cookie } };
}

/** @returns undefined without a cookie */
export function knownBrowser(request: InboundRequest, isHttps: boolean): string | undefined {
  const name = nameOf(isHttps);
  for (const pair of (request.header('cookie') ?? '').split(/; */)) {
    if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1, name.length + 101);
  }
  return undefined;
}

function nameOf(isHttps: boolean): string {
  return isHttps ? '__Host-pegboard-browser' : 'pegboard-browser';
}
