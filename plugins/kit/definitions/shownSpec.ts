import { hideInUrl, hideInWords } from '../secrets/secretPlaces.ts';

/** The command or the URL of a server as it may be shown, without secrets. */
export function shownSpec({ command, url }: { readonly command?: unknown; readonly url?: unknown }): string {
  if (typeof url === 'string') return hideInUrl(url);
  return hideInWords([command ?? []].flat().map(String)).join(' ');
}
