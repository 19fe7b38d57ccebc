import { createInterface } from 'node:readline';
import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure, SIGN_IN_FAILED, SIGN_IN_NEEDED } from '../failure.ts';
import { progressTo } from '../progressTo.ts';
import type { Hints } from './authorization.ts';
import { claimsOf } from './claimsOf.ts';
import { browserCommand, openBrowser } from './openBrowser.ts';
import { prepareSignIn } from './prepareSignIn.ts';
import type { Begun, SignIn } from './prepareSignIn.ts';
import { TokenFile } from './tokenFile.ts';

const INTERACTIVE_MS = 600_000;
const SILENT_MS = 15_000;

export interface SignInWishes {
  /** The gateway's response with status 401. */
  readonly refusal: Response;
  /** Whether a browser may be opened. */
  readonly mayOpen: boolean;
  /** False: the browser is on another machine. */
  readonly isListening: boolean;
  /** Try first without a question to the person. */
  readonly isSilent: boolean;
}

/** Signs in the person at this terminal, or whose desktop this is. @throws Failure (exit code 2: no person can be asked here; 3: it failed) */
export async function signInHere(
  invocation: Invocation,
  endpoint: string,
  { refusal, mayOpen, isListening, isSilent }: SignInWishes,
): Promise<void> {
  const canOpen = mayOpen && browserCommand(invocation.env, process.platform) !== undefined;
  if (!canOpen) needTerminal(invocation);
  const signIn = await prepareSignIn(invocation, endpoint, { refusal, isListening });
  try {
    if (isSilent && canOpen && (await signedInSilently(invocation, endpoint, signIn))) return;
    await signInInteractively(invocation, endpoint, { signIn, canOpen, isListening });
  } finally {
    signIn.close();
  }
}

function needTerminal({ terminal }: Invocation): void {
  if (terminal.input.isTTY === true) return;
  const problem = 'no browser can be opened here, and standard input is not a terminal to ask on';
  throw new Failure(
    `${problem}; run it in a terminal, where --device shows an address for any browser`,
    SIGN_IN_NEEDED,
  );
}

/** @returns whether it succeeded; any failure only means that the person has to be asked */
async function signedInSilently(invocation: Invocation, endpoint: string, signIn: SignIn): Promise<boolean> {
  const stored = await new TokenFile(invocation.directory, endpoint).read();
  if (stored?.id_token === undefined) return false;
  const say = progressTo(invocation);
  try {
    const hints = hintsOf(stored.id_token);
    const { url, done } = await signIn.begin(hints);
    if (!(await openBrowser(url, invocation.env))) return false;
    await inTime(done, { ms: SILENT_MS, invocation });
    return true;
  } catch (error) {
    if (!(error instanceof Failure) || invocation.cancel.reason !== undefined) throw error;
    say(`not possible without a question (${error.message})`);
    return false;
  }
}

/** Source: https://openid.net/specs/openid-connect-core-1_0.html#AuthRequest */
function hintsOf(idToken: string): Hints {
  const { email, preferred_username: name } = claimsOf(idToken);
  const hint = email ?? name;
  return {
    prompt: 'none',
    id_token_hint: idToken,
    login_hint: typeof hint === 'string' ? hint : undefined,
  };
}

interface Interactive {
  readonly signIn: SignIn;
  readonly canOpen: boolean;
  readonly isListening: boolean;
}
async function signInInteractively(
  invocation: Invocation,
  endpoint: string,
  { signIn, canOpen, isListening }: Interactive,
): Promise<void> {
  const { terminal, env } = invocation;
  const begun = await signIn.begin();
  if (canOpen && (await openBrowser(begun.url, env))) {
    if (optionsOf(invocation).quiet !== true)
      terminal.err(
        `Sign in at ${endpoint} in the browser. If it did not open, open this address:\n\n  ${begun.url}\n\n`,
      );
  } else {
    needTerminal(invocation);
    const paste = 'paste the address of that page, or its code, here';
    const how = isListening
      ? `If the browser is on another machine, its last page cannot be loaded: ${paste}.`
      : `The last page cannot be loaded: ${paste}.`;
    terminal.err(`To sign in at ${endpoint}, open this address in a browser:\n\n  ${begun.url}\n\n${how}\n`);
  }
  await answered(invocation, begun, { signIn, isListening });
}

/** Waits for the browser or for a pasted line, whichever comes first. */
async function answered(
  invocation: Invocation,
  { done }: Begun,
  { signIn, isListening }: Omit<Interactive, 'canOpen'>,
): Promise<void> {
  const { terminal } = invocation;
  if (terminal.input.isTTY !== true) return inTime(done, { ms: INTERACTIVE_MS, invocation });
  const lines = createInterface({ input: terminal.input });
  const take = async (line: string): Promise<void> => {
    if (line.trim() === '' || (await signIn.accept(line))) return;
    terminal.err('That is not the answer to this sign-in; paste the whole address of the last page.\n');
  };
  lines.on('line', (line) => void take(line));
  const closed = new Promise<never>((_, reject) => {
    lines.once('close', () => {
      if (!isListening) reject(new Failure('nothing was pasted', SIGN_IN_FAILED));
    });
  });
  closed.catch(() => undefined);
  try {
    await inTime(Promise.race([done, closed]), { ms: INTERACTIVE_MS, invocation });
  } finally {
    lines.close();
  }
}

/** @throws Failure at the end of the time and at Ctrl-C */
async function inTime(
  done: Promise<void>,
  { ms, invocation }: { readonly ms: number; readonly invocation: Invocation },
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let forget: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure(`no answer within ${ms / 1_000} s`, SIGN_IN_FAILED)), ms);
    forget = invocation.cancel.onCancel(() => reject(new Failure('interrupted', SIGN_IN_FAILED)));
  });
  try {
    await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
    forget?.();
  }
}
