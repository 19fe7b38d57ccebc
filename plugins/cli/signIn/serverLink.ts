import { isObject } from 'pegboard';
import { Failure, SIGN_IN_FAILED } from '../failure.ts';
import { textOf } from '../gateway.ts';
import type { Gateway } from '../gateway.ts';
import type { ServerSignIn } from './serverStatuses.ts';

const LOGIN = 'core_auth_login';
/** Links that take `redirect`, the address that the browser opens next. */
const CHAINABLE = '/oauth/proxy/start';
/** Browsers follow twenty redirects without a page, and a server takes up to six. */
const MAX_CHAINED = 3;

export interface ServerLink {
  readonly name: string;
  readonly url: string;
}

/** The gateway has given too many links, and gives the next in so many seconds. */
export class TooManyLinks extends Failure {
  readonly seconds: number;

  constructor(message: string, seconds: number) {
    super(message, SIGN_IN_FAILED);
    this.seconds = seconds;
  }
}

/** The link of a sign-in at a server; undefined if the gateway says that none is needed. @throws Failure with the gateway's words */
export async function serverLink(
  gateway: Gateway,
  { name, auth_tool: tool = LOGIN }: ServerSignIn,
): Promise<ServerLink | undefined> {
  const answer = await gateway.call(tool, { server: name });
  const text = textOf(answer);
  const { authUrl: given, retryAfter } = isObject(answer.structuredContent) ? answer.structuredContent : {};
  if (answer.isError === true && typeof retryAfter === 'number') throw new TooManyLinks(text, retryAfter);
  const edit = text.includes('its definition') ? ` Edit it with: pegboard edit server ${name}` : '';
  if (answer.isError === true) throw new Failure(text + edit, SIGN_IN_FAILED);
  const url = typeof given === 'string' ? given : /https?:\/\/\S+/.exec(text)?.[0];
  if (url === undefined) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Failure(`the gateway gave no address of a web page for ${name}`, SIGN_IN_FAILED);
  return { name, url: new URL(url).href };
}

/** Links that lead the browser from one sign-in to the next, each with some of the servers in this order. */
export function chains(links: readonly ServerLink[]): readonly (readonly ServerLink[])[] {
  const chainable = links.filter(({ url }) => new URL(url).pathname.endsWith(CHAINABLE));
  const others = links.filter((link) => !chainable.includes(link)).map((link) => [link]);
  const count = Math.ceil(chainable.length / MAX_CHAINED);
  const parts = Array.from({ length: count }, (_, at) =>
    chainable.slice(at * MAX_CHAINED, (at + 1) * MAX_CHAINED),
  );
  return [...parts, ...others];
}

/** The address that begins a chain. */
export function chainedUrl([first, ...rest]: readonly ServerLink[]): string {
  const url = new URL(first?.url ?? '');
  if (rest.length > 0) url.searchParams.set('redirect', chainedUrl(rest));
  return url.href;
}
