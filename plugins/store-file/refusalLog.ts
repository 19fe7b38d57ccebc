import { isError } from 'pegboard';
import type { ConfigControl, Issue, Log, ReloadReport, Resource } from 'pegboard';

/** Logs, once each, what happens to a definition that is refused, and when it is valid again.
 *  @returns the function to call with the report of each reload */
export function refusalLog(log: Log, isStrict: () => boolean) {
  let logged = new Map<string, Issue>();
  return ({ issues }: ReloadReport, control: ConfigControl): void => {
    const refused = new Map<string, Issue>();
    for (const issue of issues) if (isError(issue) && issue.definition) refused.set(placeOf(issue), issue);
    for (const [place, issue] of refused) {
      if (!logged.has(place)) log.warn(fateOf(issue, control, isStrict()), { at: place });
    }
    for (const [place, issue] of logged) {
      const now = refused.has(place) ? undefined : inForce(issue, control);
      if (now !== undefined) log.warn(`${now.kind} ${now.name} is valid again and in force`, { at: place });
    }
    logged = refused;
  };
}

function fateOf(issue: Issue, control: ConfigControl, isStrict: boolean): string {
  const { kind = '', name = '' } = issue.definition ?? {};
  const stays = inForce(issue, control) !== undefined;
  if (isStrict)
    return `${kind} ${name}: ${stays ? 'the last good version stays' : 'it is left out'}; the next start fails`;
  return stays
    ? `${kind} ${name}: the last good version stays; the next start leaves it out`
    : `${kind} ${name} is left out until its file is corrected`;
}

/** The definition in force from the file of an issue; while the file is broken, its name may not be known. */
function inForce({ definition, file }: Issue, control: ConfigControl): Resource | undefined {
  if (definition === undefined) return undefined;
  return control
    .resources(definition.kind)
    .find(({ name, origin }) =>
      file === undefined ? name === definition.name : origin.locate([]).file === file,
    );
}

function placeOf({ file, definition }: Issue): string {
  return file ?? `${definition?.kind ?? ''} ${definition?.name ?? ''}`;
}
