/** What goes wrong through Pegboard, with its reason; `npm run servers` fails for anything else, and for what goes right by now. */
export interface Known {
  /** Words of servers; all of them if there are none. */
  readonly servers?: readonly string[];
  /** Fates, or words of clients; all clients if there are none. */
  readonly columns?: readonly string[];
  /** What is wrong: `call`, `tools` or `log` after a fate, or steps of a client. */
  readonly what: readonly string[];
  readonly because: string;
  /** It goes wrong as well without Pegboard. */
  readonly alsoDirectly?: true;
}

const BY_PROCESS = ['ts1-stdio', 'ts2-stdio'];

export const KNOWN: readonly Known[] = [
  {
    servers: BY_PROCESS,
    columns: ['hang'],
    what: ['call', 'log'],
    because: 'a process that hangs is not replaced',
  },
  {
    servers: ['ts1-sessions', 'ts2-http'],
    columns: ['hang'],
    what: ['log'],
    because: 'calls of a remote server that time out are not counted',
  },
  {
    servers: ['ts1-sessions'],
    columns: ['ts2'],
    what: ['logging'],
    because: 'the server logs on its standing stream, and a client of 2026-07-28 has none',
  },
  {
    servers: ['ts1-post'],
    what: ['logging', 'subscribe'],
    because: 'the server sends both on a stream that it does not offer',
    alsoDirectly: true,
  },
  {
    servers: ['ts1-stateless'],
    what: ['logging', 'elicitation', 'sampling', 'roots', 'subscribe'],
    because: 'a server of 2025-11-25 without sessions cannot reach its client',
    alsoDirectly: true,
  },
];
