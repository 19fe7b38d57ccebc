import type { Requirement } from './requirement.ts';

/** MCP server definitions, configuration and core tools. */
export const DEFINITIONS: readonly Requirement[] = [
  {
    id: 'server.schema',
    sentence: 'An MCP server definition has the fields, types and defaults of the interface; name is unique.',
    tests: [
      'plugins/core-mcpservers/mcpServerKind: accepts everything the interface describes',
      'plugins/core-mcpservers/mcpServerKind: refuses ${what} and names the fix',
      'kernel/config/resources: names both places of a definition that exists twice, and keeps the first',
    ],
  },
  {
    id: 'server.stdio',
    sentence: 'command is required for stdio; autoStart starts it at start-up.',
    tests: [
      'plugins/core-mcpservers/mcpServerKind: refuses ${what} and names the fix',
      'plugins/upstream/lifecycle: starts stdio servers only with autoStart or once that was requested, and suspended ones never',
    ],
  },
  {
    id: 'server.remote',
    sentence: 'url is required for streamable-http and sse; headers belong to them only.',
    tests: [
      'plugins/core-mcpservers/mcpServerKind: refuses ${what} and names the fix',
      'plugins/upstream/http: is called over ${type}, killed, started again and called again',
    ],
  },
  {
    id: 'server.prefix',
    sentence: 'toolPrefix is a prefix of the tool names.',
    tests: ['plugins/upstream/offer/names: puts prefix and server before the name, once'],
  },
  {
    id: 'server.env',
    sentence: 'env on update replaces the existing map.',
    tests: [
      'plugins/core-mcpservers/tools: replaces env as a whole, and keeps the stored value of a key that is sent back redacted',
    ],
  },
  {
    id: 'server.timeout',
    sentence: 'timeout (seconds, default 30) limits the connection.',
    tests: [
      'plugins/upstream/stdio: fails a server that never answers initialize, kills it and tries again later',
      'plugins/core-mcpservers/tools: lists definitions with defaults, state and mode, and no secret',
    ],
  },
  {
    id: 'server.suspended',
    sentence: 'suspended true stops the server and keeps it stopped; false resumes it.',
    tests: [
      'plugins/upstream/lifecycle: does not connect to a server that was suspended during its backoff',
      'plugins/upstream/server/managedService: writes suspended on stop and clears it on start',
    ],
  },
  {
    id: 'server.list',
    sentence: 'core_mcpserver_list returns mcpServers, mode (filesystem) and total.',
    tests: ['plugins/core-mcpservers/tools: lists definitions with defaults, state and mode, and no secret'],
  },
  {
    id: 'server.get',
    sentence: 'core_mcpserver_get returns the definition.',
    tests: [
      'plugins/core-mcpservers/tools: gets one definition, and names the next step when it does not exist',
    ],
  },
  {
    id: 'server.create',
    sentence: 'core_mcpserver_create returns the created definition.',
    tests: ['plugins/core-mcpservers/tools: creates a definition that is in force when the answer is sent'],
  },
  {
    id: 'server.update',
    sentence: 'core_mcpserver_update changes only the fields given.',
    tests: [
      'plugins/core-mcpservers/tools: changes only the fields given, keeps comments, and clears with null',
    ],
  },
  {
    id: 'server.delete',
    sentence: 'core_mcpserver_delete needs the server stopped first.',
    tests: [
      'plugins/core-mcpservers/tools: refuses to delete a server that runs or is connected, and deletes one that is starting or failed',
    ],
  },
  {
    id: 'server.validate',
    sentence: 'core_mcpserver_validate answers errors and warnings and creates nothing.',
    tests: ['plugins/core-mcpservers/tools: validates without creating, and returns faults as an answer'],
  },
  {
    id: 'server.detect',
    sentence: 'core_mcpserver_detect probes a url and never fails.',
    tests: [
      'plugins/core-mcpservers/detect: finds a server of either transport, with its name, and ends no session, which may be the only one',
      'plugins/core-mcpservers/detect: reports that a sign-in is required',
      'plugins/core-mcpservers/detect: reports how people sign in, by either transport',
      'plugins/core-mcpservers/detect: reports why it is not known how people sign in, without secrets of the url',
      'plugins/core-mcpservers/detect: does not fail for a target that is missing, not MCP or too slow',
      'plugins/core-mcpservers/detect: refuses arguments by field',
    ],
  },
  {
    id: 'server.words',
    sentence: 'Items of core_mcpserver_list carry state in words; the tool tolerates showAll and verbose.',
    tests: [
      'plugins/core-mcpservers/tools: describes the state in words with its next step, and accepts the switches of older clients',
    ],
  },
  {
    id: 'server.unused',
    sentence: 'url on a stdio server and command on a remote one are warnings.',
    tests: [
      'plugins/core-mcpservers/mcpServerKind: warns of fields that a server of its type does not use',
      'plugins/core-mcpservers/tools: creates a definition that is in force when the answer is sent',
    ],
  },
  {
    id: 'server.older',
    sentence: 'Deprecated spellings of the server form are accepted with a warning.',
    tests: ['plugins/core-mcpservers/mcpServerKind: accepts older names of auth with a warning'],
  },
  {
    id: 'core.texts',
    sentence: 'Validation texts name field, rule (minimum, maximum, enum, required) and value.',
    tests: [
      'kernel/config/validate: describes a wrong type, an enum, a missing key and a limit, with its path',
    ],
  },
  {
    id: 'config.directory',
    sentence: 'The directory holds config.yaml and mcpservers/*.yaml; --config-path overrides it.',
    tests: [
      'kernel/program/commandLine: reads every option of serve and check',
      'plugins/store-file/load: reads resource form and flat form, .yaml and .yml',
      'e2e/commandLine: creates the default configuration directory with a commented config.yaml, says so, and serves',
    ],
  },
  {
    id: 'config.order',
    sentence: 'Defaults, then config.yaml, then resource files.',
    tests: [
      'kernel/config/settings: uses the defaults for a missing, empty or commented config.yaml',
      'kernel/config/pipeline: boots: starts the plugins, loads definitions, informs their owner, reports',
    ],
  },
  {
    id: 'config.validation',
    sentence: 'Start-up validates syntax, schema and references.',
    tests: [
      'e2e/commandLine: exits 2 with all issues and their positions when the configuration is invalid',
      'e2e/commandLine: exits 2 with the position of a syntax error, and of each unresolved reference',
      'kernel/config/pipeline: fails to boot with every fault of config.yaml and its plugins at once',
      'kernel/config/pipeline: fails to boot with every issue of all definitions when their store is strict, and leaves nothing running',
    ],
  },
  {
    id: 'config.leftOut',
    sentence:
      'At the start an invalid definition is left out alone; faults in config.yaml and presets, and with strictStart in definitions, fail the start.',
    tests: [
      'kernel/config/pipeline: leaves out only the invalid definitions at the start',
      'plugins/store-file/load: leaves out invalid definitions at the start, reports them, and reports when they are valid again',
      'plugins/store-file/load: logs once, for a file that breaks, which version stays and the consequence for the next start',
      'kernel/program/main: serves without an invalid definition, and exits 2 for it with strictStart and from check',
      'plugins/core-mcpservers/tools: reports the issues of a definition whose file is refused',
    ],
  },
  {
    id: 'config.defaults',
    sentence: 'aggregator: port 8090, host localhost, transport streamable-http, enabled true.',
    tests: [
      'plugins/core-config/tools: shows the aggregator section alone',
      'plugins/http/listener: serves nothing with aggregator.enabled false',
    ],
  },
  {
    id: 'config.namespace',
    sentence: 'namespace (default "default") selects definitions.',
    tests: [
      'plugins/store-file/load: leaves out definitions of another namespace with a warning at its place, and keeps flat ones',
    ],
  },
  {
    id: 'config.get',
    sentence: 'core_config_get answers the whole configuration with capitalised keys.',
    tests: ['plugins/core-config/tools: shows the whole configuration with capitalised keys and defaults'],
  },
  {
    id: 'config.aggregator',
    sentence: 'core_config_get_aggregator answers Port, Host, Transport, Enabled, ServicePrefix.',
    tests: ['plugins/core-config/tools: shows the aggregator section alone'],
  },
  {
    id: 'config.update',
    sentence: 'core_config_update_aggregator changes in memory only until saved.',
    tests: ['plugins/core-config/tools: changes only the given keys, in memory, at once'],
  },
  {
    id: 'config.save',
    sentence: 'core_config_save answers the paths written.',
    tests: ['plugins/core-config/tools: saves with comments and order kept, once'],
  },
  {
    id: 'config.reload',
    sentence: 'core_config_reload discards unsaved changes and answers errors.',
    tests: [
      'plugins/core-config/tools: reloads from disk and discards unsaved changes',
      'plugins/core-config/tools: answers errors with file, line and column; a rejected configuration is an error',
    ],
  },
  {
    id: 'config.gone',
    sentence:
      'A config.yaml that is emptied, cut or gone while Pegboard runs is an error: the last good settings stay.',
    tests: [
      'kernel/config/pipeline: keeps the settings when config.yaml is emptied, cut or gone, and reports when it is valid again',
    ],
  },
  {
    id: 'config.unfinished',
    sentence:
      'A file of the configuration that may be half written keeps its last version until it is whole, or is unchanged for 5 s.',
    tests: [
      'e2e/slowWrites: open no denied tool, and end no running call',
      'e2e/slowWrites: are read after 5 s, with a warning, if they are shorter for good',
      'plugins/live-reload/unfinishedFiles: holds back every proper prefix of every text, and no change of its spaces at the end',
      'plugins/live-reload/unfinishedFiles: reads a replaced, appended, removed or new file at once',
    ],
  },
  {
    id: 'config.required',
    sentence: 'No live edit switches off, changes or takes off the list a plugin that `required` names.',
    tests: [
      'kernel/config/pipeline: fails to boot without a plugin that `required` names',
      'kernel/config/pipeline: refuses every live edit that switches off, changes or unlists a required plugin',
    ],
  },
  {
    id: 'config.confirm',
    sentence: 'core_config_update_aggregator closes the last endpoint only with confirm: true.',
    tests: [
      'plugins/core-config/tools: closes the last endpoint only when confirmed, and config.yaml opens it again',
    ],
  },
  {
    id: 'config.sighup',
    sentence: 'SIGHUP reads the configuration again when no terminal is attached.',
    tests: ['e2e/stopping: SIGHUP without a terminal reloads the configuration'],
  },
  {
    id: 'config.sigusr',
    sentence: 'SIGUSR1 opens no debugger, SIGUSR2 does not end Pegboard; both are logged and do nothing.',
    tests: [
      'e2e/signals: open no debugger and do not end a gateway, which logs that they do nothing',
      'e2e/signals: do so during the start, too',
      'e2e/signals: do nothing to pegboard-replay',
    ],
  },
  {
    id: 'core.annotations',
    sentence:
      'Core tools carry the annotations of the table and take the arguments, with the defaults, of the interface.',
    tests: [
      'plugins/coreTools: ${name} has the annotations and arguments of the interface',
      'plugins/coreTools: are those of the interface; additional ones have all four annotations',
    ],
  },
  {
    id: 'core.serverLogs',
    sentence:
      'core_server_logs shows what a stdio server wrote on standard error, without secrets, and to each caller only what concerns them.',
    tests: [
      'plugins/core-services/serverLogsTool: shows what the process of a server wrote, and passes on how much and since when',
      'plugins/upstream/stdio: keeps standard error over restarts, without the values of its env',
      'plugins/upstream/stdio: has no standard error of a remote server',
      'plugins/upstream/instances: perSession: show what they write on standard error to their session only',
      'plugins/upstream/own/ownConnections: show their output to their owner only, and that of the shared one where there is no other',
    ],
  },
  {
    id: 'core.events',
    sentence: 'core_events lists what happened, filtered and paged; it is kept in the vault.',
    tests: [
      'plugins/core-events/tool: answers events newest first with every field, as text and as structured content',
      'plugins/core-events/tool: filters by kind, name, namespace, weight, reason and time, and pages',
      'plugins/core-events/tool: keeps no more than the ring in memory, and everything in the vault, over a restart',
    ],
  },
  {
    id: 'core.events.catalogue',
    sentence: 'Every event of the catalogue that file mode can raise is raised, once.',
    tests: [
      'plugins/upstream/server/events: report start, stop and restart',
      'plugins/upstream/server/events: report a death, the recovery and a failed one',
      'plugins/upstream/server/events: report a remote server that requires a sign-in or does not answer',
      'plugins/core-mcpservers/tools: emits an event for every write, and for failed ones',
      'plugins/core-events/readme: has a row for every reason that a plugin can raise',
    ],
  },
  {
    id: 'resource.auth',
    sentence:
      'The resource auth://status reports the authentication status of each server; a stopped one is disconnected with suspended true.',
    tests: [
      'plugins/core-mcpservers/authStatus: shows the sign-in state of each server, and notifies of changes',
      'e2e/changedServers: T101: a server that is stopped is hidden and refuses the sign-in; once it is started, none is needed',
      'e2e/singleSignOn: U73: shows a refused token as reauth_required, asks for no login, and works after a new sign-in',
      "plugins/upstream/catalogue: lists a server's own ${what} under another uri, and leaves that uri to Pegboard",
    ],
  },
];
