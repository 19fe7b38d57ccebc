import { plainText } from 'pegboard';
import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure, SIGN_IN_FAILED } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { printObject } from '../output/print.ts';
import { pauseFor } from '../pauseFor.ts';
import { progressTo } from '../progressTo.ts';
import { signInCommand } from '../signInNeeded.ts';
import { openBrowser } from './openBrowser.ts';
import { TooManyLinks, chainedUrl, chains, serverLink } from './serverLink.ts';
import type { ServerLink } from './serverLink.ts';
import {
  isSignedIn,
  takesGatewaySignIn,
  serverStatuses,
  statusNamed,
  wantsSignIn,
} from './serverStatuses.ts';
import type { ServerSignIn } from './serverStatuses.ts';

const LIMIT_MS = 120_000;
const POLL_MS = 500;
/** When the browser may have stopped between two sign-ins. */
const HINT_MS = 10_000;

export interface ServerWishes {
  /** Undefined: all that want a sign-in. */
  readonly server: string | undefined;
  /** Whether a browser may be opened. */
  readonly mayOpen: boolean;
}

/** `pegboard auth login --server S` and `--all`. @returns 0, or 3 if some sign-ins failed @throws Failure */
export async function logInAtServers(invocation: Invocation, wishes: ServerWishes): Promise<number> {
  try {
    return await signInAll(invocation, wishes);
  } catch (error) {
    if (invocation.cancel.reason === undefined) throw error;
    throw new Failure('interrupted', SIGN_IN_FAILED);
  }
}

function signInAll(invocation: Invocation, { server, mayOpen }: ServerWishes): Promise<number> {
  return Gateway.apart(invocation, async (gateway) => {
    const watched: Watched = { gateway, invocation, isAll: server === undefined };
    const before = await afterSingleSignOn(watched, server);
    const asked = server === undefined ? before : [statusNamed(before, server)];
    const wanted = asked.filter(wantsSignIn);
    if (wanted.length === 0) {
      if (server === undefined) progressTo(invocation)('no server wants a sign-in');
      else explain(watched, asked);
    }
    const { links, faults } = await linksOf(watched, wanted);
    for (const chain of chains(links)) {
      await offer(invocation, chain, mayOpen);
      await signedIn(watched, chain).catch(noteIn(faults, watched));
    }
    const after = await serverStatuses(gateway);
    report(
      watched,
      asked.map(({ name }) => statusNamed(after, name)),
    );
    for (const fault of faults) invocation.terminal.err(`pegboard: ${fault}\n`);
    return faults.length === 0 ? 0 : SIGN_IN_FAILED;
  });
}

interface Watched {
  readonly gateway: Gateway;
  readonly invocation: Invocation;
  readonly isAll: boolean;
}

/** Why there is nothing to sign in to at that server. @throws Failure if that is a fault */
function explain({ invocation }: Watched, [asked]: readonly ServerSignIn[]): void {
  if (asked === undefined) return;
  const say = progressTo(invocation);
  const { name, status, error = 'see: pegboard doctor' } = asked;
  if (asked.suspended === true)
    throw new Failure(`server ${name} is deactivated; start it first: pegboard start ${name}`);
  if (takesGatewaySignIn(asked))
    say(`server ${name} takes your sign-in at the gateway (single sign-on): there is no other one`);
  else if (status === 'connected') say(`server ${name} is connected already`);
  else throw new Failure(`server ${name} is ${status}: ${plainText(error)}`);
}

/** Gives single sign-on the time it may take. */
async function afterSingleSignOn(
  { gateway, invocation }: Watched,
  server: string | undefined,
): Promise<readonly ServerSignIn[]> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    const statuses = await serverStatuses(gateway);
    const isPending = statuses.some(
      ({ name, status }) => status === 'sso_pending' && (server ?? name) === name,
    );
    if (!isPending || Date.now() > end) return statuses;
    await pause(invocation);
  }
}

async function linksOf(watched: Watched, wanted: readonly ServerSignIn[]) {
  const links: ServerLink[] = [];
  const faults: string[] = [];
  for (const status of wanted) {
    const { name } = status;
    try {
      const link = await linkWhenAdmitted(watched, status);
      if (link === undefined) await withoutLink(watched, name);
      else links.push(link);
    } catch (error) {
      noteIn(faults, watched, `${name}: `)(error);
    }
  }
  return { links, faults };
}

/** Whether a sign-in without a link has happened, or was there before, is what the gateway says afterwards. @throws Failure (exit code 3) */
async function withoutLink({ gateway, invocation }: Watched, name: string): Promise<void> {
  const after = statusNamed(await serverStatuses(gateway), name);
  if (isSignedIn(after)) {
    progressTo(invocation)(`signed in already at ${name}`);
    return;
  }
  const { status, error = 'see: pegboard doctor' } = after;
  const what = `no sign-in is possible at ${name}, which is ${status}: ${plainText(error)}`;
  throw new Failure(`${what}; edit it with: pegboard edit server ${name}`, SIGN_IN_FAILED);
}

