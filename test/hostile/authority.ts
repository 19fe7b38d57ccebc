import type { HostileCase } from './hostileCase.ts';

/** Attacks on the authority over the gateway: who may change it, and what a sentence in a result, a caller or a server reaches. Each test
 *  makes the same request as one who may, too. */
export const AUTHORITY: readonly HostileCase[] = [
  {
    id: 'C1',
    what: 'who has signed in without further rights starts a program by core_mcpserver_create',
    tests: [
      'plugins/operators/table: shows ${who} ${seen.length} of them',
      'plugins/operators/table: lets ${who} call none of the others, nor describe them',
      'plugins/operators/operators: shows ${who} the core tools of ${held} and those below',
    ],
  },
  {
    id: 'C2',
    what: '`deny: { destructive: true }` leaves core tools that start programs',
    tests: ['plugins/deny/deny: denies tools that declare themselves destructive, and no others'],
  },
  {
    id: 'C3',
    what: 'who may write workflows gets every tool by a step',
    tests: [
      'plugins/workflow/tools/writers: get no more by a workflow than they have',
      'plugins/writers/writers: refuse a step whose tool its writer may not call any more, by the configuration',
      'plugins/writers/writers: refuse it as soon as its writer is seen without the group, and no longer when with it',
    ],
  },
  {
    id: 'C4',
    what: 'a reader sees lines of calls of others, and probes the network by core_mcpserver_detect',
    tests: [
      'plugins/operators/sharedLogs: are for operators if all callers share the process, and else those of the caller’s own',
      'plugins/operators/table: lets ${who} call none of the others, nor describe them',
    ],
    but: 'core_mcpserver_get shows commands and urls to those who may only use',
  },
  {
    id: 'C5',
    what: 'one sentence makes the agent of a person alone start a program, or send secrets to an address',
    tests: [
      'plugins/operators/confirmation: does so once the person has agreed, who has seen the exact command',
      'plugins/operators/confirmation: is asked about what a step of a workflow does',
      'plugins/references/references: are refused with the reason and the fix, and nothing is sent',
      'plugins/references/references: are refused in every field, however they are spelt',
    ],
    but: 'a client that cannot show questions is served, with a warning and an event, unless `operators.local: ask`',
  },
  {
    id: 'C6',
    what: 'pegboard import starts what a cloned repository brings',
    tests: [
      'plugins/cli/verbs/importProject: leaves its files out without a terminal, also with --yes, and names --project',
      'plugins/cli/verbs/importProject: starts nothing of them, remote servers included, until it is told to',
      'plugins/cli/verbs/importProject: leaves out what only Pegboard would fill in',
    ],
  },
  {
    id: 'M1',
    what: 'completion in a shell runs the name of a tool',
    tests: [
      'plugins/cli/output/completionScript: quotes names of tools in ${shell}, so that they are called and not run',
    ],
  },
  {
    id: 'M2',
    what: 'a server widens what its hints allow, and the next call runs',
    open: 'changed declarations are logged, and not held until an operator accepts them',
  },
  {
    id: 'M3',
    what: 'a program over stdio reads the environment and the state of the gateway',
    open: 'it runs as the same user; SECURITY.md says so',
  },
  {
    id: 'M4',
    what: 'numbers of arguments arrive changed',
    tests: [
      'e2e/exactArguments: reach the server with the numbers that the client has written',
      'e2e/exactArguments: reach it so through a workflow that passes them on untouched',
    ],
    but: 'not through tools that stand for several',
  },
  {
    id: 'M5',
    what: 'scrapes whose answers are not read stop the gateway; a foreign Host reads the metrics',
    tests: [
      'plugins/metrics/exporters/startExporters: render /metrics once for many who ask at a time, however many requests they send at once',
      'plugins/metrics/exporters/startExporters: serve /metrics to the names of loopback, and those that the operator allows, read anew each time',
      'plugins/http/unread: are dropped by these listeners when three answers are unread, above their bound',
    ],
  },
  {
    id: 'M6',
    what: 'a hidden name is told from an unknown one',
    tests: [
      'plugins/access/hidden: is as if it did not exist: ${name} ${JSON.stringify(params)}',
      'plugins/access/hidden: is as if it did not exist, for core tools of operators too',
    ],
    but: '`servers_requiring_auth` of list_tools names servers to everybody, as the interface says',
  },
  {
    id: 'L1',
    what: 'of 100,000 tools of a server most are left out without a word',
    tests: ['plugins/upstream/unlisted: say so of 100,000 entries in each list of one server'],
  },
  {
    id: 'L2',
    what: 'a server takes over the uri of another by its own name',
    tests: [
      'plugins/upstream/sharedUris: stay with the server that served them first, and are reported at the other',
      'plugins/upstream/sharedUris: stay with the first over restarts of Pegboard',
    ],
  },
  {
    id: 'L3',
    what: 'a server sends sequences that a terminal obeys, hides or reorders',
    tests: [
      'plugins/kit/text/shownText: has escapes for all that a terminal obeys, hides or reorders, and its lines and tabs',
      'plugins/kit/text/shownText: is escaped by each verb that prints it, and is in a pipe as it was sent',
    ],
  },
  {
    id: 'L4',
    what: 'a path with a line break adds settings to a unit of systemd',
    tests: [
      'plugins/cli/service/serviceManager: gets no folders and paths with control characters, which would add settings',
    ],
  },
  {
    id: 'L5',
    what: 'files of keys that others may read are used without a word',
    tests: [
      'plugins/kit/files/warnOfOpenKeys: are reported with the line that mends them when group or all may read them',
      'plugins/local-token/localToken: warns of a file that others may read',
    ],
  },
  {
    id: 'L6',
    what: 'a page of another site opens sessions without an Origin',
    tests: [
      'plugins/http/hosts: refuses what pages of other sites and ports send without an Origin, where callers are served',
    ],
  },
  {
    id: 'L7',
    what: 'pages of other ports of this machine are served',
    tests: [
      'plugins/http/hosts: answers ${status} to the Origin ${JSON.stringify(origin)} with a good Host',
      'plugins/http/hosts: serves pages of other sites that the settings name',
    ],
  },
  {
    id: 'L8',
    what: 'too many open files are told as missing rights',
    tests: [
      'plugins/kit/faults/whyUnread: for want of file handles (${code}) names their limit, and not its mode',
    ],
  },
  {
    id: 'L9',
    what: 'an argument outside the enum of a server’s tool is sent',
    open: 'a server judges the arguments of its tools itself; SECURITY.md says so (decision D155)',
  },
  {
    id: 'L10',
    what: 'a definition of 130 kB stops all for 0.3–0.7 s',
    open: 'measured, and left: who may write definitions may start programs',
  },
];
