import type { HostileCase } from './hostileCase.ts';

/** What upstream servers do, sizes and shapes, security. */
export const SERVERS: readonly HostileCase[] = [
  {
    id: 'case 38',
    what: 'a command that is not there or ends at once',
    tests: [
      'plugins/upstream/stdio: says why a command cannot be run',
      'e2e/hostileServer: case 38: a server that ends at once is failed with the end of what it said, and costs no other',
    ],
  },
  {
    id: 'case 39',
    what: 'banners and garbage on standard output',
    tests: [
      'plugins/upstream/stdio: understands a server that is ${mode}',
      'plugins/upstream/stdio: logs what a server prints beside its messages, under its name',
      'plugins/upstream/floods: is read no faster than its share (${flood})',
      'plugins/upstream/floods: is restarted for a reason that names the number, at growing distance (${kind})',
    ],
  },
  {
    id: 'case 40',
    what: 'a server that never answers initialize',
    tests: [
      'plugins/upstream/stdio: fails a server that never answers initialize, kills it and tries again later',
      'plugins/upstream/http: lets a black hole delay neither the configuration nor another server',
    ],
  },
  {
    id: 'case 41',
    what: 'a server that dies in a call',
    tests: [
      'plugins/upstream/lifecycle: says of a call that was under way that it may have run',
      'plugins/upstream/lifecycle: starts a killed process again and lets the next call wait for it',
    ],
  },
  {
    id: 'case 42',
    what: 'a call that is never answered; errors',
    tests: [
      'plugins/upstream/stdio: ends a silent call after callTimeout and tells the server',
      'plugins/upstream/stdio: passes the error of a server on with its code and data',
    ],
  },
  {
    id: 'case 43',
    what: 'a server that ignores its end',
    tests: [
      'plugins/upstream/stdio: ends a server that ignores end of input and SIGTERM, and its children',
      'plugins/upstream/lifecycle: leaves nothing running',
      'plugins/upstream/lifecycle: leaves nothing running even after its watchdog was killed',
    ],
  },
  {
    id: 'case 44',
    what: 'a storm of list_changed',
    tests: [
      'plugins/upstream/catalogue: reads the list again, at most four times a second, when a server announces changes 100 times',
      'plugins/upstream/catalogue: reads the list ever more seldom while a server goes on announcing changes, and misses none',
    ],
  },
  {
    id: 'case 45',
    what: 'endless lists, cursors in a circle',
    tests: [
      'plugins/upstream/catalogue: walks all pages of a list',
      'plugins/upstream/catalogue: ends a list whose cursor comes again',
      'plugins/upstream/catalogue: ends an endless list at the cap',
    ],
    but: 'the times with 10,000 tools are not measured in the suite',
  },
  {
    id: 'case 46',
    what: 'tool names that are empty, huge, doubled, or names that JavaScript knows',
    tests: [
      'e2e/hostileServer: case 46: names that clash with what JavaScript has are tools like others, and lead back to their own',
      'plugins/upstream/catalogue: leaves out malformed tools only, and reports them',
    ],
  },
  {
    id: 'case 47',
    what: 'two servers that want one name',
    tests: [
      'plugins/upstream/catalogue: gives a name that two servers want to the first by name, and reports the other',
      'kernel/program/review: finds names that hide one another',
    ],
  },
  {
    id: 'case 48',
    what: 'results of unknown shape',
    tests: ['plugins/upstream/stdio: passes a result on as the text it came in'],
  },
  {
    id: 'case 49',
    what: 'a server that asks a client that declared nothing',
    tests: ['e2e/questions: of ${name}: what a client has not declared is refused and never shown (case 49)'],
  },
  {
    id: 'case 50',
    what: 'questions with dangerous links, huge forms',
    tests: [
      'e2e/questions: by URL need a client that takes them and an address a browser should open (case 50)',
      'plugins/upstream/rpc/questions: are refused when they are larger than maxQuestionBytes, and when their id is open',
    ],
  },
  {
    id: 'case 51',
    what: 'redirects, 5xx, 429, HTML, wrong media types, broken streams',
    tests: [
      'plugins/upstream/wire/httpErrors: names tool, server and reason of a call that is answered with ${why}',
      'plugins/upstream/wire/httpErrors: asks for answers that are not compressed',
      'plugins/upstream/wire/httpErrors: leaves a server alone for as long as it asks, and says so to callers',
      'plugins/upstream/wire/httpErrors: tries a server again that answers initialize with something else',
      'plugins/upstream/http: does not follow a redirect, and names where it leads',
      'plugins/upstream/http: posts to no other origin than its own when a server of the older transport asks for it',
      'plugins/upstream/http: says that a server wants credentials',
    ],
  },
  {
    id: 'case 52',
    what: 'a server that forgets its session',
    tests: [
      'plugins/upstream/http: initializes again, once, when the session is lost with ${status}, and answers every call',
      'plugins/upstream/http: gives up on a server that loses every session at once',
      'plugins/upstream/http: takes a 404 of a server that never gave a session for what it says',
      'plugins/upstream/http: does not send a call again whose stream cannot be taken up any more',
    ],
  },
  {
    id: 'case 53',
    what: 'bodies at, over and far over the limit; endless ones',
    tests: [
      'plugins/http/limits: takes 200 KB and 4 MB without a setting',
      'plugins/http/limits: answers 413 in JSON-RPC to a declared length over the limit, before the body has come',
      'plugins/http/limits: stops an endless chunked body at the limit',
    ],
  },
  {
    id: 'case 54',
    what: 'results of many megabytes',
    tests: [
      'plugins/upstream/wire/httpErrors: takes no more of an answer than maxMessageBytes, as JSON and as a stream',
      'plugins/upstream/wire/framing: looks at each byte of a long event but a few times',
      'plugins/transport-http/streams: delivers a JSON answer of 20 MB',
      'plugins/transport-http/streams: delivers a result that is larger than the limit for a stream',
      'e2e/largeResults: case 54: 200 of 1 MB at a time arrive whole and do not pile up in memory',
    ],
    but: '1,000 of 1 MB at a time by a server are a run of their own, npm run soak -- --large 1000',
  },
  {
    id: 'case 55',
    what: 'arguments and results nested too deep',
    tests: [
      'plugins/front/framing: refuses ${levels} levels of nesting in the arguments',
      'plugins/front/calls: passes a result of any depth on, and answers one that cannot be written with an error result',
      'plugins/upstream/rpc/splitMessage: keeps depth that no recursion could walk',
      'plugins/metatools/tools/getResult: are shortened like all others without losing data',
      'plugins/metatools/mcpSources: passes on answers that are nested too deeply to be serialized',
      'plugins/front/client/createLists: whose server adds more to its error than can be written are errors without it',
      'plugins/upstream/catalogue: leaves out what is nested too deep to be written again, and outlives the server that lists it',
      'plugins/upstream/stdio: understands a server that is ${mode}',
    ],
  },
  {
    id: 'case 56',
    what: 'keys such as __proto__',
    tests: [
      'e2e/hostileServer: case 56: keys such as __proto__ are data on the whole way, and nothing is polluted',
      'plugins/front/framing: keeps __proto__, constructor and prototype as data',
    ],
  },
  {
    id: 'case 57',
    what: 'NUL, lone surrogates, marks that reorder text, line breaks',
    tests: [
      'plugins/front/framing: brings any text through both ways, character for character',
      'plugins/http/hosts: quotes a hostile Host as data',
    ],
  },
  {
    id: 'case 58',
    what: 'numbers out of range, doubled keys',
    tests: [
      'e2e/hostileServer: case 58: numbers that JavaScript cannot hold arrive as the nearest it can',
      'plugins/upstream/stdio: passes a result on as the text it came in',
      'plugins/front/framing: takes the last of two equal keys',
      'plugins/upstream/rpc/splitMessage: takes the last of two results, as JSON.parse does',
    ],
  },
  {
    id: 'case 59',
    what: 'pattern bombs, schemas that refer to elsewhere or to themselves',
    tests: [
      'e2e/hostileServer: case 59: a schema with bombs and foreign references is shown, never followed',
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
      'plugins/http/hosts: takes the host of a complete URL in the request line before the header',
    ],
  },
  {
    id: 'case 69',
    what: 'descriptions that give orders, of a megabyte, with control characters',
    tests: [
      'e2e/hostileServer: case 69: a description is text: cut in lists, whole when described, never acted on',
      'plugins/metatools/catalogue: cuts summaries at 200 characters, never inside a word or an emoji',
    ],
  },
  {
    id: 'case 70',
    what: 'commands that a shell would read otherwise',
    tests: [
      'e2e/hostileServer: case 70: arguments of a command reach the program as they are, no shell between',
    ],
  },
  {
    id: 'case 71',
    what: 'CORS preflight from anywhere',
    tests: ['plugins/http/methods: gives no web page access by CORS'],
  },
];