/** Notes what failed at some of all servers, in one line. @throws what ends the command */
function noteIn(faults: string[], { invocation, isAll }: Watched, where = ''): (error: unknown) => void {
  return (error) => {
    if (!isAll || !(error instanceof Failure) || invocation.cancel.reason !== undefined) throw error;
    faults.push(where + plainText(error.message).replace(/\s+/g, ' '));
  };
}

/** As serverLink(), after the wait that the gateway asks for. @throws Failure */
async function linkWhenAdmitted(
  { gateway, invocation }: Watched,
  status: ServerSignIn,
): Promise<ServerLink | undefined> {
  const end = Date.now() + LIMIT_MS;
  for (;;) {
    try {
      return await serverLink(gateway, status);
    } catch (error) {
      if (!(error instanceof TooManyLinks) || Date.now() + error.seconds * 1_000 > end) throw error;
      const seconds = Math.ceil(error.seconds);
      progressTo(invocation)(`the gateway admits the next sign-in in ${seconds} s; waiting`);
      await pause(invocation, error.seconds * 1_000);
    }
  }
}

/** Opens the first page of a chain, or shows its address. */
async function offer(invocation: Invocation, chain: readonly ServerLink[], mayOpen: boolean): Promise<void> {
  const names = chain.map(({ name }) => name).join(', ');
  const url = chainedUrl(chain);
  if (mayOpen && (await openBrowser(url, invocation.env))) {
    const elsewhere = `If it did not open, open this address:\n\n  ${url}\n`;
    progressTo(invocation)(`Sign in at ${names} in the browser. ${elsewhere}`);
  } else invocation.terminal.err(`To sign in at ${names}, open this address in a browser:\n\n  ${url}\n\n`);
}

/** Waits until the servers of a chain are signed in to, two minutes for each. @throws Failure (exit code 3) */
async function signedIn(watched: Watched, chain: readonly ServerLink[]): Promise<void> {
  const { gateway, invocation } = watched;
  let waiting = chain;
  let since = Date.now();
  let isHinted = true;
  let told = new Map<string, string | undefined>();
  for (;;) {
    const statuses = await serverStatuses(gateway);
    told = tellFaults(watched, waiting, { statuses, told });
    const done = waiting.filter(({ name }) => isSignedIn(statusNamed(statuses, name)));
    for (const { name } of done) progressTo(invocation)(`signed in at ${name}`);
    if (done.length > 0) {
      waiting = waiting.filter((link) => !done.includes(link));
      [since, isHinted] = [Date.now(), false];
    }
    const [next] = waiting;
    if (next === undefined) return;
    if (!isHinted && Date.now() > since + HINT_MS) {
      isHinted = true;
      progressTo(invocation)(`If the browser shows no other page, open:\n\n  ${chainedUrl(waiting)}\n`);
    }
    if (Date.now() > since + LIMIT_MS) throw late(watched, waiting);
    await pause(invocation);
  }
}

interface Told {
  readonly statuses: readonly ServerSignIn[];
  /** What each server lacked before, by name. */
  readonly told: ReadonlyMap<string, string | undefined>;
}

/** Says what has become wrong at a server: its page is where a person corrects it. */
function tellFaults({ invocation }: Watched, waiting: readonly ServerLink[], { statuses, told }: Told) {
  const errors = waiting.map(({ name }) => [name, statusNamed(statuses, name).error] as const);
  for (const [name, error] of errors)
    if (error !== undefined && told.has(name) && told.get(name) !== error)
      progressTo(invocation)(`${name}: ${plainText(error)}; correct it in the browser`);
  return new Map(errors);
}

function late({ gateway, isAll }: Watched, waiting: readonly ServerLink[]): Failure {
  const names = waiting.map(({ name }) => name).join(', ');
  const command = `${signInCommand(gateway.endpoint)} ${isAll ? '--all' : `--server ${names}`}`;
  return new Failure(
    `no sign-in at ${names} within ${LIMIT_MS / 60_000} minutes; try again: ${command}`,
    SIGN_IN_FAILED,
  );
}

function report({ gateway, invocation, isAll }: Watched, statuses: readonly ServerSignIn[]): void {
  const { output } = optionsOf(invocation);
  const say = progressTo(invocation);
  if (isAll) {
    for (const { name } of statuses.filter((one) => one.sso_attempt_failed === true))
      say(
        `single sign-on failed at ${name}; sign in at the gateway again: ${signInCommand(gateway.endpoint)}`,
      );
  }
  if (output === 'table' || output === 'wide') return;
  const names = statuses.map(({ name }) => name).join('\n');
  printObject(invocation, { endpoint: gateway.endpoint.url, servers: statuses }, names);
}

/** @throws Failure at Ctrl-C */
async function pause({ cancel }: Invocation, ms = POLL_MS): Promise<void> {
  await pauseFor(ms, cancel);
  if (cancel.reason !== undefined) throw new Failure('interrupted');
}
