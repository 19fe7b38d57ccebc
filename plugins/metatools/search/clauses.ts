const SEPARATORS = /[,;.!?]\s|\s(?:and|then|und|et|y)\s/i;

/** The parts of a query that may each ask for a tool of its own: `create a branch and open a pull request`.
 *  Empty when there is only one; a part of one word says too little. */
export function clausesOf(query: string): readonly string[] {
  const clauses = query.split(SEPARATORS).filter((clause) => /\S\s+\S/.test(clause.trim()));
  return clauses.length > 1 ? clauses.slice(0, 4) : [];
}
