import type { JsonObject } from 'pegboard';
import type { DeclaredOffer, OfferSection, ServerDeclarations, VersionsOf } from '../../contracts/pins.ts';
import type { ServerFacts } from '../client/revision/serverFacts.ts';
import type { Group } from './group.ts';
import type { Holders } from './holders.ts';
import { SECTIONS } from './sourceItems.ts';
import type { Section } from './sourceItems.ts';

/** What a server says about itself. */
export type Said = Extract<OfferSection, 'instructions' | 'serverInfo'>;

interface DeclarationsParts {
  readonly holders: { readonly [S in Section]: Holders<S> };
  readonly groupWith: (server: string) => Group | undefined;
  readonly facts: () => Iterable<{ readonly name: string; readonly facts: ServerFacts | undefined }>;
}

/** What servers declare now, for those who compare it with what was accepted. */
export class Declarations implements ServerDeclarations {
  readonly #parts: DeclarationsParts;
  readonly #byFacts = new WeakMap<ServerFacts, readonly DeclaredOffer[]>();

  constructor(parts: DeclarationsParts) {
    this.#parts = parts;
  }

  offers(): readonly DeclaredOffer[] {
    const { holders, facts } = this.#parts;
    const listed = SECTIONS.flatMap((section) =>
      holders[section].names.map((name) => holders[section].winner(name)?.offer),
    );
    const said = [...facts()].flatMap((one) => this.#saidBy(one.name, one.facts));
    return [...listed, ...said].filter((one) => one !== undefined);
  }

  of(server: string): VersionsOf {
    const offers = this.#parts.groupWith(server)?.offersOf(server) ?? [];
    const [own] = [...this.#parts.facts()].filter(({ name }) => name === server);
    const said = this.#saidBy(server, own?.facts);
    return (kind, as) => {
      if (kind === 'instructions' || kind === 'serverInfo')
        return said.filter(({ section }) => section === kind).map(({ declared }) => declared);
      const all = offers.map((offer) =>
        kind === 'tools'
          ? offer.tools.entries.get(as)?.tool.declared
          : offer[kind].entries.get(as)?.offer.declared,
      );
      return all.filter((one) => one !== undefined);
    };
  }

  /** @returns undefined if the server says nothing of it */
  said(server: string, facts: ServerFacts | undefined, section: Said): DeclaredOffer | undefined {
    return this.#saidBy(server, facts).find((one) => one.section === section);
  }
  #saidBy(server: string, facts: ServerFacts | undefined): readonly DeclaredOffer[] {
    if (facts === undefined) return [];
    const known = this.#byFacts.get(facts);
    if (known !== undefined) return known;
    const { instructions, serverName: name, serverTitle: title } = facts;
    const of = (section: Said, declared: JsonObject): DeclaredOffer => ({
      kind: 'server',
      name: server,
      server,
      section,
      own: '',
      place: server,
      declared,
    });
    const all = [
      of('serverInfo', { name, title }),
      ...(instructions === undefined ? [] : [of('instructions', { instructions })]),
    ];
    this.#byFacts.set(facts, all);
    return all;
  }
}
