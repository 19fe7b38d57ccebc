/** Dot segments, also as browsers and servers may decode them. */
const DOT_SEGMENT = /(^|[/\\])(\.|%2e){1,2}([/\\]|$)/i;
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const UNSAFE = /[\u0000-\u0020\u007f-\u009f\\]/;

/** Where a browser may be sent after a sign-in: the target, if it is at or below an entry of the allowlist.
 *  @returns undefined for any other. Source: requirement signIn.redirect */
export function acceptedRedirect(target: string, allowlist: readonly string[]): string | undefined {
  const asked = urlIn(target);
  if (asked === undefined) return undefined;
  const isAllowed = allowlist.some((entry) => {
    const allowed = urlIn(entry);
    return allowed !== undefined && asked.origin === allowed.origin && isBelow(asked, allowed);
  });
  return isAllowed ? asked.href : undefined;
}

/** Why an entry of the allowlist has no effect; undefined if it has. */
export function allowlistFault(entry: string): string | undefined {
  return urlIn(entry) === undefined
    ? 'is not an absolute http or https address without user information, fragment, backslashes and dot segments; it is ignored'
    : undefined;
}

/** As written, because parsing removes what is looked for. */
function urlIn(text: string): URL | undefined {
  if (!/^https?:\/\/[^/]/i.test(text) || UNSAFE.test(text) || text.includes('#')) return undefined;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?]*@/i.test(text)) return undefined;
  const path = text.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '';
  return DOT_SEGMENT.test(path) || /%2f|%5c/i.test(path) ? undefined : url;
}

function isBelow({ pathname }: URL, allowed: URL): boolean {
  const path = allowed.pathname.replace(/\/$/, '');
  return pathname === path || pathname.startsWith(`${path}/`);
}
