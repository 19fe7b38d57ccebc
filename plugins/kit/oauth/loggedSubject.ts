const MAX_CHARS = 12;

/** The beginning of a subject for the log, which is for those who know their people: it may be an address. */
export function loggedSubject(subject: string): string {
  return subject.length > MAX_CHARS ? `${subject.slice(0, MAX_CHARS)}…` : subject;
}
