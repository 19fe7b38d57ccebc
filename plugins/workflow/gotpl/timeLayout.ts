/** A piece of a layout: literal text, then a token such as `2006`; the last piece has none. */
export interface LayoutPiece {
  readonly prefix: string;
  readonly token: string;
}

const TOKEN =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|0[1-6]|002|15|1|2006|2|_2(?!006)|__2|3|4|5|PM|pm|[-Z]07(?::00:00|0000|:00|00)?|[.,](?:0+|9+)(?!\d)/g;

/** Splits a layout of Go's reference time `Mon Jan 2 15:04:05 MST 2006`. */
export function* splitLayout(layout: string): Generator<LayoutPiece> {
  let from = 0;
  for (const match of layout.matchAll(TOKEN)) {
    yield { prefix: layout.slice(from, match.index), token: match[0] };
    from = match.index + match[0].length;
  }
  yield { prefix: layout.slice(from), token: '' };
}
