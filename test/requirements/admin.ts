import type { Requirement } from './requirement.ts';

/** The admin listener. */
export const ADMIN: readonly Requirement[] = [
  {
    id: 'admin.enabled',
    sentence: 'aggregator.admin.enabled (false) switches the admin listener on.',
    tests: [
      'plugins/admin/listener: is absent unless it is switched on, and comes and goes with an edit of config.yaml',
    ],
  },
  {
    id: 'admin.address',
    sentence: 'It listens on aggregator.admin.bindAddress:port (127.0.0.1:9999), without authentication.',
    tests: [
      'plugins/admin/listener: moves to another port while the gateway runs, and stays where it is if that port is taken',
      'plugins/admin/listener: warns at an address that other machines reach, and not at a loopback address',
      'plugins/admin/web/site: answer to the address that they are bound to, and refuse foreign names there too',
      'plugins/admin/recorded: is in the events and in the audit trail as the operator’s, on each route, also if it fails',
    ],
  },
  {
    id: 'admin.servers',
    sentence: 'GET /mcps and /mcps/{name} show registered servers and their state.',
    tests: [
      'plugins/admin/pages/serverPage: list the registered servers by name with their state and last words',
      'plugins/admin/pages/serverPage: show one server with its tools, what they take of a context, and its states with times',
    ],
  },
  {
    id: 'admin.sessions',
    sentence: 'GET / and /sessions show sessions with identity, age and connected servers.',
    tests: [
      'plugins/admin/pages/sessionPage: list sessions with identity, age and connected servers, on / too, and never with what opens them',
    ],
  },
  {
    id: 'admin.session',
    sentence: 'GET /sessions/{id} shows one session.',
    tests: [
      'plugins/admin/pages/sessionPage: show one session: client, revision, toolset, its servers and whose connection it has there',
    ],
  },
  {
    id: 'admin.delete',
    sentence: 'POST /sessions/{id}/delete ends a session.',
    tests: [
      'plugins/admin/pages/sessionPage: end a session: its handle opens no more, and events have it',
      'plugins/front/stateful/sessionList: ends a session with its calls and its stream: its handle opens no more, and it is listed no more',
      'plugins/front/stateful/sessionList: ends a session over SSE with its connection, and drops one whose client has left',
    ],
  },
  {
    id: 'admin.reconnect',
    sentence: 'POST /sessions/{id}/servers/{name}/reconnect reconnects one server for one session.',
    tests: [
      'plugins/admin/pages/sessionPage: reconnect a server for one session: its own connection only, or the one that all share',
    ],
  },
  {
    id: 'admin.grants',
    sentence: 'DELETE /auth/{server} drops stored grants for a server.',
    tests: [
      'plugins/admin/pages/grantsPage: DELETE /auth/{server} drops those of a server, of which JSON tells; its callers sign in again',
      'plugins/admin/pages/grantsPage: DELETE /auth/{server} answers 404 for an unknown server, whatever its name',
    ],
  },
  {
    id: 'admin.tokens',
    sentence: 'DELETE /user-tokens drops every stored user token.',
    tests: [
      'plugins/admin/pages/grantsPage: DELETE /user-tokens drops all of them',
      'plugins/auth-client/grants/credentials/storedGrants: are all dropped with the secrets of persons, and connections with such a secret end',
    ],
  },
];
