import type { HostileCase } from './hostileCase.ts';

/** Behaviour of upstream servers, sizes and shapes, security. */
export const SERVERS: readonly HostileCase[] = [
  {
    id: 'case 38',
    what: 'a command that is missing or exits at once',
    tests: [
      'plugins/upstream/stdio: reports why a command cannot be run',
      'e2e/hostileServer: a server that exits at once fails with the end of its output, and affects no other server',
    ],
  },
  {
    id: 'case 39',
    what: 'banners and garbage on standard output',
    tests: [
      'plugins/upstream/stdio: understands the messages of a server in mode ${mode}',
      'plugins/upstream/stdio: logs non-message output of a server under its name',
      'plugins/upstream/floods: is cut before it slows others down (${flood})',
      'plugins/upstream/floods: is restarted with a reason that contains the number, at growing intervals (${kind})',
    ],
  },
  {
    id: 'case 40',
    what: 'a server that never answers initialize',
    tests: [
      'plugins/upstream/stdio: fails a server that never answers initialize, kills it and tries again later',
      'plugins/upstream/http: does not let a server that never answers delay the configuration or another server',
    ],
  },
  {
    id: 'case 41',
    what: 'a server that dies in a call',
    tests: [
      'plugins/upstream/lifecycle: reports that a call under way when it died may have run',
      'plugins/upstream/lifecycle: restarts a killed process and lets the next call wait for it',
    ],
  },
  {
    id: 'case 42',
    what: 'a call that is never answered; errors',
    tests: [
      'plugins/upstream/stdio: ends a silent call after callTimeout and notifies the server',
      'plugins/upstream/stdio: passes on the error of a server with its code and data',
    ],
  },
  {
    id: 'case 43',
    what: 'a server that ignores shutdown',
    tests: [
      'plugins/upstream/stdio: ends a server that ignores end of input and SIGTERM, and its children',
      'plugins/upstream/lifecycle: leaves no process running',
      'plugins/upstream/lifecycle: leaves no process running even if its watchdog was killed',
    ],
  },
  {
    id: 'case 44',
    what: 'a storm of list_changed',
    tests: [
      'plugins/upstream/catalogue: reads the list again, at most four times a second, when a server announces changes 100 times',
      'plugins/upstream/catalogue: reads the list less and less often while a server keeps announcing changes, and misses none',
    ],
  },
  {
    id: 'case 45',
    what: 'endless lists, circular cursors',
    tests: [
      'plugins/upstream/catalogue: walks all pages of a list',
      'plugins/upstream/catalogue: stops reading a list whose cursor repeats',
      'plugins/upstream/catalogue: stops reading an endless list at the limit',
    ],
    but: 'the times with 10,000 tools are not measured in the suite',
  },
  {
    id: 'case 46',
    what: "tool names that are empty, huge, doubled, or names of JavaScript's own members",
    tests: [
      "e2e/hostileServer: names of JavaScript's own members are ordinary tool names, and lead back to their server's names",
      'plugins/upstream/catalogue: leaves out only malformed tools, and reports them',
      'plugins/upstream/catalogue: leaves out names, uris and uri templates that are too long, says so once, and answers meanwhile',
    ],
  },
  {
    id: 'case 47',
    what: 'two servers that claim one name',
    tests: [
      'plugins/upstream/catalogue: prefers the first server by name for a name that two claim, and reports the other',
      'plugins/check/review: finds names that shadow one another',
    ],
  },
  {
    id: 'case 48',
    what: 'results of unknown shape',
    tests: [
      'plugins/upstream/stdio: passes on the text of a result unchanged',
      'plugins/upstream/client/rpc/judgedResult: returns well-formed results and those of types that it does not know as they came',
      'e2e/oddEntries: its results reach a client of the SDK mended, or as an error that names server and place',
    ],
  },
  {
    id: 'case 49',
    what: 'a server that asks a client that declared nothing',
    tests: [
      'e2e/questions: of ${name}: a question the client has not declared support for is refused and never shown',
    ],
  },
  {
    id: 'case 50',
    what: 'questions with dangerous links, huge forms',
    tests: [
      'e2e/questions: by URL are sent only to a client that supports them, with an address a browser should open',
      'plugins/upstream/client/conversation/questions: are refused when they are larger than maxQuestionBytes, and when their id is in use',
    ],
  },
  {
    id: 'case 51',
    what: 'redirects, 5xx, 429, HTML, wrong media types, broken streams',
    tests: [
      'plugins/upstream/client/wire/httpErrors: names tool, server and reason of a call that is answered with ${why}',
      'plugins/upstream/client/wire/httpErrors: asks for answers that are not compressed',
      'plugins/upstream/client/wire/httpErrors: leaves a server alone for as long as it asks, and tells callers how long',
      'plugins/upstream/client/wire/httpErrors: retries a server that answers initialize with something else',
      'plugins/upstream/http: does not follow a redirect, and names its target',
      'plugins/upstream/http: posts to no origin other than its own when a server of the older transport asks for it',
      'plugins/upstream/http: reports that a server requires credentials',
    ],
  },
  {
    id: 'case 52',
    what: 'a server that forgets its session',
    tests: [
      'plugins/upstream/http: initializes again, once, when the session is lost with ${status} (${body}), and answers every call',
      'plugins/upstream/http: stops retrying a server that loses every session at once',
      'plugins/upstream/http: reports a 404 of a server that never gave a session as it is',
      'plugins/upstream/http: does not resend a call whose stream cannot be resumed',
    ],
  },
  {
    id: 'case 53',
    what: 'bodies at, over and far over the limit; endless ones',
    tests: [
      'plugins/http/limits: accepts 200 KB and 4 MB without a setting',
      'plugins/http/limits: answers 413 in JSON-RPC to a declared length over the limit, before the body has arrived',
      'plugins/http/limits: stops an endless chunked body at the limit',
      'plugins/http/earlyAnswers: ${status} ${what} reaches a client that reads only after it has written all',
      'plugins/http/earlyAnswers: reads on up to a bound only',
    ],
  },
  {
    id: 'case 54',
    what: 'results of many megabytes',
    tests: [
      'plugins/upstream/client/wire/httpErrors: reads no more than maxMessageBytes of an answer, as JSON and as a stream',
      'plugins/upstream/client/wire/framing: visits each byte of a long event only a few times',
      'plugins/transport-http/streams: deliver a JSON answer of 20 MB',
      'plugins/transport-http/streams: deliver a result that is larger than the limit for a stream',
      'heavy/flood: of ${results} results (${kind}) and ${bodies} bodies at once leaves the process alive and others served',
      "plugins/memory/messages: that fit are passed on, a larger one fails its call alone: ${kind}, id ${isIdLast ? 'last' : 'first'}",
      'heavy/largeResults: 200 concurrent results of 1 MB arrive whole and do not pile up in memory',
    ],
    but: '1,000 concurrent results of 1 MB have a run of their own, npm run soak -- --large 1000',
  },
  {
    id: 'case 55',
    what: 'arguments and results nested too deep',
    tests: [
      'plugins/front/framing: refuses ${levels} levels of nesting in the arguments',
      'plugins/front/calls: passes on a result of any depth, and answers one that cannot be serialised with an error result',
      'plugins/upstream/client/rpc/splitMessage: keeps depth beyond any recursion',
      'plugins/metatools/tools/getResult: are shortened like all others without losing data',
      'plugins/metatools/mcpSources: passes on answers that are nested too deeply to be serialized',
      'plugins/front/client/createLists: whose server adds more to its error than can be serialised are answered with the error alone',
      'plugins/upstream/catalogue: leaves out entries nested too deep to serialise, and keeps them out when the server restarts',
      'plugins/upstream/stdio: understands the messages of a server in mode ${mode}',
    ],
  },
  {
    id: 'case 56',
    what: 'keys such as __proto__',
    tests: [
      'e2e/hostileServer: keys such as __proto__ are data on the whole way, and pollute nothing',
      'plugins/front/framing: keeps __proto__, constructor and prototype as data',
    ],
  },
  {
    id: 'case 57',
    what: 'NUL, lone surrogates, marks that reorder text, line breaks',
    tests: [
      'plugins/front/framing: passes any text in both directions, character for character',
      'plugins/http/hosts: quotes a hostile Host as data',
    ],
  },
  {
    id: 'case 58',
    what: 'numbers out of range, doubled keys',
    tests: [
      'e2e/hostileServer: numbers that JavaScript cannot represent arrive as they were sent',
      'plugins/upstream/stdio: passes on the text of a result unchanged',
      'plugins/front/framing: uses the last of two equal keys',
      'plugins/upstream/client/rpc/splitMessage: uses the last of two results, as JSON.parse does',
    ],
  },
  {
    id: 'case 59',
    what: 'pattern bombs, schemas with external or circular references',
    tests: [
      'e2e/hostileServer: a schema with bombs and foreign references is shown, never followed',
      'plugins/metatools/tools/filterTools: answers at once to a pattern made for catastrophic backtracking',
      'plugins/metatools/tools/filterTools: rejects arguments that are too long to be matched against every tool',
    ],
  },
  {
    id: 'case 60',
    what: 'template bombs',
    tests: [
      'plugins/workflow/run/steps: fail when a template exceeds a limit, without harm to later runs',
      'plugins/workflow/run/steps: fail when a template exceeds ${setting}',
    ],
  },
  {
    id: 'case 61',
    what: 'foreign Host and Origin',
    tests: [
      'plugins/http/hosts: answers ${status} to the Host ${JSON.stringify(host)}',
      'plugins/http/hosts: answers ${status} to the Origin ${JSON.stringify(origin)} with a good Host',
      'plugins/http/hosts: checks Host and Origin on every path alike',
      'plugins/http/hosts: refuses what pages of other sites and ports send without an Origin, where callers are served',
      'plugins/http/hosts: prefers the host of a complete URL in the request line to the header',
    ],
  },
  {
    id: 'case 69',
    what: 'descriptions that give orders, of a megabyte, with control characters',
    tests: [
      'e2e/hostileServer: a description is text: cut in lists, whole when described, never acted on',
      'plugins/metatools/entry/summary: cuts summaries at 200 characters, never inside a word or an emoji',
    ],
  },
  {
    id: 'case 70',
    what: 'commands with shell metacharacters',
    tests: ['e2e/hostileServer: arguments of a command reach the program unchanged, without a shell'],
  },
  {
    id: 'case 71',
    what: 'CORS preflight from anywhere',
    tests: ['plugins/http/methods: allows no web page access by CORS'],
  },
];
