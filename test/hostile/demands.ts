import type { HostileCase } from './hostileCase.ts';

const METRICS = 'comes with the metrics';

/** What users of such gateways complain about. */
export const DEMANDS: readonly HostileCase[] = [
  {
    id: 'U1',
    what: 'a restart breaks every agent',
    tests: ['e2e/sessions: go on after kill -9 and after an orderly restart; ended ones stay ended'],
    but: 'once the key is lost the handle is 404, not recovered in place; bearers come with sign-in',
  },
  {
    id: 'U2',
    what: 'wrong status for a lost session',
    tests: [
      'plugins/front/session/sessions: tell the client of a lost session to initialize again, in JSON-RPC',
      'plugins/upstream/http: initializes again, once, when the session is lost with ${status}, and answers every call',
    ],
  },
  {
    id: 'U3',
    what: 'a server restarts, its session stays dead',
    tests: [
      'plugins/upstream/http: initializes again, once, when the session is lost with ${status}, and answers every call',
      'plugins/upstream/http: carries a call over a restart of the server between two calls',
    ],
  },
  {
    id: 'U4',
    what: 'the request that finds the session lost is dropped',
    tests: ['plugins/upstream/http: carries a call over a restart of the server between two calls'],
  },
  {
    id: 'U5',
    what: 'replicas do not know the session',
    tests: [
      'e2e/sessions: go on in each of several processes that start at once on one fresh state directory',
    ],
  },
  {
    id: 'U6',
    what: 'tools are missing on some replicas',
    tests: [
      'e2e/replicas: U6, U7: answer byte for byte alike, and one that is killed takes no session of the others along',
    ],
  },
  {
    id: 'U7',
    what: 'affinity is the bottleneck',
    tests: [
      'e2e/replicas: U6, U7: answer byte for byte alike, and one that is killed takes no session of the others along',
    ],
  },
  {
    id: 'U8',
    what: 'refused requests leave memory behind',
    tests: [
      'plugins/transport-http/refusals: leave nothing behind: 10,000 of them keep the heap about flat',
      'e2e/supervision: case 24: clients that vanish leave memory and file descriptors as they were',
    ],
  },
  {
    id: 'U9',
    what: 'sessions without number',
    tests: [
      'plugins/front/session/sessions: go on when more are open than the cache of opened handles holds',
    ],
  },
  {
    id: 'U10',
    what: 'limits hold per replica',
    open: 'the README of limits says so; shared limits need a shared store',
  },
  {
    id: 'U11',
    what: '0 tools after a restart',
    tests: [
      'plugins/upstream/lifecycle: keeps the last good catalogue over a restart of Pegboard, as stale',
      'plugins/metatools/catalogue: marks last known tools of an unreachable server as stale',
    ],
  },
  {
    id: 'U12',
    what: 'an update cuts calls',
    tests: ['e2e/stopping: SIGTERM during a call lets it finish, ends standing streams at once, and exits 0'],
  },
  {
    id: 'U13',
    what: 'idle streams die at proxies',
    tests: [
      'plugins/transport-http/streams: opens at once with a comment, and gets one as often as configured',
    ],
  },
  {
    id: 'U14',
    what: 'reconnects leave processes behind',
    tests: [
      'plugins/upstream/lifecycle: leaves as many processes as servers after many restarts',
      'plugins/upstream/lifecycle: starts a server that is defined again only when its former process is gone',
    ],
  },
  {
    id: 'U15',
    what: 'zombies',
    tests: [
      'e2e/supervision: U15: kill -9 of Pegboard and its children at any moment leaves no orphan, zombie, lock or half-written file',
    ],
  },
  {
    id: 'U16',
    what: 'children outlive a killed gateway',
    tests: [
      'plugins/upstream/lifecycle: leaves nothing running',
      'plugins/upstream/lifecycle: leaves nothing running even after its watchdog was killed',
      'plugins/upstream/lifecycle: ends what a process leaves behind that ends by itself, and does not wait for what has left its group',
      'e2e/upstreams: leaves no child behind after kill -9',
    ],
  },
  {
    id: 'U17',
    what: 'a banner on standard output',
    tests: [
      'plugins/upstream/stdio: understands a server that is ${mode}',
      'plugins/upstream/stdio: survives invalid UTF-8 and lines of 5 MB',
    ],
  },
  {
    id: 'U18',
    what: 'reconnecting gives up',
    tests: [
      'plugins/upstream/lifecycle: tries again and again, and connects once the server works',
      'plugins/upstream/lifecycle: counts from one again after a healthy time',
    ],
  },
  {
    id: 'U19',
    what: 'reconnecting ignores that a server is switched off',
    tests: ['plugins/upstream/lifecycle: never dials a server that was suspended during its backoff'],
  },
  {
    id: 'U20',
    what: 'a server stays starting for ever',
    tests: [
      'plugins/upstream/stdio: fails a server that never answers initialize, kills it and tries again later',
    ],
    but: 'by examples, not by a model of the states',
  },
  {
    id: 'U21',
    what: 'servers on demand, stopped when idle',
    tests: [
      'plugins/upstream/lifecycle: U21: ends a process that nobody calls, keeps its tools, and starts it once for a hundred calls',
      'plugins/upstream/lifecycle: U21: starts a server with Pegboard only while its tools are not known, if it may be idle',
    ],
  },
  {
    id: 'U22',
    what: 'nobody sees why and when it tries again',
    tests: [
      'plugins/upstream/lifecycle: backs off after repeated deaths, tells when it will try, and then fails calls at once',
    ],
    but: 'in the status of a service and in refusals; metrics and admin pages come later',
  },
  {
    id: 'U23',
    what: 'one dead server breaks initialize',
    tests: ['e2e/replicas: U31: answer while twenty servers are still starting'],
  },
  {
    id: 'U24',
    what: 'one bad server delays lists',
    tests: [
      'e2e/replicas: U31: answer while twenty servers are still starting',
      'plugins/upstream/http: lets a black hole delay neither the configuration nor another server',
    ],
  },
  {
    id: 'U25',
    what: 'a server is lost without a word',
    tests: ['plugins/upstream/server/events: tells of a death, of the recovery and of one that fails'],
    but: 'gauges and counters come with the metrics',
  },
  {
    id: 'U26',
    what: 'one invalid tool breaks the list',
    tests: [
      'plugins/upstream/catalogue: leaves out malformed tools only, and reports them',
      'plugins/upstream/catalogue: leaves out what is nested too deep to be written again, and outlives the server that lists it',
      'e2e/hostileServer: case 59: a schema with bombs and foreign references is shown, never followed',
    ],
  },
  {
    id: 'U27',
    what: 'health does not show in the list',
    tests: [
      'plugins/upstream/http: notices that a server is gone, keeps its tools as stale, and finds it again',
    ],
  },
  {
    id: 'U28',
    what: 'short outages make tools flap',
    tests: [
      'plugins/upstream/http: notices that a server is gone, keeps its tools as stale, and finds it again',
    ],
  },
  {
    id: 'U29',
    what: 'a slow call delays others',
    tests: ['plugins/upstream/stdio: does not let a slow call delay others'],
  },
  {
    id: 'U30',
    what: 'fixed time limits kill long tools',
    tests: [
      'plugins/upstream/stdio: lets progress keep a call alive, but not for ever',
      'plugins/upstream/stdio: ends a silent call after callTimeout and tells the server',
      'plugins/upstream/stdio: gives single tools times of their own, by the names of their server',
    ],
  },
  {
    id: 'U31',
    what: 'slow start over many servers',
    tests: ['e2e/replicas: U31: answer while twenty servers are still starting'],
  },
  {
    id: 'U32',
    what: 'a call hangs for ever',
    tests: ['plugins/upstream/lifecycle: says of a call that was under way that it may have run'],
  },
  {
    id: 'U33',
    what: 'list_changed of a server is not heard',
    tests: [
      'plugins/upstream/http: reads the list again when the server announces a change',
      'plugins/upstream/catalogue: reads the list again, at most four times a second, when a server announces changes 100 times',
      'plugins/upstream/catalogue: lists again now and then what a server never announces',
    ],
  },
  {
    id: 'U34',
    what: 'clients ignore list_changed',
    tests: [
      'plugins/front/client/createLists: is heard on the GET stream when a list reads differently, once, and not otherwise',
    ],
  },
  {
    id: 'U35',
    what: 'storms of notifications are passed on',
    tests: [
      'plugins/front/client/createLists: is heard on the GET stream when a list reads differently, once, and not otherwise',
      'e2e/announcements: a storm of changes is told once at first and once more when the waiting time is over',
    ],
  },
  {
    id: 'U36',
    what: 'invented or late progress',
    tests: [
      'plugins/front/calls: sends progress strictly rising, and none after the answer',
      'plugins/front/message/revisions: sends no progress of a request that is over while others of its batch go on',
      'plugins/front/calls: ignores progress tokens that are neither string nor number',
    ],
  },
  {
    id: 'U37',
    what: 'questions do not pass',
    tests: [
      'e2e/questions: of ${name}: elicitation, sampling and roots come with their parameters and go back as answered',
      'e2e/questions: of ${name}: what a client has not declared is refused and never shown (case 49)',
      'plugins/upstream/stdio: shows no tools that need questions when servers are told that none may be asked (U37)',
    ],
    but: 'tools that a server shows only to clients which can be asked are shown to all unless `questions` is empty: D30',
  },
  {
    id: 'U38',
    what: 'questions of a kind the client did not declare',
    tests: [
      'e2e/questions: of ${name}: what a client has not declared is refused and never shown (case 49)',
      'e2e/questions: by URL need a client that takes them and an address a browser should open (case 50)',
      'plugins/front/client/questions: know what the client declared, part by part',
    ],
  },
  {
    id: 'U39',
    what: 'instructions of servers are lost',
    tests: ['e2e/announcements: instructions of servers stand in ours, each on one line and cut'],
  },
  {
    id: 'U40',
    what: 'fields of a result are dropped',
    tests: [
      'plugins/upstream/stdio: passes a result on as the text it came in',
      'plugins/upstream/stdio: keeps unknown fields of a declared tool',
    ],
  },
  {
    id: 'U41',
    what: 'the same data twice',
    tests: ['plugins/metatools/tools/callTool: returns the result byte for byte as the tool returned it'],
  },
  {
    id: 'U42',
    what: 'pages of a list are lost',
    tests: [
      'plugins/upstream/catalogue: walks all pages of a list',
      'plugins/upstream/catalogue: ends a list whose cursor comes again',
      'plugins/upstream/catalogue: ends an endless list at the cap',
    ],
  },
  {
    id: 'U43',
    what: "a client's revision decides how a server is spoken to",
    tests: [
      'e2e/revisions: a client of ${revision} calls ${server} and answers what it asks (U43)',
      'e2e/revisions: a client of ${revision} that declares nothing is not asked by ${server}',
    ],
    but: 'servers are spoken to in revision 2025-11-25 and older ones',
  },
  {
    id: 'U44',
    what: 'probing hurts',
    tests: [
      'plugins/front/stateless/envelope: falls back when the revision is switched off: server/discover is 400, initialize works',
    ],
    but: 'servers are not probed: that revision is not spoken to them',
  },
  {
    id: 'U45',
    what: 'clients of the next revision',
    tests: [
      'e2e/revisions: read the same catalogue (U45)',
      'plugins/front/stateless/answers: come to both revisions on one address, the same meta-tools to each (U45)',
    ],
  },
  {
    id: 'U46',
    what: 'forged requestState',
    tests: [
      'plugins/front/stateless/statelessCall: is not resumed by a changed, foreign, used or expired state, and its server hears nothing (U46)',
      'plugins/front/stateless/statelessCall: is cancelled when its client does not come back in time, and cannot be resumed then',
    ],
  },
  {
    id: 'U47',
    what: 'URIs of resources collide',
    tests: [
      'plugins/upstream/catalogue: U47: gives a uri of two servers to the first by name, says so, and reads back what a result links to',
      'plugins/upstream/catalogue: lists what a server offers as auth://status under a name of its own, and leaves that uri to Pegboard',
    ],
    but: 'links in results stay as their server wrote them (D6), so a link of the other server to a shared uri leads to the first',
  },
  {
    id: 'U48',
    what: 'tool names: too long, clashing delimiters',
    tests: [
      'plugins/upstream/catalogue: cuts long names, always to the same, and keeps different ones different',
      'plugins/upstream/catalogue: puts prefix and server before the name, once',
      'e2e/hostileServer: case 46: names that clash with what JavaScript has are tools like others, and lead back to their own',
    ],
  },
  {
    id: 'U49',
    what: 'the order of lists changes',
    tests: [
      'plugins/metatools/catalogue: pages through all tools in one order, independent of the order of the servers',
    ],
  },
  {
    id: 'U50',
    what: 'answers that fill the context',
    tests: [
      'plugins/metatools/catalogue: keeps the default page of 2,000 tools with long descriptions within 24 KB, without omitting a tool',
    ],
  },
  {
    id: 'U51',
    what: 'agents do not search',
    tests: [
      'plugins/front/message/revisions: tells a client without configuration how to find and call tools',
      'e2e/announcements: instructions of servers stand in ours, each on one line and cut',
    ],
    but: 'whether agents do search is not evaluated',
  },
  {
    id: 'U52',
    what: 'an index per session',
    tests: ['plugins/metatools/discovery: returns the same order and scores for any order of the tools'],
    but: 'memory per session is not measured here',
  },
  {
    id: 'U53',
    what: 'weak matches waste calls',
    tests: [
      'plugins/metatools/tools/filterTools: returns no tools and a hint for a query without matches',
      'plugins/metatools/tools/filterTools: returns weak matches marked as not confident, and names the words without matches',
    ],
    but: 'weak matches are answered and marked as such, not left out',
  },
  {
    id: 'U54',
    what: 'search ignores the toolset',
    tests: [
      'plugins/metatools/tools/filterTools: does not let hidden tools change scores, totals or spelling',
    ],
  },
  {
    id: 'U55',
    what: 'hidden tools can be called',
    tests: [
      'kernel/catalogue: shows exactly what may be called',
      'plugins/toolsets/toolsets: shows exactly what it lets call, for any toolset',
    ],
  },
  {
    id: 'U56',
    what: 'wanting and being allowed are mixed up',
    tests: ['plugins/metatools/catalogue: explains each layer with the remedy and the state of the server'],
  },
  {
    id: 'U57',
    what: 'allow lists that select nothing',
    tests: [
      'plugins/metatools/tools/filterTools: searches within the toolset argument and reports selectors without matches',
      'kernel/program/review: finds rules of toolset presets that select nothing',
    ],
  },
  {
    id: 'U58',
    what: 'clients without headers want a scoped path',
    tests: [
      'plugins/transport-http/presetPath: narrows what a client sees and calls that can send no header (U58)',
      'plugins/transport-http/presetPath: meets header and argument: only what all of them hold is seen (U58)',
    ],
  },
  {
    id: 'U59',
    what: 'results far too large',
    tests: [
      'plugins/metatools/tools/getResult: are answered by their head, shape and a handle, within the budget',
      'plugins/metatools/tools/getResult: of 30 MB are answered in a few KB and can be read completely',
    ],
  },
  { id: 'U60', what: 'the cost in context is unknown', open: METRICS },
  {
    id: 'U76',
    what: 'open to the network without a warning',
    tests: ['kernel/program/review: U76: warns of every insecure setting'],
  },
  {
    id: 'U77',
    what: 'tools that change after they were approved',
    tests: [
      'plugins/upstream/http: warns of tools that say something else than before, in whatever small way (U77)',
      'plugins/upstream/http: warns of them after a restart of Pegboard too (U77)',
    ],
    but: 'it warns and does not block; prompts, resources and a tool renamed while it changes are not compared',
  },
  {
    id: 'U78',
    what: 'refusals that lead nowhere',
    tests: ['kernel/callRunner: lets a layer refuse with its own code, reason and remedy'],
    but: 'not every message is checked for a next step',
  },
  { id: 'U79', what: 'file and interface overwrite each other', open: 'comes with the admin interface' },
  {
    id: 'U80',
    what: 'a policy source that is away',
    tests: [
      'plugins/deny/deny: is taken over live, off without configuration, and keeps its rules when their place cannot be read',
    ],
    but: 'rules stand in config.yaml; there is no other source of them',
  },
  {
    id: 'U81',
    what: 'an audit trail nobody can change',
    tests: [
      'plugins/audit/verifyTrail: U81: names a line that was edited',
      'plugins/audit/verifyTrail: U81: names the place of a line that was deleted',
      'plugins/audit/verifyTrail: U81: names lines that stand in another order',
      'plugins/audit/verifyTrail: U81: names a file that is missing',
      'plugins/audit/verifyTrail: U81: names files that were swapped',
      'plugins/audit/verifyTrail: U81: hold for whoever has the public key',
      'plugins/audit/verifyTrail: U81: do not hold for a chain that was made anew',
      'plugins/audit/live: U81: records what was denied, under the name that was asked for',
      'plugins/audit/live: U81: notices at the start that a tail was cut off, and never forgets it',
      'plugins/audit/kill: U81: holds every call that was answered, and goes on behind half a line',
      'plugins/audit/live: U81: pegboard check names file and line of what was edited',
      'plugins/audit/live: U81: refuses calls that it cannot record, and goes on with a gap when the disk does',
    ],
  },
  {
    id: 'U82',
    what: 'one noisy user starves the others',
    tests: [
      'plugins/limits/limits: U82: a noisy caller leaves the others their part of a rate, and gets what they leave',
      'plugins/limits/limits: U82: a noisy caller leaves the others their part of the slots',
      'plugins/limits/live: refuse as a result with retryAfter, never as an error of the protocol',
    ],
  },
  {
    id: 'U83',
    what: 'a write is run twice',
    tests: [
      'plugins/upstream/http: says of a call whose connection was cut that it may have run',
      'plugins/upstream/lifecycle: says of a call that was under way that it may have run',
      'plugins/upstream/http: U83: sends a cut call again when its tool only reads, once, and says so in the result',
      'plugins/upstream/lifecycle: U83: sends a call of an idempotent tool again when its server died on it, once, and says so',
    ],
  },
  {
    id: 'U84',
    what: 'idempotency keys',
    tests: [
      'plugins/idempotency/live: run a call once, and answer it the second time with the same result (U84)',
      'plugins/idempotency/live: are taken from the header, quoted or bare, and from _meta before that (U84)',
      'plugins/idempotency/live: refuse a second call while the first is under way, and say when to ask again (U84)',
      'plugins/idempotency/live: refuse other arguments, and belong to one tool (U84)',
      "plugins/idempotency/live: are each caller's own, across their sessions (U84)",
      'plugins/idempotency/live: tell failures again: results that are errors, and errors of the server (U84)',
      'plugins/idempotency/live: say of a call whose connection was cut that it may have run, as often as they are asked (U84)',
      'plugins/idempotency/live: do not keep a large result, and say that the tool has run (U84)',
      'plugins/idempotency/live: name a workflow as a whole, never its steps (U84)',
      'plugins/idempotency/live: hold for clients of 2026-07-28 (U84)',
      'plugins/idempotency/live: pass the guards again: what was denied since is not told (U84)',
      'plugins/idempotency/live: outlive a restart, and a crash in the middle of a call (U84)',
      'plugins/idempotency/vaultedCalls: tells a result again byte for byte, but for the mark in _meta',
      'plugins/idempotency/vaultedCalls: runs nothing without a vault, or with one that cannot be written',
    ],
    but: 'exact within one process: a vault has no way to claim a key for one of several replicas',
  },
  {
    id: 'U85',
    what: 'traces end at the gateway',
    tests: [
      'e2e/traces: go on from the client to the server of ${name}, from _meta and from headers (U85)',
      'e2e/traces: go through workflows, and come from clients of 2026-07-28 (U85)',
    ],
    but: 'Pegboard adds no spans of its own; they come with the metrics',
  },
  { id: 'U86', what: 'labels without number', open: METRICS },
  {
    id: 'U87',
    what: 'a reload restarts everything',
    tests: ['plugins/upstream/lifecycle: touches only the server whose definition changed'],
  },
  { id: 'U88', what: "other clients' configurations", open: 'comes with the command-line client' },
  {
    id: 'U89',
    what: 'versions of one server',
    tests: [
      'plugins/upstream/lifecycle: lets running calls end before an edited server is replaced, and new calls wait for it',
      'plugins/upstream/http: warns of tools that say something else than before, in whatever small way (U77)',
    ],
    but: 'one at a time: an edit of its definition brings another and takes it back, no client notices; calls are not split by weight',
  },
  {
    id: 'U90',
    what: 'is a workflow available?',
    tests: [
      'plugins/workflow/tools/tools: names missing tools of steps, conditions and nested workflows, with position and workflow chain',
      'kernel/program/review: finds steps of workflows that no tool can serve',
    ],
  },
  {
    id: 'U91',
    what: 'tests against recorded servers',
    tests: [
      'plugins/cassettes/server: U91: a recorded server is answered for byte for byte, in another gateway, and its secrets are not in the cassette',
      'plugins/cassettes/recording: U91: hides what the definitions give to servers, in arguments and results, texts, keys and numbers',
      'plugins/cassettes/recording: U91: leaves a call out, with one warning, when what it holds cannot be hidden',
      'plugins/cassettes/replay: U91: answers a recorded call byte for byte, whatever the order of keys',
    ],
    but: 'calls of tools; resources and prompts are not recorded',
  },
];
