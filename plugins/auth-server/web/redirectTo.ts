import type { Reply } from 'pegboard';
import { linkPage } from './linkPage.ts';

/** The browser goes to an address with more parameters; the address keeps those that it has. */
export function redirectTo(
  address: string,
  params: Readonly<Record<string, string | undefined>>,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const url = new URL(address);
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) url.searchParams.append(name, value);
  // Browsers follow a redirect to an application only after a click, or not at all.
  if (!/^https?:$/.test(url.protocol)) {
    const page = linkPage(url.href);
    return { ...page, headers: { ...page.headers, ...headers } };
  }
  return { status: 302, headers: { location: url.href, ...headers } };
}
