import { hideInUrl, hideInWords } from '../secrets/secretPlaces.ts';
import { targetKind } from './targetKind.ts';

/** What is to be added, as it may be shown in a line to type: nothing of JSON and links, which may hold secrets. */
export function shownTarget(target: readonly string[]): string {
  const [first = ''] = target;
  const kind = targetKind(first);
  if (kind === 'json') return "'{…}'";
  if (kind === 'link') return "'<the link>'";
  if (kind === 'url') return hideInUrl(first);
  const words = hideInWords(target).map((word) => (/[^\w@%+=:,./-]/.test(word) ? `'${word}'` : word));
  return target.length === 1 ? words.join(' ') : `-- ${words.join(' ')}`;
}
