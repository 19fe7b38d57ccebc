import type { HostileCase } from './hostileCase.ts';

/** Demands about sign-ins at servers, and attacks on sign-ins. */
export const SIGN_INS: readonly HostileCase[] = [
  {
    id: 'U61',
    what: 'upstream tokens are never refreshed',
    tests: [
      'plugins/auth-client/grants/refresh/refresh: refreshes a 60-second token that is in use before it ends',
      'plugins/auth-client/grants/sources/refusals: cause one refresh, and the call is repeated with the new token',
      'plugins/auth-client/grants/refresh/processes: are refreshed once for each token: 20 callers, two processes, an hour of 60-second tokens, no 401',
    ],
  },
  {
    id: 'U62',
    what: 'after a failed refresh the tools vanish',
    tests: [
      'plugins/upstream/personal: send a refused call again once its credential is renewed',
      'plugins/auth-client/grants/refresh/failures: is kept while the authorization server ${what}, and asked for again later',
      'e2e/changedServers: a grant for another url is lost, never sent there, and asked for again',
    ],
  },
  {
    id: 'U63',
    what: 'wrong OAuth errors while the store is away',
    tests: [
      'plugins/auth-exchange/broker/grantReleases: answer 503 while a grant that is due cannot be refreshed, or the store cannot be reached',
      'plugins/auth-server/bearer/proofs: passes on that the vault does not answer',
      'plugins/auth-client/grants/refresh/failures: are not known to a process that has not read them, which asks no person',
    ],
  },
  {
    id: 'U64',
    what: 'no sign-in again in place',
    tests: [
      'e2e/serverSignIn: is offered by a question when a call meets a grant that is lost, and the call goes through',
      'e2e/serverSignIn: takes one link, after which the next call of the same session succeeds',
    ],
  },
  {
    id: 'U65',
    what: 'refresh tokens are used twice',
    tests: [
      'plugins/auth-client/grants/refresh/processes: are refreshed once for each token: 20 callers, two processes, an hour of 60-second tokens, no 401',
      'heavy/signInFaults: T45: a token refreshed at both at once has one successor',
      'plugins/cli/verbs/auth: T107: two processes that find the token due refresh it once',
    ],
  },
  {
    id: 'U66',
    what: 'a registration is lost',
    tests: [
      'plugins/auth-client/flows/registration: registers again if the token endpoint does not know the client',
      'plugins/auth-client/flows/registration: registers again if a browser did not come back, for example because its client was forgotten',
      'plugins/auth-client/grants/refresh/failures: tells whose registration is lost',
    ],
  },
  {
    id: 'U67',
    what: 'a lost grant causes endless attempts',
    tests: [
      'plugins/auth-client/grants/refresh/failures: is lost if it ${what}: one log line, no more requests, and the person is asked',
      'e2e/singleSignOn: does not try a failing one again with each request, nor when another person signs in',
      'plugins/upstream/own/callersServers: are not tried again by later requests if one fails, nor because another caller has signed in',
    ],
  },
  {
    id: 'U68',
    what: 'sessions ignore a changed auth configuration',
    tests: [
      'e2e/changedServers: U68: another auth takes effect for the server in running sessions, and for no other server',
    ],
  },
  {
    id: 'U69',
    what: 'the command line breaks sign-ins in scripts',
    tests: [
      'plugins/cli/verbs/auth: T106: tokens are private under any umask, and a file that others may read is made private',
      'plugins/cli/verbs/auth: T107: two processes that find the token due refresh it once',
    ],
  },
  {
    id: 'U70',
    what: '403 insufficient_scope is not handled',
    tests: [
      'plugins/auth-client/flows/signIn: asks for the missing scopes beside those that it has, and keeps the grant meanwhile',
      'plugins/auth-client/grants/sources/refusals: for want of scopes keep the grant, and name the missing ones with the cure',
      'plugins/upstream/personal: report the scopes that a call lacks',
    ],
  },
  {
    id: 'U71',
    what: 'wrong scheme or host behind a proxy',
    tests: [
      'plugins/auth-server/web/forwardedRequest: takes scheme and host of a trusted proxy, and always the base URL',
      'plugins/auth-server/web/forwardedRequest: T61: ignores the forwarded headers of an untrusted peer',
      'plugins/auth-server/web/forwardedRequest: believes X-Forwarded-* and Forwarded together only in what they agree on, because a client may have sent one of them',
      'plugins/auth-server/web/clientAddresses: share one limit if it is not trusted, which one warning and each line about the limit say, with the key to set',
    ],
  },
  {
    id: 'U72',
    what: 'one link for several servers',
    tests: [
      'e2e/commandLineSignIn: --all leads one browser through the sign-ins of all servers; status and logout follow',
      'plugins/auth-client/flows/acceptedRedirect: may be the next link, so that one click signs in at several servers',
    ],
  },
  {
    id: 'U73',
    what: 'servers of single sign-on ask for a login',
    tests: [
      'e2e/singleSignOn: U73: shows a refused token as reauth_required, asks for no login, and works after a new sign-in',
    ],
  },
  {
    id: 'U74',
    what: 'connections cross people',
    tests: [
      'plugins/upstream/personal: have each call sent with the credential of its caller, on a connection of its own',
      'e2e/peopleAtServers: T100: nothing of one person’s servers is seen or used by another, also after a reconnection and a restart',
    ],
  },
  {
    id: 'U75',
    what: 'the session of another person is accepted',
    tests: [
      'e2e/signedInOwners: a question in a session is not answered by another person, nor is its call cancelled',
      'e2e/signedInRestart: with new keys keeps sessions, sign-ins, refresh tokens and what is the caller’s',
    ],
  },
  {
    id: 'T84',
    what: 'the broker is asked for a grant that does not exist, or has ended',
    tests: [
      'plugins/auth-exchange/broker/grantReleases: T84: answer invalid_target without a grant, or with one that has ended',
      'e2e/brokeredGrants: T84: are refused once the authorization server has ended them',
    ],
  },
  {
    id: 'T85',
    what: 'a subject of another issuer with an equal name',
    tests: [
      'plugins/auth-exchange/broker/grantReleases: T85: answer invalid_target to tokens of another trusted issuer for an equal name',
      'e2e/brokeredGrants: T84, T85: are those of the person who is named, at the login issuer',
    ],
  },
  {
    id: 'T86',
    what: 'the broker gives out more than the access token',
    tests: [
      'plugins/auth-exchange/broker/grantReleases: T86: never answer with another token, whatever the grant has',
      'e2e/brokeredGrants: T86: never contain a refresh token or an id_token',
    ],
  },
  {
    id: 'T87',
    what: '50 requests for a grant that is due',
    tests: [
      'e2e/brokeredGrants: T87: 50 requests near the end of a grant cause one refresh, and all get a token that lasts',
    ],
  },
  {
    id: 'T90',
    what: 'a callback with a foreign iss, or without one',
    tests: [
      'plugins/auth-client/flows/callback: T90: is refused with a foreign iss, or without the one that is announced',
      'plugins/auth-client/flows/callback: T90: needs no iss from a server that does not announce it, and refuses a foreign one still',
    ],
  },
  {
    id: 'T91',
    what: 'a callback twice, late, or with another state',
    tests: [
      'plugins/auth-client/flows/callback: T91: is accepted once, and not after ten minutes',
      'plugins/auth-client/flows/callback: T91: of two that come at once, one is accepted',
      'plugins/auth-client/flows/callback: T91: is refused with the state of another sign-in, and with an unknown one',
    ],
  },
  {
    id: 'T92',
    what: 'the state tells about the person',
    tests: [
      'plugins/auth-client/flows/callback: T92: has a random state, another one than the link and for each browser',
    ],
  },
  {
    id: 'T93',
    what: 'a victim opens the link of another person',
    tests: [
      'e2e/peopleAtServers: T93: the link of one person does not let another person’s account into that session',
      'plugins/auth-client/flows/otherPerson: T93: leads nowhere for another person',
      'plugins/auth-client/flows/callback: T93: is refused in another browser than the one that began it',
    ],
  },
  {
    id: 'T94',
    what: 'a redirect that leads elsewhere',
    tests: ['plugins/auth-client/flows/acceptedRedirect: T94: leads nowhere else'],
  },
  {
    id: 'T95',
    what: 'metadata of another resource or issuer, or without S256',
    tests: [
      'plugins/auth-client/discovery/resourceMetadata: T95: is refused for a resource of another origin, or beside the server, and accepted for it or above it',
      'plugins/auth-client/discovery/serverMetadata: T95: is refused for another issuer, however alike, and accepted for the same',
      'plugins/auth-client/discovery/serverMetadata: T95: is refused without S256, also if it does not say what it supports',
    ],
  },
  {
    id: 'T96',
    what: 'a public server names private addresses',
    tests: [
      'plugins/auth-client/discovery/findSignIn: T96: refuses private addresses that a public server names, and sends nothing there',
      'plugins/auth-client/discovery/findSignIn: T96: refuses a host that has become private since it was looked up',
      'plugins/auth-client/grants/refresh/refresh: sends the refresh token to no private address of a public server, unless its issuer is pinned',
    ],
  },
  {
    id: 'T97',
    what: 'a server names the authorization server of another one',
    tests: [
      'e2e/changedServers: T97: a server that names the authorization server of another one gets a token for itself only',
    ],
  },
  {
    id: 'T98',
    what: 'a server changes its metadata before a refresh',
    tests: [
      'e2e/changedServers: T98: a refresh token goes to the token endpoint of its grant only, whatever the server publishes later',
    ],
  },
  {
    id: 'T99',
    what: 'our own access token is sent to a server',
    tests: [
      'e2e/singleSignOn: T99: sends the id_token of the identity provider byte for byte, without a click, and never our own token',
      'e2e/signedInOwners: T99: a server behind the gateway is sent no token of a client',
    ],
  },
  {
    id: 'T100',
    what: 'tools of one person in the session of another',
    tests: [
      'e2e/peopleAtServers: T100: nothing of one person’s servers is seen or used by another, also after a reconnection and a restart',
      'e2e/signedInOwners: T100: tools of one person are neither seen nor called by another, after a reconnection or by a workflow either',
    ],
  },
  {
    id: 'T101',
    what: 'a suspended server',
    tests: [
      'e2e/changedServers: T101: a server that is stopped is hidden and refuses the sign-in; once it is started, none is needed',
      'plugins/auth-client/tools/loginTool: T101: is refused for a suspended server, whatever else is true of it',
    ],
  },
  {
    id: 'T102',
    what: 'the admin interface is called by a web page',
    tests: [
      'plugins/admin/pages/grantsPage: T102: DELETE drops nothing for a page elsewhere, a foreign Host, a browser without the token, or a GET',
      'plugins/admin/pages/grantsPage: are listed with holder, state and times, and no page has anything secret or a name of a person',
    ],
  },
  {
    id: 'T103',
    what: 'DELETE /user-tokens',
    tests: [
      'plugins/auth-server/bearer/bearer: T103: has no path that drops tokens: DELETE /user-tokens is 404 for everyone, and tokens stay valid',
    ],
  },
  {
    id: 'T104',
    what: 'secrets in core_config_get',
    tests: [
      'plugins/auth-server/confidential: T108: logs, audit files, events, files and refusals contain no token, code, secret, cookie or e-mail address',
      'plugins/auth-server/confidential: T104: wrong secrets of aggregator.oauth are named by no check',
    ],
  },
  {
    id: 'T105',
    what: 'a page sends a wrong state to the callback of the command line',
    tests: [
      'plugins/cli/verbs/auth: T105: a request to the callback with a wrong state is ignored',
      'plugins/cli/verbs/auth: T105: an answer with the right state that names another issuer, or none, fails',
    ],
  },
  {
    id: 'T106',
    what: 'token files that others can read',
    tests: [
      'plugins/cli/verbs/auth: T106: tokens are private under any umask, and a file that others may read is made private',
    ],
  },
  {
    id: 'T107',
    what: 'two processes of the command line refresh at once',
    tests: ['plugins/cli/verbs/auth: T107: two processes that find the token due refresh it once'],
  },
  {
    id: 'T108',
    what: 'secrets in what is written',
    tests: [
      'e2e/confidentialSignIns: T108: log, events, audit, cassettes, pages and errors contain no token, code, secret, verifier or state',
      'plugins/auth-server/confidential: T108: logs, audit files, events, files and refusals contain no token, code, secret, cookie or e-mail address',
    ],
  },
];
