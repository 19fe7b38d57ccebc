import type { HostileCase } from './hostileCase.ts';

const ENVELOPE = 'plugins/front/stateless/envelope';
const CALL = 'plugins/front/stateless/statelessCall';
const LISTEN = 'plugins/front/stateless/listeners';

/** Revision 2026-07-28, which has no sessions. */
export const STATELESS: readonly HostileCase[] = [
  {
    id: 'case 73',
    what: 'revision 2026-07-28: `_meta` is missing or lacks something',
    tests: [`${ENVELOPE}: is refused with -32602 and 400 when a required part is missing`],
  },
  {
    id: 'case 74',
    what: 'revision 2026-07-28: unknown version, headers that differ from the body',
    tests: [
      `${ENVELOPE}: with another revision is answered with the supported revisions`,
      `${ENVELOPE}: is refused with -32020 and 400 when the header \${header} is missing or differs from the body`,
      `${ENVELOPE}: may name a tool in base64, and carry a session id of an older revision`,
    ],
  },
  {
    id: 'case 75',
    what: 'revision 2026-07-28: tampered, used, foreign or expired requestState',
    tests: [
      `${CALL}: is not resumed by a changed, foreign, used or expired state, and its server receives nothing`,
      `${CALL}: is cancelled when its client does not return in time, and cannot be resumed then`,
    ],
  },
  {
    id: 'case 76',
    what: 'revision 2026-07-28: inputResponses with extra or missing keys, or of the wrong type',
    tests: [
      `${CALL}: ends with its questions, and continues with their answers unchanged`,
      `${CALL}: asks again for answers its client left out, in as many rounds as there are questions`,
    ],
  },
  {
    id: 'case 77',
    what: 'revision 2026-07-28: a tool has a question for a client that supports none',
    tests: [
      `${CALL}: does not ask a client that declared nothing`,
      'e2e/revisions: a client of ${revision} that declares nothing is not asked by ${server}',
    ],
  },
  {
    id: 'case 78',
    what: 'revision 2026-07-28: session ids, Last-Event-ID, GET, DELETE',
    tests: [
      `${ENVELOPE}: may name a tool in base64, and carry a session id of an older revision`,
      `${ENVELOPE}: is accepted by POST only: GET and DELETE are answered 405`,
    ],
  },
  {
    id: 'case 79',
    what: 'both revisions on one connection',
    tests: [`${ENVELOPE}: is served on its own, also between requests of a session on one connection`],
  },
  {
    id: 'case 80',
    what: 'revision 2026-07-28: a thousand listeners, a stop',
    tests: [
      `${LISTEN}: acknowledges first what it will send: of resources those that can be watched, up to the limit`,
      `${LISTEN}: holds a thousand streams, each of which receives only what it asked for`,
      `${LISTEN}: ends with a result when Pegboard stops, and does not delay it`,
    ],
  },
];
