import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { endpointOf } from '../endpointOf.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { Failure, SIGN_IN_NEEDED } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { progressTo } from '../progressTo.ts';
import { authSettings } from './authSettings.ts';
import { identityOf } from './identityOf.ts';
import { refusalOf } from './refusalOf.ts';
import { signInHere } from './signInHere.ts';
import { TokenFile } from './tokenFile.ts';

interface Own {
  readonly silent?: boolean;
  /** False with --no-browser. */
  readonly browser?: boolean;
  readonly device?: boolean;
}

/** `pegboard auth login`. @throws Failure */
export async function logIn(invocation: Invocation): Promise<number> {
  const { silent, browser = true, device = false } = optionsOf<Own>(invocation);
  const say = progressTo(invocation);
  const endpoint = await endpointOf(invocation);
  const file = new TokenFile(invocation.directory, endpoint.url);
  if ((await file.read())?.access_token !== undefined && (await isAdmitted(invocation))) {
    say(`already signed in at ${endpoint.url} as ${await nameIn(file)}`);
    return 0;
  }
  const refusal = await refusalOf(invocation, endpoint);
  if (refusal === undefined) return wantsNone(invocation, endpoint);
  const settings = await authSettings(invocation);
  await signInHere(invocation, endpoint.url, {
    refusal,
    mayOpen: browser && !device && settings.mode === 'auto',
    isListening: !device,
    isSilent: silent ?? settings.silent,
  });
  say(`signed in at ${endpoint.url} as ${await nameIn(file)}`);
  return 0;
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

async function wantsNone(invocation: Invocation, { url }: NamedEndpoint): Promise<number> {
  await Gateway.apart(invocation, () => Promise.resolve());
  progressTo(invocation)(`${url} wants no sign-in`);
  return 0;
}

async function nameIn(file: TokenFile): Promise<string> {
  return identityOf((await file.read())?.id_token) ?? 'an unnamed person';
}
