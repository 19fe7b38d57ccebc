import type { Requirement } from './requirement.ts';

/** What the service does, service life cycle, versioning. */
export const SERVICE: readonly Requirement[] = [
  {
    id: 'service.aggregates',
    sentence:
      'It serves one MCP endpoint and combines the tools of many registered MCP servers, its own built-in tools and workflows into one catalogue.',
    tests: [
      'e2e/upstreams: lists, filters, describes and calls over all three transports',
      'e2e/upstreams: serves examples/minimal: thirteen meta-tools in front of two real servers',
    ],
  },
  {
    id: 'service.metaOnly',
    sentence: 'An MCP client that connects sees only the meta-tools (stated count: 13).',
    tests: [
      'plugins/metatools/catalogue: lists the thirteen meta-tools in a stable order, complete and annotated',
      'e2e/upstreams: serves examples/minimal: thirteen meta-tools in front of two real servers',
    ],
  },
  {
    id: 'service.callToolOnly',
    sentence:
      'Every other tool is reached through call_tool, and only through it; issuing its name directly fails.',
    tests: [
      'plugins/metatools/catalogue: allows direct calls of the thirteen meta-tools only',
      'plugins/front/calls: refuses a tool that is no meta-tool with -32602 and shows the call_tool call that would do it',
      'kernel/callRunner: reaches meta-tools at the entry only, and all others below it only',
    ],
  },
  {
    id: 'service.names',
    sentence: 'Core tools are named core_*, external tools x_<server-name>_<tool-name>.',
    tests: [
      'plugins/upstream/catalogue: puts prefix and server before the name, once',
      'plugins/coreTools: are those of the interface, and what is beyond it has all four annotations',
      'e2e/upstreams: lists, filters, describes and calls over all three transports',
    ],
  },
  {
    id: 'service.lifecycle',
    sentence: 'The service manages start, stop, restart and status of the aggregator and of MCP servers.',
    tests: [
      'e2e/serviceStates: core_service_stop writes the file and holds over a restart of Pegboard, until core_service_start',
      'plugins/core-services/serviceTools: starts, stops and restarts, and answers with the state that came of it',
      'plugins/core-services/serviceTools: answers the status of one service, and near names when there is none',
      'plugins/upstream/server/managedService: restarts into another process',
    ],
  },
  {
    id: 'service.files',
    sentence: 'The service stores MCP server definitions as YAML files on disk (default).',
    tests: [
      'plugins/store-file/load: reads resource form and flat form, .yaml and .yml',
      'plugins/store-file/fileStore: creates a file in resource form that reads back, private to its owner and without leftovers',
    ],
  },
  {
    id: 'service.toolset',
    sentence: 'Tool visibility can be narrowed per request by a toolset.',
    tests: [
      'plugins/toolsets/toolsets: refuses calls outside it, naming tool and selectors',
      'plugins/metatools/tools/filterTools: searches within the toolset argument and reports selectors without matches',
    ],
  },
  {
    id: 'record.fields',
    sentence:
      'core_service_list returns {services, total}; a record has name, service_type, state, health and metadata.',
    tests: [
      'plugins/core-services/serviceTools: lists the aggregator beside the servers, with counts',
      'plugins/upstream/server/managedService: shows command, tools and revision, and never env or headers',
    ],
  },
  {
    id: 'state.stop',
    sentence: 'core_service_stop writes suspended and keeps the server stopped; its tools are not listed.',
    tests: [
      'e2e/serviceStates: core_service_stop writes the file and holds over a restart of Pegboard, until core_service_start',
      'plugins/upstream/server/managedService: writes suspended on stop and clears it on start',
      'plugins/upstream/lifecycle: removes the tools of a stopped or removed server and says why',
    ],
  },
  {
    id: 'state.start',
    sentence: 'core_service_start clears suspended.',
    tests: [
      'e2e/serviceStates: core_service_stop writes the file and holds over a restart of Pegboard, until core_service_start',
      'plugins/upstream/server/managedService: writes suspended on stop and clears it on start',
    ],
  },
  {
    id: 'state.restart',
    sentence: 'core_service_restart restarts once; a newer restartRequestedAt requests another restart.',
    tests: [
      'plugins/upstream/server/managedService: restarts into another process',
      'plugins/upstream/lifecycle: restarts once per restartRequestedAt, for a newer one only, and lastRestartedAt never goes back',
    ],
  },
  {
    id: 'state.effect',
    sentence: 'Start, stop and restart have taken effect when they answer; what is so already is said so.',
    tests: [
      'plugins/core-services/serviceTools: starts, stops and restarts, and answers with the state that came of it',
      'plugins/core-services/serviceTools: counts what is so already as done, without another order',
    ],
  },
  {
    id: 'state.tools',
    sentence: "A server's tools are in the catalogue before its state says so.",
    tests: [
      'plugins/upstream/lifecycle: has its tools in the catalogue before anybody hears that it is ready',
    ],
  },
  {
    id: 'state.failed',
    sentence:
      "A server that stays starting ends in failed with its stderr's tail; retries show nextRetryAfter.",
    tests: [
      'plugins/upstream/stdio: fails a server that never answers initialize, kills it and tries again later',
      'plugins/upstream/server/managedService: counts a restart of a server that is away as done, and shows when it is tried again',
    ],
  },
  {
    id: 'state.processed',
    sentence:
      'restartRequestedAt is processed once and mirrored in lastRestartedAt; a restart of an unreachable server counts as processed and is no error.',
    tests: [
      'plugins/core-services/serviceTools: counts a restart of a server that is away as done, and says how it is',
      'plugins/upstream/server/managedService: counts a restart of a server that is away as done, and shows when it is tried again',
      'plugins/upstream/lifecycle: restarts once per restartRequestedAt, for a newer one only, and lastRestartedAt never goes back',
      'plugins/upstream/lifecycle: takes the restart that a definition asks for at the start as done',
    ],
  },
  {
    id: 'decide.family',
    sentence: 'Servers of one family share their tools; an argument says which server is meant.',
    tests: [
      'plugins/upstream/offer/families: offers a tool of several servers once, and calls the one that is named',
      'plugins/upstream/offer/families: follows its members as they come and go, and is not found once none is left',
      'plugins/upstream/offer/families: leaves a tool to its servers that they declare differently, or that has such an argument',
      'plugins/upstream/offer/families: leaves each its own tools when they disagree on the argument',
    ],
  },
  {
    id: 'decide.lists',
    sentence: 'A server has lists of tools to include and to exclude, asked by the one decision.',
    tests: [
      'plugins/upstream/offer/families: hide what excludeTools holds and includeTools does not, and say so',
    ],
  },
  {
    id: 'decide.deny',
    sentence: 'A deny list of destructive tools, if configured, hides and refuses them.',
    tests: [
      'plugins/deny/deny: hides and refuses what a pattern names, and says which one',
      'plugins/deny/deny: denies what declares itself destructive, and nothing else',
      'plugins/deny/deny: holds for the steps of a workflow too',
    ],
  },
  {
    id: 'state.aggregator',
    sentence:
      'The aggregator is started, stopped and restarted: its listener; start on a static service such as the aggregator may be unsupported.',
    tests: [
      'plugins/core-services/serviceTools: stops the aggregator only when that is confirmed, names the ways back, and starts and restarts it',
      'plugins/core-services/serviceTools: refuses to stop or restart the aggregator where nothing listens, as over stdio',
      'plugins/http/listener: is shut after the answer to whoever asked for it, ends streams, and finishes what was under way',
      'plugins/http/listener: is open again at its port after an edit of config.yaml and after SIGHUP, and not because of another file',
      'plugins/http/listener: leaves its place and takes it again when it is reopened, and answers whoever asked for it',
    ],
  },
  {
    id: 'version.revisions',
    sentence:
      'The service negotiates MCP revision 2025-11-25 and earlier ones; the client states its revision at initialize and in MCP-Protocol-Version.',
    tests: [
      'plugins/front/message/revisions: agrees on ${revision} when a client asks for it',
      'plugins/front/message/revisions: offers its newest revision to a client that asks for ${JSON.stringify(asked)}',
      'plugins/front/message/revisions: answers 400 with a JSON-RPC error to MCP-Protocol-Version: ${version}, with and without a session',
    ],
  },
];
