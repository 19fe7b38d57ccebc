import type { HostileCase } from './hostileCase.ts';

const ENVELOPE = 'plugins/front/stateless/envelope';
const CALL = 'plugins/front/stateless/statelessCall';
const LISTEN = 'plugins/front/stateless/listeners';

/** Revision 2026-07-28, which has no sessions. */
export const STATELESS: readonly HostileCase[] = [
  {
    id: 'case 73',
    what: 'revision 2026-07-28: `_meta` is missing or lacks something',
    tests: [`${ENVELOPE}: is refused with -32602 and 400 when it lacks what every request must say`],
  },
  {
    id: 'case 74',
    what: 'revision 2026-07-28: unknown version, headers that say something else than the body',
    tests: [
      `${ENVELOPE}: names the revisions there are to one that asks for another`,
      `${ENVELOPE}: is refused with -32020 and 400 when the header \${header} is missing or says something else`,
      `${ENVELOPE}: may name a tool in base64, and carry a session id of another time`,
    ],
  },
  {
    id: 'case 75',
    what: 'revision 2026-07-28: requestState that is tampered with, used, foreign or expired',
    tests: [
      `${CALL}: is not resumed by a changed, foreign, used or expired state, and its server hears nothing (U46)`,
      `${CALL}: is cancelled when its client does not come back in time, and cannot be resumed then`,
    ],
  },
  {
    id: 'case 76',
    what: 'revision 2026-07-28: inputResponses with keys too many, missing, or of the wrong type',
    tests: [
      `${CALL}: ends with the questions it has, and goes on with their answers as they came`,
      `${CALL}: asks again for what its client left out, and in as many rounds as there are questions`,
    ],
  },
  {
    id: 'case 77',
    what: 'revision 2026-07-28: a tool has a question for a client that takes none',
    tests: [
      `${CALL}: does not ask a client that declared nothing`,
      'e2e/revisions: a client of ${revision} that declares nothing is not asked by ${server}',
    ],
  },
  {
    id: 'case 78',
    what: 'revision 2026-07-28: session ids, Last-Event-ID, GET, DELETE',
    tests: [
      `${ENVELOPE}: may name a tool in base64, and carry a session id of another time`,
      `${ENVELOPE}: has POST only: GET and DELETE are 405`,
    ],
  },
  {
    id: 'case 79',
    what: 'both revisions on one connection',
    tests: [`${ENVELOPE}: is served by itself also between those of a session, on one connection (case 79)`],
  },
  {
    id: 'case 80',
    what: 'revision 2026-07-28: a thousand listeners, a stop',
    tests: [
      `${LISTEN}: says first what it will tell of: of resources those that can be watched, as many as may be`,
      `${LISTEN}: holds a thousand streams: each hears what it asked for, nobody else does (case 80)`,
      `${LISTEN}: ends with a result when Pegboard stops, and does not hold it up`,
    ],
  },
];
