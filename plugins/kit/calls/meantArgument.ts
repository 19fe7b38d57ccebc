/** What models call arguments of meta-tools otherwise, each in lower case without separators. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  query: 'q search searchquery text task keyword keywords intent prompt question term terms need',
  limit: 'max count topk n k size maxresults numresults pagesize',
  offset: 'skip start from',
  name: 'tool toolname toolid function functionname prompt promptname',
  arguments: 'args argument params parameters input inputs kwargs toolarguments toolinput toolargs payload',
  uri: 'url resource resourceuri',
  handle: 'result resultid resulthandle',
};
const MEANT_BY_OTHER: ReadonlyMap<string, readonly string[]> = inverted(OTHER_NAMES);

/** The argument that a model means by another name, among those that it may give; undefined if there is none. */
export function meantArgument(key: string, free: readonly string[]): string | undefined {
  const word = key
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  return MEANT_BY_OTHER.get(word)?.find((meant) => free.includes(meant));
}

function inverted(names: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const meantBy = new Map<string, readonly string[]>();
  for (const [meant, others] of Object.entries(names))
    for (const other of others.split(' ')) meantBy.set(other, [...(meantBy.get(other) ?? []), meant]);
  return meantBy;
}
