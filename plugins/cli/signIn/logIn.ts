import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { endpointOf } from '../endpointOf.ts';
import { Failure, SIGN_IN_NEEDED } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { progressTo } from '../progressTo.ts';
import { authSettings } from './authSettings.ts';
import type { AuthSettings } from './authSettings.ts';
import { identityOf } from './identityOf.ts';
import { logInAtServers } from './logInAtServers.ts';
import { signInRefusal } from './signInRefusal.ts';
import { signInHere } from './signInHere.ts';
import { TokenFile } from './tokenFile.ts';

interface Own {
  readonly server?: string;
  readonly all?: boolean;
  readonly silent?: boolean;
  /** False with --no-browser. */
  readonly browser?: boolean;
  readonly device?: boolean;
}

/** `pegboard auth login`: at the gateway, if it wants that, then at servers. @throws Failure */
export async function logIn(invocation: Invocation): Promise<number> {
  const { server, all = false, browser = true, device = false } = optionsOf<Own>(invocation);
  if (server !== undefined && all) throw new Failure('--server and --all exclude each other');
  const settings = await authSettings(invocation);
  const mayOpen = browser && !device && settings.mode === 'auto';
  const isForServers = server !== undefined || all;
  const done = await logInAtGateway(invocation, settings, mayOpen);
  if (!isForServers || done.isNew) progressTo(invocation)(done.words);
  return isForServers ? logInAtServers(invocation, { server, mayOpen }) : 0;
}

interface Done {
  readonly isNew: boolean;
  readonly words: string;
}
async function logInAtGateway(
  invocation: Invocation,
  settings: AuthSettings,
  mayOpen: boolean,
): Promise<Done> {
  const { silent, device = false } = optionsOf<Own>(invocation);
  const endpoint = await endpointOf(invocation);
  const file = new TokenFile(invocation.directory, endpoint.url);
  if ((await file.read())?.access_token !== undefined && (await isAdmitted(invocation)))
    return { isNew: false, words: `already signed in at ${endpoint.url} as ${await nameIn(file)}` };
  const refusal = await signInRefusal(invocation, endpoint);
  if (refusal === undefined) {
    await Gateway.apart(invocation, () => Promise.resolve());
    return { isNew: false, words: `${endpoint.url} wants no sign-in` };
  }
  await signInHere(invocation, endpoint.url, {
    refusal,
    mayOpen,
    isListening: !device,
    isSilent: silent ?? settings.silent,
  });
  return { isNew: true, words: `signed in at ${endpoint.url} as ${await nameIn(file)}` };
}

/** Whether the gateway accepts what is stored. @throws Failure if there is another problem than the sign-in */
async function isAdmitted(invocation: Invocation): Promise<boolean> {
  try {
    await Gateway.apart(invocation, () => Promise.resolve());
    return true;
  } catch (error) {
    if (error instanceof Failure && error.exitCode === SIGN_IN_NEEDED) return false;
    throw error;
  }
}

async function nameIn(file: TokenFile): Promise<string> {
  return identityOf((await file.read())?.id_token) ?? 'an unnamed person';
}
