import { clean, proposedName } from '../../kit/add/proposedName.ts';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import type { Server } from '../../kit/clients/entry/serverOfEntry.ts';

/** Names for definitions beside those that are there. A tool x_a_b_c may be one of a_b or of a, so no two names are such a pair. */
export class FreeNames {
  readonly #names: Set<string>;
  readonly #prefixes: string[];

  /** @param existing definitions, each with the prefix of its tools */
  constructor(existing: readonly { readonly name: string; readonly prefix: string }[]) {
    this.#names = new Set(existing.map(({ name }) => name.toLowerCase()));
    this.#prefixes = existing.map(({ prefix }) => prefix);
  }

  /** The name of an entry: its own if a definition can have it, else that of what it runs, or where it connects. With a note if
   *  that would hide tools. */
  nameFor(entry: ClientEntry, server: Server): { readonly name: string; readonly notes: readonly string[] } {
    const base = wantedName(entry, server);
    const dashed = base.replaceAll('_', '-');
    const isFree = (name: string): boolean =>
      !this.#names.has(name.toLowerCase()) && this.#hiddenWith(name) === undefined;
    let name = isFree(base) ? base : dashed;
    for (let count = 2; !isFree(name); count++) name = `${dashed}-${count}`;
    const other = this.#hiddenWith(base);
    this.#names.add(name.toLowerCase());
    this.#prefixes.push(name);
    if (other === undefined || other === base) return { name, notes: [] };
    return { name, notes: [`not named ${base}, because its tools could not be told from those of ${other}`] };
  }

  /** The prefix with which the tools of the name would be mistaken. */
  #hiddenWith(name: string): string | undefined {
    const hides = (one: string, other: string): boolean => `${one}_`.startsWith(`${other}_`);
    return this.#prefixes.find((one) => hides(one, name) || hides(name, one));
  }
}

/** The name that an entry would have if no other were there. */
export function wantedName({ name }: ClientEntry, { command, url }: Server): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '');
  const isForeign = /\p{L}/u.test(plain.replaceAll(/[a-z]/gi, ''));
  const own = isForeign ? undefined : clean(plain);
  return own ?? proposedName(command ?? [url ?? '']) ?? clean(plain) ?? 'server';
}
