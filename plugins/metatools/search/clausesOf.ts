const CLAUSE_ENDS = /[,;.!?]\s|\s(?:and|then|und|et|y)\s/i;
const SENTENCE_ENDS = /[.!?;]\s/;
const MAX_CLAUSES = 6;

/** The needs of a query that may each want a different tool: its sentences, or the clauses of one sentence. Empty if there is
 *  only one; those of one word are ignored. */
export function clausesOf(query: string): readonly string[] {
  for (const ends of [SENTENCE_ENDS, CLAUSE_ENDS]) {
    const needs = query.split(ends).filter((need) => /\S\s+\S/.test(need.trim()));
    if (needs.length > 1) return needs.slice(0, MAX_CLAUSES);
  }
  return [];
}
