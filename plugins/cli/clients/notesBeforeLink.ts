import type { PlannedLink } from './linkClients.ts';

/** What the user should know before these files are written, one line each. */
export function notesBeforeLink(links: readonly PlannedLink[]): readonly string[] {
  return links.flatMap(({ place: { scope, path }, isPrivate }) => [
    ...(scope === 'project'
      ? [`${path} is shared with the project: everyone who works on it gets the change`]
      : []),
    ...(isPrivate ? [`${path} gets the local token of the gateway: only you can read it from then on`] : []),
  ]);
}
