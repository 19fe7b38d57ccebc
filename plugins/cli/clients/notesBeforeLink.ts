import type { PlannedLink } from './linkClients.ts';

/** What the user should know before these files are written, one line each. */
export function notesBeforeLink(links: readonly PlannedLink[]): readonly string[] {
  return links
    .filter(({ place }) => place.scope === 'project')
    .map(
      ({ place: { path } }) => `${path} is shared with the project: everyone who works on it gets the change`,
    );
}
