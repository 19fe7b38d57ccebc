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
  /** It goes right at times, or directly at times. */
  readonly isSometimesRight?: true;
}

const NEWER = ['ts2', 'fastmcp', 'gosdk', 'rmcp'];
const QUESTIONS = ['elicitation', 'sampling', 'roots'];

export const KNOWN: readonly Known[] = [
  {
    servers: ['ts1-post'],
    what: ['logging', 'subscribe'],
    because: 'the server sends both on a stream that it does not offer',
    alsoDirectly: true,
  },
  {
    servers: ['ts1-stateless'],
    what: ['logging', ...QUESTIONS, 'subscribe'],
    because: 'a server of 2025-11-25 without sessions cannot reach its client',
    alsoDirectly: true,
  },
  {
    servers: ['fastmcp-stdio', 'fastmcp-http'],
    what: ['subscribe'],
    because: 'the server has no subscriptions',
    alsoDirectly: true,
  },
  {
    servers: ['fastmcp-http', 'mcpgo-http'],
    columns: NEWER,
    what: QUESTIONS,
    because:
      'the tools can ask in older revisions only: the first call of each finds that out, and the next one is sent so',
    alsoDirectly: true,
  },
  {
    servers: ['mcpgo-http'],
    columns: NEWER,
    what: ['logging'],
    because:
      'the server sends the line beside the answer, and on a busy machine behind it, when nothing waits for it',
    alsoDirectly: true,
    isSometimesRight: true,
  },
  {
    servers: ['ts1-stateless'],
    columns: ['gosdk'],
    what: ['end'],
    because: 'this client waits for the calls whose questions were never asked',
    alsoDirectly: true,
    isSometimesRight: true,
  },
  {
    servers: ['ts1-stateless', 'ts2-stdio', 'ts2-http', 'mcpgo-stdio', 'mcpgo-http'],
    columns: ['mcpgo'],
    what: ['cancel'],
    because:
      'this client closes the POST, which should not cancel a call before 2026-07-28; directly, these servers end the call for it anyway',
  },
  {
    servers: [
      'ts1-stdio',
      'ts1-sessions',
      'ts1-post',
      'python-stdio',
      'python-http',
      'gosdk-stdio',
      'gosdk-http',
      'fastmcp-stdio',
      'fastmcp-http',
      'rmcp-stdio',
      'rmcp-http',
    ],
    columns: ['mcpgo'],
    what: ['cancel'],
    because: 'this client closes the POST instead, which is not a cancellation before 2026-07-28',
    alsoDirectly: true,
  },
  {
    servers: ['java0-stdio', 'java0-http', 'java2-stdio', 'java2-http'],
    what: ['cancel'],
    because: 'the SDK does not pass cancellations on to its tools',
    alsoDirectly: true,
  },
  {
    columns: ['java0', 'java2'],
    what: ['cancel'],
    because: 'this client sends no cancellations',
    alsoDirectly: true,
  },
  {
    servers: ['fastmcp-stdio', 'fastmcp-http'],
    columns: ['java0', 'java2'],
    what: ['logging'],
    because: 'this client takes a text alone as the data of a log message; the server sends an object',
    alsoDirectly: true,
  },
  {
    servers: ['java0-stdio', 'java0-http'],
    what: ['subscribe'],
    because: 'the SDK has no subscriptions',
    alsoDirectly: true,
  },
  {
    servers: ['java0-stdio'],
    columns: ['restart', 'redeploy'],
    what: ['call', 'tools'],
    because:
      'the SDK stops reading when two of its threads answer at once (mended in 2.1), as it does at times on a busy machine when the call meets the lists of a new process; that is replaced after their time-outs, which can take longer than 30 s here',
    isSometimesRight: true,
  },
];
