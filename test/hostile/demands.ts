import type { HostileCase } from './hostileCase.ts';

/** Complaints of users of such gateways. */
export const DEMANDS: readonly HostileCase[] = [
  {
    id: 'U1',
    what: 'a restart breaks every agent',
    tests: [
      'e2e/sessions: survive kill -9 and an orderly restart; ended ones stay ended',
      'e2e/signedInRestart: with new keys keeps sessions, sign-ins, refresh tokens and what is the caller’s',
    ],
    but: 'once the key is lost the handle is answered 404, not recovered in place',
  },
  {
    id: 'U2',
    what: 'wrong status for a lost session',
    tests: [
      'plugins/front/session/sessions: that are lost are answered in JSON-RPC with the advice to initialize again',
      'plugins/upstream/http: initializes again, once, when the session is lost with ${status} (${body}), and answers every call',
    ],
  },
  {
    id: 'U3',
    what: 'a server restarts, its session stays dead',
    tests: [
      'plugins/upstream/http: initializes again, once, when the session is lost with ${status} (${body}), and answers every call',
      'plugins/upstream/http: survives a restart of the server between two calls',
    ],
  },
  {
    id: 'U4',
    what: 'the request that finds the session lost is dropped',
    tests: ['plugins/upstream/http: survives a restart of the server between two calls'],
  },
  {
    id: 'U5',
    what: 'replicas do not share the session',
    tests: [
      'e2e/sessions: survive in each of several processes that start at once on one new state directory',
    ],
  },
  {
    id: 'U6',
    what: 'tools are missing on some replicas',
    tests: ['e2e/replicas: answer byte for byte alike, and keep their sessions when one of them is killed'],
  },
  {
    id: 'U7',
    what: 'affinity is the bottleneck',
    tests: ['e2e/replicas: answer byte for byte alike, and keep their sessions when one of them is killed'],
  },
  {
    id: 'U8',
    what: 'refused requests leave memory behind',
    tests: [
      'heavy/refusals: leave nothing behind: 10,000 of them keep the heap about flat',
      'heavy/supervision: memory and file descriptors return to their former level after clients vanish',
    ],
  },
  {
    id: 'U9',
    what: 'unlimited sessions',
    tests: [
      'plugins/front/session/sessions: continue when more are open than the cache of opened handles holds',
    ],
  },
  {
    id: 'U10',
    what: 'limits hold per replica',
    open: 'documented in the README of limits; shared limits need a shared store',
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
      'plugins/transport-http/streams: opens at once with a comment, and sends one at the configured interval',
    ],
  },
  {
    id: 'U14',
    what: 'reconnects leave processes behind',
    tests: [
      'plugins/upstream/lifecycle: has as many processes as servers after many restarts',
      'plugins/upstream/lifecycle: starts a redefined server only after its former process has exited',
    ],
  },
  {
    id: 'U15',
    what: 'zombies',
    tests: [
      'heavy/supervision: kill -9 of Pegboard and its children at any moment leaves no orphan, zombie, lock or half-written file',
    ],
  },
  {
    id: 'U16',
    what: 'children outlive a killed gateway',
    tests: [
      'plugins/upstream/lifecycle: leaves no process running',
      'plugins/upstream/lifecycle: leaves no process running even if its watchdog was killed',
      'plugins/upstream/lifecycle: ends the children of a process that exits by itself, and does not wait for those outside its group',
      'e2e/upstreams: leaves no child behind after kill -9',
    ],
  },
  {
    id: 'U17',
    what: 'a banner on standard output',
    tests: [
      'plugins/upstream/stdio: understands the messages of a server in mode ${mode}',
      'plugins/upstream/stdio: survives invalid UTF-8 and lines of 5 MB',
    ],
  },
  {
    id: 'U18',
    what: 'reconnecting gives up',
    tests: [
      'plugins/upstream/lifecycle: retries until the server works, and connects then',
      'plugins/upstream/lifecycle: starts the backoff again after a healthy period',
    ],
  },
  {
    id: 'U19',
    what: 'reconnecting ignores that a server is switched off',
    tests: ['plugins/upstream/lifecycle: does not connect to a server that was suspended during its backoff'],
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
      'plugins/upstream/lifecycle: stops a process that is not called, keeps its tools, and starts it once for a hundred calls',
      'plugins/upstream/lifecycle: starts with Pegboard only while its tools are unknown, if it may be idle',
    ],
  },
  {
    id: 'U22',
    what: 'reason and time of the next attempt are hidden',
    tests: [
      'plugins/upstream/lifecycle: backs off after repeated deaths, reports the next attempt, and then fails calls at once',
      'plugins/upstream/server/upstreamMetrics: show why a server is away, since when, and when it is tried again',
    ],
    but: 'admin pages are planned',
  },
  {
    id: 'U23',
    what: 'one dead server breaks initialize',
    tests: ['e2e/replicas: answer while twenty servers are still starting'],
  },
  {
    id: 'U24',
    what: 'one bad server delays lists',
    tests: [
      'e2e/replicas: answer while twenty servers are still starting',
      'plugins/upstream/http: does not let a server that never answers delay the configuration or another server',
    ],
  },
  {
    id: 'U25',
    what: 'a server is lost without a message',
    tests: [
      'plugins/upstream/server/events: report a death, the recovery and a failed one',
      'plugins/upstream/server/upstreamMetrics: count a loss and the restart after it',
    ],
  },
  {
    id: 'U26',
    what: 'one invalid tool breaks the list',
    tests: [
      'e2e/oddEntries: leaves the lists of others whole: ${kind}',
      'plugins/upstream/catalogue: leaves out only malformed tools, and reports them',
      'plugins/upstream/catalogue: leaves out entries nested too deep to serialise, and keeps them out when the server restarts',
      'e2e/hostileServer: a schema with bombs and foreign references is shown, never followed',
    ],
  },
  {
    id: 'U27',
    what: 'health does not show in the list',
    tests: ['plugins/upstream/http: notices that a server is gone, keeps its tools as stale, and reconnects'],
  },
  {
    id: 'U28',
    what: 'short outages make tools flap',
    tests: ['plugins/upstream/http: notices that a server is gone, keeps its tools as stale, and reconnects'],
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
      'plugins/upstream/stdio: lets progress keep a call alive, up to a limit',
      'plugins/upstream/stdio: ends a silent call after callTimeout and notifies the server',
      'plugins/upstream/stdio: applies time limits to single tools, by the names their server gives them',
    ],
  },
  {
    id: 'U31',
    what: 'slow start over many servers',
    tests: ['e2e/replicas: answer while twenty servers are still starting'],
  },
  {
    id: 'U32',
    what: 'a call hangs for ever',
    tests: ['plugins/upstream/lifecycle: reports that a call under way when it died may have run'],
  },
  {
    id: 'U33',
    what: 'list_changed of a server is ignored',
    tests: [
      'plugins/upstream/http: reads the list again when the server announces a change',
      'plugins/upstream/catalogue: reads the list again, at most four times a second, when a server announces changes 100 times',
      'plugins/upstream/catalogue: lists from time to time when a server never announces changes',
    ],
  },
  {
    id: 'U34',
    what: 'clients ignore list_changed',
    tests: [
      'plugins/front/client/createLists: is sent on the GET stream once when a list changes, and not otherwise',
    ],
  },
  {
    id: 'U35',
    what: 'storms of notifications are passed on',
    tests: [
      'plugins/front/client/createLists: is sent on the GET stream once when a list changes, and not otherwise',
      'e2e/announcements: a storm of changes is announced once at first and once more when the interval is over',
    ],
  },
  {
    id: 'U36',
    what: 'invented or late progress',
    tests: [
      'plugins/front/calls: sends strictly increasing progress, and none after the answer',
      'plugins/front/message/revisions: sends no progress of a finished request while others of its batch are running',
      'plugins/front/calls: ignores progress tokens that are neither string nor number',
    ],
  },
  {
    id: 'U37',
    what: 'questions do not reach the client',
    tests: [
      'e2e/questions: of ${name}: elicitation, sampling and roots arrive with their parameters and are answered unchanged',
      'e2e/questions: of ${name}: a question the client has not declared support for is refused and never shown',
      'plugins/upstream/stdio: shows no tools that need questions when servers may ask none',
      'e2e/everyRevision: answers five clients of ${revision} at once, each for itself: ${question.what} of a server of ${what}',
      'plugins/upstream/revisions: declares in each call what its client supports, and nothing for a call without a client',
    ],
    but: 'tools that a shared server of 2025-11-25 shows only to clients which can be asked are shown to all unless `questions` is empty: D30',
  },
  {
    id: 'U38',
    what: 'questions of a kind the client did not declare',
    tests: [
      'e2e/questions: of ${name}: a question the client has not declared support for is refused and never shown',
      'e2e/questions: by URL are sent only to a client that supports them, with an address a browser should open',
      'plugins/front/client/clientQuestions: carry the capabilities the client declared, part by part',
      'plugins/upstream/revisions: declares only what the definition lets the server ask',
    ],
  },
  {
    id: 'U39',
    what: 'instructions of servers are lost',
    tests: [
      "e2e/announcements: the gateway's instructions have a line for each server, with the beginning of what it says, and list_tools has more",
      'plugins/metatools/tools/serverInstructions: are quoted by filter_tools if more than two thirds of the tools on the page are of this server',
    ],
  },
  {
    id: 'U40',
    what: 'fields of a result are dropped',
    tests: [
      'plugins/upstream/stdio: passes on the text of a result unchanged',
      'plugins/upstream/stdio: keeps unknown fields of a declared tool',
      'e2e/extensions: return results as the server sent them, with links, embedded resources and unknown members',
      'e2e/extensions: show all that a server declares of a tool, a resource and a prompt',
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
      'plugins/upstream/catalogue: stops reading a list whose cursor repeats',
      'plugins/upstream/catalogue: stops reading an endless list at the limit',
    ],
  },
  {
    id: 'U43',
    what: "a client's revision decides the revision used with a server",
    tests: [
      'e2e/revisions: a client of ${revision} calls ${server} and answers its questions',
      'e2e/revisions: a client of ${revision} that declares nothing is not asked by ${server}',
      'e2e/everyRevision: answers five clients of ${revision} at once, each for itself: ${question.what} of a server of ${what}',
      'plugins/upstream/revisions: is 2025-11-25 for a server that answers initialize, which receives nothing of 2026-07-28',
    ],
  },
  {
    id: 'U44',
    what: 'probing hurts',
    tests: [
      'plugins/front/stateless/envelope: allows the older revision when this one is switched off: server/discover is answered 400, initialize works',
      'plugins/upstream/negotiation: is found with initialize if server/discover is answered with ${what}',
      'plugins/upstream/negotiation: is not looked for any more if no request reaches the server, or credentials are missing',
      'plugins/upstream/negotiation: that changes is agreed on once, also for calls that learn of it late',
      'plugins/upstream/revisions: may change from ${before} to ${after}: calls that find out are sent again, and running ones are kept',
      'plugins/upstream/revisions: is the one that its definition sets, and no other is tried',
    ],
  },
  {
    id: 'U45',
    what: 'clients of the next revision',
    tests: [
      'e2e/revisions: clients of both revisions read the same catalogue',
      'plugins/front/stateless/answers: are served to both revisions on one address, the same meta-tools to each',
    ],
  },
  {
    id: 'U46',
    what: 'forged requestState',
    tests: [
      'plugins/front/stateless/statelessCall: is not resumed by a changed, foreign, used or expired state, and its server receives nothing',
      'plugins/front/stateless/statelessCall: is cancelled when its client does not return in time, and cannot be resumed then',
    ],
  },
  {
    id: 'U47',
    what: 'URIs of resources collide',
    tests: [
      'plugins/upstream/catalogue: keeps a uri that two have with the first, reports it, and reads back the uri in a result',
      'plugins/upstream/sharedUris: stay with the server that served them first, and are reported at the other',
      "plugins/upstream/catalogue: lists a server's own ${what} under another uri, and leaves that uri to Pegboard",
      'e2e/extensions: read the page of an app and the file of a skill under the uris that the server gave them',
    ],
    but: 'links in results stay as their server wrote them (D6), so a link of the other server to a shared uri leads to the first',
  },
  {
    id: 'U48',
    what: 'tool names: too long, clashing delimiters',
    tests: [
      'plugins/upstream/offer/names: cuts a long name, always to the same one, and keeps different names different',
      'plugins/upstream/offer/names: puts prefix and server before the name, once',
      "e2e/hostileServer: names of JavaScript's own members are ordinary tool names, and lead back to their server's names",
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
      'plugins/front/message/revisions: explains to a client without configuration how to find and call tools',
      "e2e/announcements: the gateway's instructions have a line for each server, with the beginning of what it says, and list_tools has more",
    ],
    but: 'whether agents search is not evaluated',
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
      'kernel/catalogue: shows exactly the tools that may be called',
      'plugins/toolsets/toolsets: show exactly the tools they allow, for any toolset',
    ],
  },
  {
    id: 'U56',
    what: 'selection and permission are mixed up',
    tests: ['plugins/metatools/catalogue: explains each layer with the remedy and the state of the server'],
  },
  {
    id: 'U57',
    what: 'allow lists that select nothing',
    tests: [
      'plugins/metatools/tools/filterTools: searches within the toolset argument and reports selectors without matches',
      'plugins/check/review: finds rules of toolset presets that select nothing',
    ],
  },
  {
    id: 'U58',
    what: 'clients without headers need a scoped path',
    tests: [
      'plugins/transport-http/presetPath: narrows what a client that cannot send a header sees and calls',
      'plugins/transport-http/presetPath: combines with header and argument: only tools in all of them are visible',
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
  {
    id: 'U60',
    what: 'the cost in context is unknown',
    tests: ['plugins/upstream/server/upstreamMetrics: show what the declarations of a server take'],
    but: 'in metrics only, per server and meta-tool; not per toolset',
  },
  {
    id: 'U76',
    what: 'open to the network without a warning',
    tests: ['plugins/check/review: warns of every insecure setting'],
  },
  {
    id: 'U77',
    what: 'tools that change after they were approved',
    tests: [
      'plugins/pins/index: does not believe a tool that calls itself read-only later, until an operator accepts it',
      'plugins/pins/index: finds after a restart what has changed while it was away',
      'plugins/pins/modes: block takes it out with a reason, and what is refused is out in every mode',
      'plugins/pins/offers: warn offers them as they are now, and tells operators',
      'plugins/pins/offers: hold lists them as they were accepted, and serves them, until they are accepted',
      'plugins/pins/offers: block takes them out of lists, and refuses to get and read them, with a reason',
      'plugins/pins/instructions: hold shows the instructions that were accepted',
      'plugins/pins/instructions: finds another name or title of the server, and not another version',
      'plugins/pins/offerPulls: finds nothing in pages of another size and lists in another order, of all kinds',
      'plugins/pins/replicas: write back what they know after FLUSHALL: a change is found by them and by a new process',
    ],
    but: 'a tool renamed while it changes is not compared',
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
    what: 'a policy source that is unreachable',
    tests: [
      'plugins/deny/deny: applies changes live, is off without configuration, and keeps its rules while config.yaml is invalid',
    ],
    but: 'rules are in config.yaml, their only source',
  },
  {
    id: 'U81',
    what: 'a tamper-evident audit trail',
    tests: [
      'plugins/audit/verifyTrail: names a line that was edited',
      'plugins/audit/verifyTrail: names the place of a line that was deleted',
      'plugins/audit/verifyTrail: names reordered lines',
      'plugins/audit/verifyTrail: names a tail that was cut off, given where the trail ended',
      'plugins/audit/verifyTrail: names the last line when it was edited, and a chain that was recomputed',
      'plugins/audit/verifyTrail: names a file that is missing',
      'plugins/audit/verifyTrail: names files that were swapped',
      'plugins/audit/verifyTrail: verify with the public key',
      'plugins/audit/verifyTrail: do not verify for a chain that was recomputed',
      'plugins/audit/verifyTrail: are reported missing when they were removed',
      'plugins/audit/live: records a denied call under the requested name',
      'plugins/audit/live: records calls that a limit refused, and results that are errors',
      'plugins/audit/live: reports at the start that a tail was cut off, and never forgets it',
      'plugins/audit/kill: holds every call that was answered, and continues behind half a line',
      'plugins/audit/live: pegboard check names file and line of an edited line',
      'plugins/audit/live: refuses calls that it cannot record, and continues with a gap once the disk works',
    ],
  },
  {
    id: 'U82',
    what: 'one noisy user starves the others',
    tests: [
      'plugins/limits/limits: leaves other callers their part of a rate beside a noisy one, which gets the rest',
      'plugins/limits/limits: leaves other callers their part of the slots beside a noisy one',
      'plugins/limits/live: refuse with a result and retryAfter, never with a protocol error',
    ],
  },
  {
    id: 'U83',
    what: 'a write is run twice',
    tests: [
      'plugins/upstream/http: reports that a call whose connection was cut may have run',
      'plugins/upstream/lifecycle: reports that a call under way when it died may have run',
      'plugins/upstream/http: resends a cut call of a read-only tool once, and marks the result',
      'plugins/upstream/lifecycle: resends a call of an idempotent tool once when its server dies, and marks the result',
    ],
  },
  {
    id: 'U84',
    what: 'idempotency keys',
    tests: [
      'plugins/idempotency/live: run a call once, and answer the repeated call with the same result',
      'plugins/idempotency/live: are read from the header, quoted or bare, and from _meta first',
      'plugins/idempotency/live: refuse a second call while the first is under way, and say when to retry',
      'plugins/idempotency/live: refuse other arguments, and belong to one tool',
      'plugins/idempotency/live: belong to their caller, across its sessions',
      'plugins/idempotency/live: repeat failures: results that are errors, and errors of the server',
      'plugins/idempotency/live: answer for a call whose connection was cut that it may have run, each time',
      'plugins/idempotency/live: do not keep a large result, and answer that the tool has run',
      'plugins/idempotency/live: cover a workflow as a whole, never its steps',
      'plugins/idempotency/live: work for clients of 2026-07-28',
      'plugins/idempotency/live: belong to their client in 2026-07-28 without sign-in, by its owner handle',
      'plugins/idempotency/live: pass the guards again: a result that was denied since is not repeated',
      'plugins/idempotency/live: survive a restart, and a crash in the middle of a call',
      'plugins/idempotency/vaultedCalls: repeats a result byte for byte, except for the mark in _meta',
      'plugins/idempotency/vaultedCalls: runs nothing without a vault, or with one that is not writable',
    ],
    but: 'exact within one process: a vault has no way to claim a key for one of several replicas',
  },
  {
    id: 'U85',
    what: 'traces end at the gateway',
    tests: [
      'e2e/traces: continue from the client to the server of ${name}, from _meta and from headers',
      'e2e/traces: continue through workflows, and from clients of 2026-07-28',
    ],
    but: 'Pegboard adds no spans of its own; they are planned with the metrics',
  },
  {
    id: 'U86',
    what: 'labels without number',
    tests: [
      'plugins/metrics/scrape: has fewer than 2,000 series after calls of 10,000 tools and of 10,000 guessed names',
      'plugins/metrics/readme: has every metric of every built-in plugin with its kind, unit and meaning, and no other',
    ],
    but: 'there are no exemplars',
  },
  {
    id: 'U87',
    what: 'a reload restarts everything',
    tests: ['plugins/upstream/lifecycle: restarts only the server whose definition changed'],
  },
  { id: 'U88', what: "other clients' configurations", open: 'comes with the command-line client' },
  {
    id: 'U89',
    what: 'versions of one server',
    tests: [
      'plugins/upstream/lifecycle: lets running calls end before an edited server is replaced, and new calls wait for it',
      'plugins/upstream/http: reports tools whose declaration has changed, in any detail',
    ],
    but: 'one at a time: an edit of its definition switches to another and back, unnoticed by clients; calls are not split by weight',
  },
  {
    id: 'U90',
    what: 'is a workflow available?',
    tests: [
      'plugins/workflow/tools/tools: names missing tools of steps, conditions and nested workflows, with position and workflow chain',
      'plugins/check/review: finds steps of workflows that no tool can serve',
    ],
  },
  {
    id: 'U91',
    what: 'tests against recorded servers',
    tests: [
      'plugins/cassettes/server: replay a recorded server byte for byte in another gateway, from a cassette without its secrets',
      'plugins/cassettes/recording: hides values of server definitions in arguments and results, texts, keys and numbers',
      'plugins/cassettes/recording: leaves a call out, with one warning, when its secrets cannot be hidden',
      'plugins/cassettes/replay: answers a recorded call byte for byte, whatever the order of keys',
    ],
    but: 'calls of tools; resources and prompts are not recorded',
  },
];
