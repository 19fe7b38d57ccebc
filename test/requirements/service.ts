import type { Requirement } from './requirement.ts';

/** Purpose of the service, service life cycle, versioning. */
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
      'plugins/front/calls: refuses a tool that is not a meta-tool with -32602 and shows the equivalent call_tool call',
      'kernel/callRunner: reaches meta-tools only from the entry, and all other tools only below it',
    ],
  },
  {
    id: 'service.names',
    sentence: 'Core tools are named core_*, external tools x_<server-name>_<tool-name>.',
    tests: [
      'plugins/upstream/offer/names: puts prefix and server before the name, once',
      'plugins/coreTools: are those of the interface; additional ones have all four annotations',
      'e2e/upstreams: lists, filters, describes and calls over all three transports',
    ],
  },
  {
    id: 'service.lifecycle',
    sentence: 'The service manages start, stop, restart and status of the aggregator and of MCP servers.',
    tests: [
      'e2e/serviceStates: core_service_stop writes the file and lasts over a restart of Pegboard, until core_service_start',
      'plugins/core-services/serviceTools: starts, stops and restarts, and answers with the resulting state',
      'plugins/core-services/serviceTools: answers the status of one service, and near names when it does not exist',
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
      'plugins/toolsets/toolsets: refuse calls outside them, naming tool and selectors',
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
      'e2e/serviceStates: core_service_stop writes the file and lasts over a restart of Pegboard, until core_service_start',
      'plugins/upstream/server/managedService: writes suspended on stop and clears it on start',
      'plugins/upstream/lifecycle: removes the tools of a stopped or removed server and gives the reason',
      'e2e/changedServers: T101: a server that is stopped is hidden and refuses the sign-in; once it is started, none is needed',
    ],
  },
  {
    id: 'state.start',
    sentence: 'core_service_start clears suspended.',
    tests: [
      'e2e/serviceStates: core_service_stop writes the file and lasts over a restart of Pegboard, until core_service_start',
      'plugins/upstream/server/managedService: writes suspended on stop and clears it on start',
    ],
  },
  {
    id: 'state.restart',
    sentence: 'core_service_restart restarts once; a newer restartRequestedAt requests another restart.',
    tests: [
      'plugins/upstream/server/managedService: restarts into another process',
      'plugins/upstream/lifecycle: restarts once per restartRequestedAt, for a newer one only, and lastRestartedAt never decreases',
    ],
  },
  {
    id: 'state.auth',
    sentence:
      'The restart of a server that waits for a sign-in is refused, and says that it requires OAuth authentication.',
    tests: [
      'e2e/serverSignIn: is not replaced by a restart of the server, which is refused and leaves the link usable',
    ],
  },
  {
    id: 'state.effect',
    sentence:
      'Start, stop and restart have taken effect when they answer; a state already reached is reported as such.',
    tests: [
      'plugins/core-services/serviceTools: starts, stops and restarts, and answers with the resulting state',
      'plugins/core-services/serviceTools: treats a state that is already reached as done, without another order',
    ],
  },
  {
    id: 'state.tools',
    sentence: "A server's tools are in the catalogue before its state is running.",
    tests: ['plugins/upstream/lifecycle: has its tools in the catalogue before it is reported ready'],
  },
  {
    id: 'state.failed',
    sentence:
      "A server that stays starting ends in failed with its stderr's tail; retries show nextRetryAfter.",
    tests: [
      'plugins/upstream/stdio: fails a server that never answers initialize, kills it and tries again later',
      'plugins/upstream/server/managedService: treats a restart of an unreachable server as done, and shows the next attempt',
    ],
  },
  {
    id: 'state.processed',
    sentence:
      'restartRequestedAt is processed once and mirrored in lastRestartedAt; a restart of an unreachable server counts as processed and is not an error.',
    tests: [
      'plugins/core-services/serviceTools: treats a restart of an unreachable server as done, and reports its state',
      'plugins/upstream/server/managedService: treats a restart of an unreachable server as done, and shows the next attempt',
      'plugins/upstream/lifecycle: restarts once per restartRequestedAt, for a newer one only, and lastRestartedAt never decreases',
      'plugins/upstream/lifecycle: counts a restart that its definition requests at the start as done',
    ],
  },
  {
    id: 'decide.family',
    sentence: 'Servers of one family share their tools; an argument says which server is meant.',
    tests: [
      'plugins/upstream/offer/families: offers a tool of several servers once, and calls the one that is named',
      'plugins/upstream/offer/families: follows its members as they are added and removed, and is not found once none is left',
      'plugins/upstream/offer/families: leaves a tool to its servers when they declare it differently, or when it has such an argument itself',
      'plugins/upstream/offer/families: gives each server its own tools when they disagree on the argument',
    ],
  },
  {
    id: 'decide.lists',
    sentence: 'A server has lists of tools to include and to exclude, applied by the one decision.',
    tests: [
      'plugins/upstream/offer/families: hide tools in excludeTools and tools missing from includeTools, and report them',
    ],
  },
  {
    id: 'decide.deny',
    sentence: 'A deny list of destructive tools, if configured, hides and refuses them.',
    tests: [
      'plugins/deny/deny: hides and refuses the tools that a pattern names, and names the pattern',
      'plugins/deny/deny: denies tools that declare themselves destructive, and no others',
      'plugins/deny/deny: applies to the steps of a workflow too',
    ],
  },
  {
    id: 'state.aggregator',
    sentence:
      'The aggregator is started, stopped and restarted: its listener; start on a static service such as the aggregator may be unsupported.',
    tests: [
      'plugins/core-services/serviceTools: stops the aggregator only when confirmed, names the ways back, and starts and restarts it',
      'plugins/core-services/serviceTools: refuses to stop or restart the aggregator without a listener, as over stdio',
      'plugins/http/listener: closes after answering the request that stopped it, ends streams, and finishes requests under way',
      'plugins/http/listener: opens again at its port after an edit of config.yaml and after SIGHUP, and not because of another file',
      'plugins/http/listener: closes and opens again when it is restarted, and answers the request that restarted it',
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
  {
    id: 'tracing.context',
    sentence:
      'A trace in W3C form is taken from _meta or else from headers, and passed on by both, through workflows and standard input and output.',
    tests: [
      'plugins/tracing/live: is one trace from the client through the steps of a workflow into two servers',
      'plugins/tracing/live: begins from headers too, and _meta wins',
      'plugins/tracing/live: is a new one without a trace, and with a malformed one',
      'e2e/traces: reach an HTTP server in headers too, as far as a header can hold them',
      'e2e/traces: that are malformed are not passed on',
    ],
  },
  {
    id: 'tracing.export',
    sentence:
      'Spans are exported over OTLP (HTTP) as the OTEL_* variables say; without them nothing is traced; a collector that is away costs one warning.',
    tests: [
      'plugins/tracing/export: are those that the variables name, and none are made without variables',
      'plugins/tracing/export: send protobuf by default, with the same spans as JSON',
      'plugins/tracing/export: get what the sampler chose: by default what the client chose, and everything without a client',
      'plugins/tracing/export: export at a stop what waits',
      'plugins/tracing/export: warn once while the collector refuses, keep a bounded number of spans, and say when it works again',
    ],
  },
  {
    id: 'tracing.content',
    sentence:
      'Spans have no arguments, results or identities; plugins.tracing.config.content: true adds arguments and results with secrets hidden.',
    tests: [
      'plugins/tracing/live: leaves out arguments, results, session ids and identities',
      'plugins/tracing/content: is arguments and result of calls to servers, without known secrets',
      'plugins/tracing/content: hides sensitive inputs of workflows',
      'plugins/tracing/content: is switched off and on by an edit of config.yaml, at once',
    ],
  },
  {
    id: 'tracing.id',
    sentence:
      'The id of the trace is in errors that the gateway makes, log lines, events of runs and audit lines of a call.',
    tests: [
      'e2e/traces: are named in errors, events and the audit trail, also for calls that never run',
      'plugins/kit/calls/internalErrorText: puts the trace that the error belongs to into the line',
      'plugins/tracing/export: name their trace to the client also if it is not sampled',
    ],
  },
  {
    id: 'client.auth',
    sentence: 'auth in config.yaml holds authentication settings for the command-line client.',
    tests: [
      'plugins/cli/verbs/auth: auth in config.yaml sets the port of the callback, and whether the browser is opened',
      'plugins/cli/bridge/runBridge: ends with exit code 2 if the gateway wants a sign-in and auth.mode forbids it',
    ],
  },
  {
    id: 'client.silent',
    sentence:
      '--silent on login and agent commands (off) tries prompt=none first and falls back to interactive login.',
    tests: [
      'plugins/cli/verbs/auth: login --silent tries prompt=none with the hints of the last sign-in',
      'plugins/cli/verbs/auth: login --silent falls back to the interactive sign-in, also as the default of config.yaml',
      'plugins/cli/bridge/signedOut: --silent signs in without the tool if the browser knows the person',
    ],
  },
];
