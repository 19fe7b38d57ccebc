import type { Requirement } from './requirement.ts';

/** Paths, headers and errors of the public listener. */
export const ENDPOINT: readonly Requirement[] = [
  {
    id: 'path.mcp',
    sentence: '/mcp takes POST, GET and DELETE: requests, notification stream, session termination.',
    tests: [
      'plugins/http/methods: answers ${method} /mcp with 405 and Allow',
      'plugins/front/session/sessions: open on POST, GET and DELETE with the handle of initialize',
      'plugins/transport-http/streams: opens at once with a comment, and sends one at the configured interval',
      'plugins/front/session/sessions: are answered 404 once ended, for good',
    ],
  },
  {
    id: 'path.sse',
    sentence: '/sse is the older event stream, /message takes its requests.',
    tests: [
      'plugins/transport-sse/sseConnections: names the path to post to, accepts with 202 and answers on the stream',
      'plugins/transport-sse/sseConnections: serves the SDK client',
    ],
  },
  {
    id: 'path.health',
    sentence: 'GET /health answers 200 with status ok, without authentication.',
    tests: [
      'plugins/http/methods: answers GET /health with 200 and status ok, without any other header',
      'plugins/http/hosts: answers /health and /ready whatever Host says, as health checks of balancers send them',
      'plugins/http/methods: answers with what a tap on onRequest replied, and never reaches the route',
    ],
  },
  {
    id: 'initialize',
    sentence:
      'A client POSTs initialize with Content-Type application/json and Accept of both kinds; the response carries the session id.',
    tests: [
      'plugins/front/message/revisions: agrees on ${revision} when a client asks for it',
      'plugins/transport-http/headers: answers 406 to a POST with Accept: ${accept}',
      "plugins/transport-http/headers: answers 415 to a POST with Content-Type: ${type === '' ? '(none)' : type}",
    ],
  },
  {
    id: 'header.session',
    sentence: 'Mcp-Session-Id is issued in the initialize response and sent on every later request.',
    tests: [
      'plugins/front/session/sessions: open on POST, GET and DELETE with the handle of initialize',
      'plugins/front/session/sessions: are answered 404 on POST, GET and DELETE with an unknown handle',
      'plugins/front/session/sessions: survive a restart, with their revision, and ended ones stay ended',
      'e2e/sessions: survive kill -9 and an orderly restart; ended ones stay ended',
    ],
  },
  {
    id: 'header.toolset',
    sentence: 'X-Service-Toolset carries the toolset selectors of the request.',
    tests: [
      'plugins/toolsets/toolsets: unite the tools their selectors select',
      'plugins/toolsets/toolsets: change nothing without the header',
      'plugins/transport-http/presetPath: is answered as malformed when the header is sent twice, as without a path',
    ],
  },
  {
    id: 'header.revision',
    sentence: 'MCP-Protocol-Version names the revision the client uses.',
    tests: [
      'plugins/front/message/revisions: serves a ${revision} session, as agreed, whose header names another known revision',
      'plugins/front/message/revisions: serves a ${revision} client that never repeats its revision',
    ],
  },
  {
    id: 'transport.stdio',
    sentence: 'transport is streamable-http, sse or stdio.',
    tests: [
      'e2e/stdio: carries only MCP on stdout, also with logs at debug and garbage as input',
      'plugins/transport-sse/sseConnections: is the only transport of the two with transport: sse',
      'e2e/commandLine: prefers flags to config.yaml, and logs JSON lines when asked',
    ],
  },
  {
    id: 'error.direct',
    sentence: 'An aggregated tool name issued directly as an MCP tool call fails.',
    tests: [
      'plugins/front/calls: refuses a tool that is not a meta-tool with -32602 and shows the equivalent call_tool call',
      'plugins/front/calls: refuses a name that no tool has with -32602, and says how to find one',
      'plugins/transport-http/sdkClient: gets an error for a tool that cannot be called by name',
    ],
  },
];
