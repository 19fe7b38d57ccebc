import { messageOf } from 'pegboard';
import type { SignInFacts, SignInFound, SignInQuestion } from '../../contracts/signIns.ts';
import { parseChallenges, signInHint } from './challenge.ts';
import { Networks, SignInFault } from './network.ts';
import type { Network, Outside } from './network.ts';
import { resourceMetadata } from './resourceMetadata.ts';
import { scopesIn } from './scopesIn.ts';
import { assumedMetadata, olderMetadata, pinnedMetadata, serverMetadata } from './serverMetadata.ts';
import type { Pinned } from './serverMetadata.ts';

const ASSUMED =
  'neither the server nor its origin publishes metadata; these are the addresses of revision 2025-03-26, and the server may want headers instead';
const OLDER =
  'the server publishes no resource metadata: its origin is the authorization server, as in revision 2025-03-26';

/** Never rejects because of what is found. Source: RFC 9728 §5; MCP 2025-11-25, Authorization */
export async function findSignIn(question: SignInQuestion, outside: Outside): Promise<SignInFound> {
  const { url, challenges, issuer, isFar, signal } = question;
  const networks = new Networks(outside, signal);
  try {
    if (issuer !== undefined) {
      const pinned = { ...question, issuer };
      return {
        facts: await factsAboutPinned(pinned, challenges, (base) => networks.of({ url: base.href, isFar })),
      };
    }
    return { facts: await factsAbout(networks.of({ url, isFar }), challenges) };
  } catch (error) {
    if (signal.aborted) return { fault: messageOf(signal.reason) };
    if (error instanceof SignInFault) return { fault: error.message };
    throw error;
  }
}

/** What servers publish about their resource does not count: it could name another issuer. @throws SignInFault, or the reason of the signal */
async function factsAboutPinned(
  pinned: Pinned,
  lines: readonly string[],
  networkAt: (base: URL) => Network,
): Promise<SignInFacts> {
  const hint = signInHint(parseChallenges(lines));
  const found = await pinnedMetadata(pinned, networkAt);
  return { ...found, ...withScopes(scopesIn(hint?.scope)), isOlder: false, isAssumed: false };
}

/** @throws SignInFault, or the reason of the signal */
async function factsAbout(network: Network, lines: readonly string[]): Promise<SignInFacts> {
  const challenges = parseChallenges(lines);
  const hint = signInHint(challenges);
  const published = await resourceMetadata(network, hint?.resourceMetadata);
  const asked = scopesIn(hint?.scope);
  if (published !== undefined) {
    const { resource, scopes, issuers } = published;
    const [issuer, ...others] = issuers;
    return {
      ...(await serverMetadata(network, issuer)),
      ...withScopes(asked.length > 0 ? asked : scopes),
      resource,
      isOlder: false,
      isAssumed: false,
      ...(others.length > 0 && { detail: `the first of ${issuers.length} authorization servers` }),
    };
  }
  const [other] = challenges;
  if (hint === undefined && other !== undefined)
    throw new SignInFault(`the server wants credentials of the scheme ${other.scheme}, not a sign-in`);
  const older = await olderMetadata(network);
  return {
    ...(older ?? assumedMetadata(network.server)),
    ...withScopes(asked),
    isOlder: true,
    isAssumed: older === undefined,
    detail: older === undefined ? ASSUMED : OLDER,
  };
}

function withScopes(scopes: readonly string[]): Pick<SignInFacts, 'scopes'> {
  return scopes.length > 0 ? { scopes } : {};
}
