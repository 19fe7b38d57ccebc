import { messageOf } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { Failure } from '../failure.ts';
import { authSettings } from '../signIn/authSettings.ts';
import { inTime } from '../signIn/inTime.ts';
import { openBrowser } from '../signIn/openBrowser.ts';
import { prepareSignIn } from '../signIn/prepareSignIn.ts';
import type { GatewaySignIn } from '../signIn/prepareSignIn.ts';
import { signInRefusal } from '../signIn/signInRefusal.ts';
import { silently } from '../signIn/silently.ts';
import { TokenFile } from '../signIn/tokenFile.ts';
import type { Request } from './messages.ts';
import { complete, standInResult } from './standIn.ts';

/** How long a link is good. */
const LINK_MS = 600_000;
const NAME = 'authenticate_pegboard';
const TOOL = {
  name: NAME,
  title: 'Sign in at Pegboard',
  description:
    'Begins the sign-in at the Pegboard gateway, whose tools are available afterwards. Returns a link: show it to the person, who opens it in a browser.',
  inputSchema: {
    type: 'object',
    properties: {
      answer: {
        type: 'string',
        description:
          'Only if the person says that the last page could not be loaded: the address of that page.',
      },
    },
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};
const SIGN_IN_FIRST = `A sign-in at the gateway is needed; call the tool ${NAME} first.`;
const STAND_IN = { tools: [TOOL], instructions: SIGN_IN_FIRST };
const NOT_FOUND = -32601;

export interface SignedOutEvents {
  /** Called when answer() is to be asked instead of the gateway. */
  readonly onSignedOut: (failure: Failure) => void;
  /** Called when the gateway accepts requests again. */
  readonly onSignedIn: () => void;
}

/** What a client sees of a gateway without a sign-in: one tool that begins the sign-in. */
export class SignedOut {
  readonly #invocation: Invocation;
  readonly #endpoint: NamedEndpoint;
  readonly #file: TokenFile;
  readonly #events: SignedOutEvents;
  /** The access token that was refused last. */
  #refused: string | undefined;
  #over: { readonly whenOver: Promise<void>; readonly end: () => void } | undefined;
  #entering: Promise<boolean> | undefined;
  #wasSilent = false;
  #link: { readonly url: string; readonly signIn: GatewaySignIn } | undefined;

  constructor(invocation: Invocation, endpoint: NamedEndpoint, events: SignedOutEvents) {
    this.#invocation = invocation;
    this.#endpoint = endpoint;
    this.#file = new TokenFile(invocation.directory, endpoint.url);
    this.#events = events;
  }

  get isActive(): boolean {
    return this.#over !== undefined;
  }

  /** Resolves at the sign-in, and at close(). */
  get whenOver(): Promise<void> {
    return this.#over?.whenOver ?? Promise.resolve();
  }

  /** The gateway wants a sign-in. @returns whether it is in force now; false: --silent has signed in @throws Failure if `auth.mode`
   *  forbids it */
  enter(failure: Failure): Promise<boolean> {
    this.#entering ??= this.#enter(failure).finally(() => (this.#entering = undefined));
    return this.#entering;
  }

  /** Whether another process has signed in meanwhile. */
  async isOver(): Promise<boolean> {
    // A file that cannot be read is reported when the tool is called.
    const token = (await this.#file.read().catch(() => undefined))?.access_token;
    if (token !== undefined && token !== this.#refused) this.#end();
    return !this.isActive;
  }

  /** @returns the response without its id */
  async answer(request: Request): Promise<JsonObject> {
    const result = await this.#resultOf(request);
    return result === undefined ? { error: { code: NOT_FOUND, message: SIGN_IN_FIRST } } : { result };
  }

  close(): void {
    const over = this.#over;
    this.#over = undefined;
    over?.end();
  }

  async #resultOf(request: Request): Promise<JsonObject | undefined> {
    if (request.method !== 'tools/call') return standInResult(request, STAND_IN);
    const { name, arguments: args } = (request.params ?? {}) as {
      name?: unknown;
      arguments?: { answer?: unknown };
    };
    return complete(
      request,
      name === NAME ? await this.#authenticate(args?.answer) : textOf(SIGN_IN_FIRST, true),
    );
  }

  async #enter(failure: Failure): Promise<boolean> {
    const { mode, silent } = await authSettings(this.#invocation);
    if (mode === 'none') throw failure;
    this.#refused = (await this.#file.read())?.access_token;
    const isSilent = optionsOf<{ silent?: boolean }>(this.#invocation).silent ?? silent;
    if (isSilent && mode === 'auto' && !this.#wasSilent && (await this.#silently())) return false;
    if (this.#over === undefined) {
      let end = (): void => undefined;
      const whenOver = new Promise<void>((resolve) => (end = resolve));
      this.#over = { whenOver, end };
      this.#events.onSignedOut(failure);
    }
    return true;
  }

  async #silently(): Promise<boolean> {
    this.#wasSilent = true;
    let signIn: GatewaySignIn | undefined;
    try {
      signIn = await this.#prepare();
      return signIn !== undefined && (await silently(this.#invocation, this.#endpoint.url, signIn));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // The tool reports it.
      return false;
    } finally {
      signIn?.close();
    }
  }

  /** @returns undefined if the gateway wants no sign-in any more @throws Failure */
  async #prepare(): Promise<GatewaySignIn | undefined> {
    const refusal = await signInRefusal(this.#invocation, this.#endpoint);
    if (refusal === undefined) return undefined;
    return prepareSignIn(this.#invocation, this.#endpoint.url, refusal, true);
  }

  /** @param answer the address of the last page, if the browser could not load it */
  async #authenticate(answer: unknown): Promise<JsonObject> {
    try {
      if (typeof answer === 'string' && this.#link !== undefined) {
        if (await this.#link.signIn.accept(answer)) return textOf('Signed in; the tools are available now.');
        return textOf('That is not the address of the last page of this sign-in.', true);
      }
      const url = this.#link?.url ?? (await this.#begin());
      if (url === undefined) return textOf('No sign-in is needed any more; the tools are available now.');
      return textOf(
        `Ask the person to open this link and sign in; the tools of the gateway are available afterwards:\n${url}`,
      );
    } catch (error) {
      return textOf(messageOf(error), true);
    }
  }

  async #begin(): Promise<string | undefined> {
    const signIn = await this.#prepare();
    if (signIn === undefined) {
      this.#end();
      return undefined;
    }
    const { url, done } = await signIn.begin();
    this.#link = { url, signIn };
    void this.#wait(done, signIn);
    const { mode } = await authSettings(this.#invocation);
    if (mode === 'auto') await openBrowser(url, this.#invocation.env);
    return url;
  }

  async #wait(done: Promise<void>, signIn: GatewaySignIn): Promise<void> {
    try {
      // It may also end without this link: by another process, or with the bridge.
      await inTime(Promise.race([done, this.whenOver]), LINK_MS, this.#invocation.cancel);
      this.#end();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#invocation.terminal.err(`pegboard: ${error.message}\n`);
    } finally {
      signIn.close();
      if (this.#link?.signIn === signIn) this.#link = undefined;
    }
  }

  #end(): void {
    const over = this.#over;
    this.#over = undefined;
    over?.end();
    if (over !== undefined) this.#events.onSignedIn();
  }
}

function textOf(text: string, isError = false): JsonObject {
  return { content: [{ type: 'text', text }], isError };
}
