import { createInterface } from 'node:readline';
import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { Failure, SIGN_IN_FAILED, SIGN_IN_NEEDED } from '../failure.ts';
import { inTime } from './inTime.ts';
import { browserCommand, openBrowser } from './openBrowser.ts';
import { prepareSignIn } from './prepareSignIn.ts';
import type { BegunDeviceSignIn, BegunSignIn, GatewaySignIn } from './prepareSignIn.ts';
import { silently } from './silently.ts';

const INTERACTIVE_MS = 600_000;

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

/** Signs in the person at this terminal, or whose desktop this is. @throws Failure (exit code 2: there is no way to ask here; 3: it failed) */
export async function signInHere(
  invocation: Invocation,
  endpoint: string,
  { refusal, mayOpen, isListening, isSilent }: SignInWishes,
): Promise<void> {
  const canOpen = mayOpen && browserCommand(invocation.env, process.platform) !== undefined;
  // Who wants the address alone opens it elsewhere, also where there is nothing to paste on.
  const isAnswerable = canOpen || (isListening && !mayOpen);
  if (!isAnswerable && isListening) needTerminal(invocation);
  const signIn = await prepareSignIn(invocation, endpoint, refusal, isListening);
  try {
    if (!isListening && signIn.device !== undefined) {
      await byCode(invocation, endpoint, await signIn.device());
      return;
    }
    if (!isAnswerable) needTerminal(invocation);
    if (isSilent && canOpen && (await silently(invocation, endpoint, signIn))) return;
    await signInInteractively(invocation, endpoint, { signIn, canOpen, isListening });
  } finally {
    signIn.close();
  }
}

/** The person types a code in any browser. Needs no terminal to read from. */
async function byCode(
  { terminal, cancel }: Invocation,
  endpoint: string,
  { url, userCode, lifetimeMs, done }: BegunDeviceSignIn,
): Promise<void> {
  terminal.err(
    `To sign in at ${endpoint}, open this address in any browser:\n\n  ${url}\n\nand check that it shows the code ${userCode}. Waiting for you there.\n`,
  );
  const waiting = new AbortController();
  try {
    await inTime(done(waiting.signal), lifetimeMs, cancel);
  } finally {
    waiting.abort();
  }
}

function needTerminal({ terminal }: Invocation): void {
  if (terminal.input.isTTY === true) return;
  const problem = 'no browser can be opened here, and standard input is not a terminal to ask on';
  const cures =
    'run it in a terminal, where --device shows an address for any browser, or with --no-browser for a browser of this machine';
  throw new Failure(`${problem}; ${cures}`, SIGN_IN_NEEDED);
}

interface Interactive {
  readonly signIn: GatewaySignIn;
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
  } else if (canOpen || terminal.input.isTTY === true) {
    needTerminal(invocation);
    const paste = 'paste the address of that page, or its code, here';
    const how = isListening
      ? `If the browser is on another machine, its last page cannot be loaded: ${paste}.`
      : `The last page cannot be loaded: ${paste}.`;
    terminal.err(`To sign in at ${endpoint}, open this address in a browser:\n\n  ${begun.url}\n\n${how}\n`);
  } else {
    const { port } = new URL(signIn.redirectUri);
    terminal.err(
      `To sign in at ${endpoint}, open this address in a browser of this machine:\n\n  ${begun.url}\n\nWaiting ten minutes for it at port ${port}. For a browser on another machine, type there first: ssh -L ${port}:127.0.0.1:${port} <this machine>\n`,
    );
  }
  await answered(invocation, begun, { signIn, isListening });
}

/** Waits for the browser or for a pasted line, whichever comes first. */
async function answered(
  invocation: Invocation,
  { done }: BegunSignIn,
  { signIn, isListening }: Omit<Interactive, 'canOpen'>,
): Promise<void> {
  const { terminal } = invocation;
  if (terminal.input.isTTY !== true) return inTime(done, INTERACTIVE_MS, invocation.cancel);
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
    await inTime(Promise.race([done, closed]), INTERACTIVE_MS, invocation.cancel);
  } finally {
    lines.close();
  }
}
