import type { JsonObject, Verdict } from 'pegboard';
import type { AcceptedDeclarations, DeclaredOffer } from '../contracts/pins.ts';
import { doingIn, heldDeclaration, remedyFor, verdictOn } from './judgedTool.ts';
import type { Judgement } from './judgedTool.ts';
import type { Sight } from './sight.ts';

/** What may be shown of the prompts, resources and words of servers. Each declaration is judged once, until `renew`. */
export class AcceptedOffers implements AcceptedDeclarations {
  readonly #judge: (sight: Sight) => Judgement | undefined;
  readonly #judged = new WeakMap<
    DeclaredOffer,
    { readonly round: number; readonly judgement: Judgement | undefined }
  >();
  /** How often what is accepted of a server has become another. */
  readonly #rounds = new Map<string, number>();

  constructor(judge: (sight: Sight) => Judgement | undefined) {
    this.#judge = judge;
  }

  judgementOn(offer: DeclaredOffer): Judgement | undefined {
    const { server, section: kind, own, name: as, place, declared } = offer;
    const round = this.#rounds.get(server) ?? 0;
    const known = this.#judged.get(offer);
    if (known?.round === round) return known.judgement;
    const judgement = this.#judge({ server, kind, own, as, place, declared });
    this.#judged.set(offer, { round, judgement });
    return judgement;
  }
  shown(offer: DeclaredOffer): JsonObject | undefined {
    const judgement = this.judgementOn(offer);
    if (judgement === undefined || judgement.held === 'warned') return offer.declared;
    const { accepted, matter } = judgement;
    return accepted && heldDeclaration(matter.kind, offer.declared, accepted);
  }
  refusal(offer: DeclaredOffer): string | undefined {
    const judgement = this.judgementOn(offer);
    return judgement?.held === 'blocked' ? `${doingIn(judgement)}; ${remedyFor(offer.name)}` : undefined;
  }
  verdictOn(offer: DeclaredOffer): Verdict | undefined {
    const judgement = this.judgementOn(offer);
    return judgement && verdictOn(offer.name, judgement);
  }

  /** What is accepted of the server is another. */
  renew(server: string): void {
    this.#rounds.set(server, (this.#rounds.get(server) ?? 0) + 1);
  }
}

/** Whether it is something that a server has declared, and not a uri that fits a template. */
export function isDeclared(offer: object): offer is DeclaredOffer {
  return 'section' in offer && 'declared' in offer;
}
