import { hiderOf, plainText, secretsGiven } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { SignInFinder } from '../contracts/signIns.ts';
import type { ProbeTarget } from '../contracts/servers.ts';

const MAX_CHARS = 500;

/** How people sign in for a server that requires it: `{issuer, scopes?, registration, resource?, detail?}`, or `{detail}` with
 *  the reason why that is not known; undefined if no plugin finds it out. Source: requirement server.detect */
export async function signInMember(
  scope: Scope<unknown>,
  { url, headers, signal }: ProbeTarget,
  challenges: readonly string[],
): Promise<JsonObject | undefined> {
  const found = await scope.find(SignInFinder)?.find({ url, challenges, signal });
  if (found === undefined) return undefined;
  const hide = hiderOf(secretsGiven({ values: Object.entries(headers), url }));
  const shown = (text: string): string => plainText(hide(text)).slice(0, MAX_CHARS);
  if ('fault' in found) return { detail: shown(found.fault) };
  const { issuer, scopes, registration, resource, detail } = found.facts;
  return {
    issuer: shown(issuer),
    ...(scopes !== undefined && { scopes }),
    registration,
    ...(resource !== undefined && { resource: shown(resource) }),
    ...(detail !== undefined && { detail }),
  };
}
