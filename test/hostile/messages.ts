import type { HostileCase } from './hostileCase.ts';

/** Messages of clients: framing, headers, sessions, streams. */
export const MESSAGES: readonly HostileCase[] = [
  {
    id: 'case 1',
    what: 'a body that is not JSON',
    tests: [
      'plugins/front/framing: answers 400 and -32700 to ${JSON.stringify(text)}, showing no path and no stack',
      'plugins/http/limits: continues with the next request after each refusal',
    ],
  },
  {
    id: 'case 2',
    what: 'JSON that is not a JSON-RPC request',
    tests: ['plugins/front/framing: answers 400 and -32600 to ${text}'],
  },
  {
    id: 'case 3',
    what: 'batches, by revision',
    tests: [
      'plugins/front/message/revisions: refuses a batch on a ${revision} session and runs none of it',
      'plugins/front/message/revisions: answers a batch on a ${revision} session with an array, notifications aside',
    ],
  },
  {
    id: 'case 4',
    what: 'an empty batch, initialize in a batch',
    tests: [
      'plugins/front/message/revisions: refuses an empty batch, initialize in a batch, a broken message and too many messages',
    ],
  },
  {
    id: 'case 5',
    what: 'an unknown method',
    tests: [
      'plugins/front/framing: answers an unknown method with 200 and -32601',
      'plugins/front/stateless/envelope: is answered 404 and -32601 when its method is unknown or was removed in this revision',
    ],
  },
  {
    id: 'case 6',
    what: 'unknown notifications, orphan responses',
    tests: ['plugins/front/framing: accepts any notification and any response with 202 and no body'],
    but: 'they are not counted',
  },
  {
    id: 'case 7',
    what: 'arguments that are a list, a string, null',
    tests: [
      'plugins/front/calls: refuses arguments that are not an object, and a name that is not a string, with -32602',
      'plugins/front/calls: treats absent and null arguments as empty',
      'plugins/metatools/tools/callTool: treats absent, null and empty arguments as none',
      'plugins/metatools/tools/callTool: rejects arguments of a wrong type with a remedy',
    ],
  },
  {
    id: 'case 8',
    what: 'call_tool naming itself, an unknown tool; an inner tool called directly',
    tests: [
      'plugins/metatools/tools/callTool: does not run itself without the name of a tool',
      'plugins/metatools/tools/callTool: rejects an unknown name, suggesting near ones',
      'plugins/front/calls: refuses a tool that is not a meta-tool with -32602 and shows the equivalent call_tool call',
    ],
  },
  {
    id: 'case 9',
    what: 'one request id twice at the same time in one session',
    tests: [
      'plugins/front/calls: used twice are answered each on its own connection',
      'plugins/front/calls: used twice end both with their session',
    ],
  },
  {
    id: 'case 10',
    what: 'two sessions with the same ids',
    tests: [
      'plugins/front/calls: shared by several sessions never mix up their answers',
      'e2e/signedInOwners: answers of two people never cross, even if their requests have the same ids',
    ],
  },
  {
    id: 'case 11',
    what: 'unacceptable Accept headers',
    tests: [
      'plugins/transport-http/headers: answers 406 to a POST with Accept: ${accept}',
      'plugins/transport-http/headers: answers 406 to a GET that does not accept an event stream',
    ],
  },
  {
    id: 'case 12',
    what: 'text/plain, forms, no Content-Type',
    tests: [
      "plugins/transport-http/headers: answers 415 to a POST with Content-Type: ${type === '' ? '(none)' : type}",
    ],
  },
  {
    id: 'case 13',
    what: 'foreign charset, gzip, a gzip bomb',
    tests: [
      'plugins/http/limits: refuses a compressed body with 415, small or a bomb',
      'plugins/http/limits: refuses a body with a foreign charset with 415',
    ],
  },
  {
    id: 'case 14',
    what: 'MCP-Protocol-Version unknown, missing, other than negotiated',
    tests: [
      'plugins/front/message/revisions: answers 400 with a JSON-RPC error to MCP-Protocol-Version: ${version}, with and without a session',
      'plugins/front/message/revisions: serves a ${revision} client that never repeats its revision',
      'plugins/front/message/revisions: serves a ${revision} session, as agreed, whose header names another known revision',
    ],
  },
  {
    id: 'case 15',
    what: 'PUT, PATCH, OPTIONS, HEAD on /mcp',
    tests: ['plugins/http/methods: answers ${method} /mcp with 405 and Allow'],
  },
  {
    id: 'case 16',
    what: 'heads and session ids that are too large or hold control characters',
    tests: [
      'plugins/http/limits: answers 431 in JSON to a head over the limit, and names the setting',
      'plugins/http/limits: refuses a session id with control characters or of 10 KB',
      'kernel/program/createLog: escapes line breaks and terminal sequences in data',
    ],
  },
  {
    id: 'case 17',
    what: 'a header twice',
    tests: [
      'plugins/front/session/sessions: are answered 400 on GET and DELETE without a handle, and with two',
      'plugins/http/hosts: answers 400 to the header ${name} twice, whatever its values',
    ],
  },
  {
    id: 'case 18',
    what: 'an invalid X-Service-Toolset',
    tests: ['plugins/toolsets/toolsets: that are invalid are answered on every meta-tool, with the reason'],
  },
  {
    id: 'case 19',
    what: 'a request without a session',
    tests: [
      'plugins/front/framing: answers every request without a session with 400 and the advice to initialize',
    ],
  },
  {
    id: 'case 20',
    what: 'unknown, ended, expired sessions',
    tests: [
      'plugins/front/session/sessions: are answered 404 on POST, GET and DELETE with an unknown handle',
      'plugins/front/session/sessions: are answered 404 once ended, for good',
      'plugins/front/session/sessions: are answered 404 once expired',
    ],
  },
  {
    id: 'case 21',
    what: 'DELETE while a call runs',
    tests: ['plugins/front/calls: by DELETE reaches all calls of the session'],
  },
  {
    id: 'case 22',
    what: "another caller's session",
    tests: [
      'plugins/front/session/sessions: belong to the caller that opened them',
      'e2e/signedInOwners: T62: a session is used, listened to, resumed and ended by the same person only',
    ],
  },
  {
    id: 'case 23',
    what: 'guessing session ids',
    tests: [
      'plugins/front/session/sessions: have handles that are all different, of visible ASCII',
      'plugins/front/session/handle: does not open with any one bit of any byte flipped',
    ],
  },
  {
    id: 'case 24',
    what: '1,000 clients that vanish',
    tests: [
      'heavy/supervision: memory and file descriptors return to their former level after clients vanish',
    ],
  },
  {
    id: 'case 25',
    what: 'requests out of order: before initialized, a second initialize',
    tests: [
      'plugins/front/framing: answers a request before notifications/initialized',
      'plugins/front/framing: refuses a second initialize of a session, under its id',
    ],
  },
  {
    id: 'case 26',
    what: 'a restart under connected clients',
    tests: [
      'plugins/front/session/sessions: survive a restart, with their revision, and ended ones stay ended',
      'e2e/sessions: survive kill -9 and an orderly restart; ended ones stay ended',
    ],
  },
  {
    id: 'case 27',
    what: 'two GET streams of one session',
    tests: [
      'plugins/transport-http/streams: replaces an older one of the same session: a notification is sent on exactly one',
    ],
  },
  {
    id: 'case 28',
    what: 'a connection cut in the middle of a call',
    tests: [
      'plugins/transport-http/resuming: delivers the answer of a call that continued while its client was away, once',
      'plugins/transport-http/resuming: continues behind the last event that arrived',
      'plugins/front/calls: is not caused by a client that only closes its connection',
    ],
  },
  {
    id: 'case 29',
    what: 'a foreign or meaningless Last-Event-ID',
    tests: [
      'plugins/transport-http/resuming: is limited to the session itself, and to events that are still kept',
    ],
  },
  {
    id: 'case 30',
    what: 'revision 2026-07-28: a closed stream cancels',
    tests: [
      'plugins/front/stateless/statelessCall: is cancelled when its client closes the stream, and nothing more is sent',
      'plugins/front/stateless/statelessCall: is cancelled when its client closes the connection before anything was sent',
      'e2e/revisions: a closed stream cancels the call at its server',
    ],
  },
  {
    id: 'case 31',
    what: 'two calls that ask the user at the same time',
    tests: [
      'e2e/questions: are sent on the stream of their own call, not swapped between two',
      'e2e/questions: accept no answer from another session',
      'e2e/questions: that arrive late, for a cancelled call, are not shown to any client',
      'plugins/upstream/client/conversation/askable: is undefined when several are possible, also through a call that was given up',
    ],
  },
  {
    id: 'case 32',
    what: 'cancelling a finished or foreign request, or initialize',
    tests: [
      'plugins/front/calls: ignores a request that is finished or unknown',
      'plugins/front/calls: leaves calls of other sessions alone, also under the same id',
      'plugins/upstream/stdio: notifies the server of a cancelled call and answers the caller at once',
    ],
  },
  {
    id: 'case 33',
    what: 'progress tokens "1" and 1',
    tests: ['plugins/front/calls: keeps the type of a progress token, and keeps two calls apart'],
  },
  {
    id: 'case 34',
    what: '5,000 progress notifications, a slow reader',
    tests: [
      'plugins/transport-http/streams: give a fast reader all of 5,000 progress notifications and the result',
      'plugins/transport-http/streams: drop a reader whose backlog exceeds the limit, and finish the call',
    ],
  },
  {
    id: 'case 35',
    what: '10,000 notifications at once',
    tests: ['plugins/front/calls: absorbs 10,000 notifications and keeps serving'],
    but: 'the cost for other sessions is not measured',
  },
  {
    id: 'case 36',
    what: 'slow heads, slow bodies, idle sockets, readers that never read',
    tests: [
      'plugins/http/limits: answers 408 to a head that does not arrive in time, and closes the connection',
      'plugins/http/limits: answers 408 to a body that does not arrive in time, and closes the connection',
      'plugins/http/earlyAnswers: ends the connections of many senders that never finish, within 2 s each, and serves others meanwhile',
      'plugins/http/limits: serves others while slow clients hold connections',
      'plugins/http/limits: closes connections beyond the limit and keeps serving those below',
      'plugins/transport-http/streams: drop a reader whose backlog exceeds the limit, and finish the call',
      'plugins/transport-http/streams: drop a reader that never reads an answer',
    ],
  },
  {
    id: 'case 37',
    what: 'idle streams behind a proxy',
    tests: [
      'plugins/transport-http/streams: opens at once with a comment, and sends one at the configured interval',
    ],
  },
];
