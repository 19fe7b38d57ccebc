import { once } from 'pegboard';
import type { ListName } from '../client/conversation/readList.ts';
import type { ToolReport } from '../connection/toolReport.ts';
import type { ServerOffer } from './serverOffer.ts';
import { NOUNS, SECTIONS } from './sourceItems.ts';

/** Which of a server's tools are offered, and which are left out. @param lostOf names of a list that another one has */
export function reportOn(offer: ServerOffer, lostOf: (what: ListName) => readonly string[]): ToolReport {
  const { entries, leftOut, mended, doubled } = offer.tools;
  const lost = new Set(lostOf('tools'));
  const excluded = [...entries.values()].filter((entry) => entry.excluded !== undefined).length;
  const odd = SECTIONS.flatMap((section) => [
    ...offer[section].leftOut.map((one) => `${NOUNS[section]} ${one}; left out`),
    ...offer[section].mended.map((one) => `${NOUNS[section]} ${one}; dropped`),
  ]);
  return {
    count: entries.size - lost.size - excluded,
    names: () =>
      [...entries].flatMap(([name, entry]) =>
        entry.excluded === undefined && !lost.has(name) ? [name] : [],
      ),
    excluded,
    malformed: leftOut,
    collisions: [...lost, ...doubled],
    odd: [...mended.map((one) => `tool ${one}; dropped`), ...odd],
    takenEntries: once(() =>
      SECTIONS.flatMap((section) => lostOf(section).map((name) => `${NOUNS[section]} ${name}`)),
    ),
    partialLists: offer.gaps,
  };
}
