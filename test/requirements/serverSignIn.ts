import type { Requirement } from './requirement.ts';

/** Sign-in of callers at MCP servers. */
export const SERVER_SIGN_IN: readonly Requirement[] = [
  {
    id: 'signIn.client',
    sentence: 'An OAuth client that signs a person in to remote MCP servers is an optional surface.',
    tests: [
      'plugins/auth-client/flows/signIn: takes one link, after which the server is connected with the grant',
      'plugins/auth-client/tools/loginTool: says what to configure while sign-ins at servers are off',
    ],
  },
  {
    id: 'signIn.enabled',
    sentence: 'oauth.mcpClient.enabled switches the OAuth client surface on.',
    tests: [
      'plugins/auth-client/tools/loginTool: says what to configure while sign-ins at servers are off',
      'plugins/http/besideStdio: listens for the pages of sign-ins at servers only, and not at all without them',
    ],
  },
  {
    id: 'signIn.path.document',
    sentence: '/.well-known/oauth-client.json is the client metadata document; its URL is the client_id.',
    tests: [
      'plugins/auth-client/flows/registration: describes the gateway at its public address',
      'plugins/auth-client/flows/registration: is known by its document where documents are supported, and where nothing else is',
    ],
  },
  {
    id: 'signIn.path.start',
    sentence: '/oauth/proxy/start starts a login to a remote server; core_auth_login returns URLs to it.',
    tests: [
      'plugins/auth-client/flows/signIn: takes one link, after which the server is connected with the grant',
      'plugins/auth-client/flows/signIn: may begin again from the same link until it is complete, in another browser too',
    ],
  },
  {
    id: 'signIn.redirect',
    sentence:
      'Its parameter redirect, checked against postLoginRedirectAllowlist, sends the browser on after login.',
    tests: [
      'plugins/auth-client/flows/acceptedRedirect: T94: leads nowhere else',
      'plugins/auth-client/flows/acceptedRedirect: gets the name of the server, once; another one is dropped and the sign-in completed',
    ],
  },
  {
    id: 'signIn.path.callback',
    sentence:
      '/oauth/proxy/callback (oauth.mcpClient.callbackPath) takes the return from the remote authorization server.',
    tests: [
      'plugins/auth-client/flows/signIn: returns to callbackPath, also after it has changed',
      'plugins/auth-client/flows/callback: T90: is refused with a foreign iss, or without the one that is announced',
      'plugins/auth-client/flows/callback: T91: is accepted once, and not after ten minutes',
    ],
  },
  {
    id: 'signIn.login',
    sentence:
      "core_auth_login answers a sign-in link, changes nothing on the platform; the grant lands in the caller's session.",
    tests: [
      'plugins/auth-client/tools/loginTool: gives the link as text and as authUrl, and tells once what the server offers',
      'plugins/auth-client/tools/loginTool: keeps the grants of two people, and of two sign-ins of one, apart',
    ],
  },
  {
    id: 'signIn.logout',
    sentence: "core_auth_logout discards the caller's stored grant for the server.",
    tests: [
      'plugins/auth-client/tools/loginTool: discards the grant, revokes it and hides the tools, for suspended servers too',
    ],
  },
  {
    id: 'signIn.annotations',
    sentence: 'core_auth_login and core_auth_logout have the annotations of the table.',
    tests: ['plugins/coreTools: ${name} has the annotations and arguments of the interface'],
  },
  {
    id: 'signIn.deactivated',
    sentence:
      "core_auth_login for a suspended server is refused: Server '<name>' is deactivated (spec.suspended=true); activate it with core_service_start before signing in.",
    tests: [
      'plugins/auth-client/tools/loginTool: T101: is refused for a suspended server, whatever else is true of it',
    ],
  },
  {
    id: 'signIn.resumed',
    sentence:
      'After a stop and a start the tools of a server that the session had signed in to reappear without a new sign-in.',
    tests: [
      'e2e/changedServers: T101: a server that is stopped is hidden and refuses the sign-in; once it is started, none is needed',
    ],
  },
  {
    id: 'signIn.allowPrivateIP',
    sentence:
      'mcpClient.tokenExchange.allowPrivateIP (false; implied by --extra-ca-file) allows a private token endpoint, with a warning; TLS verification stays.',
    tests: [
      'e2e/singleSignOn: exchanges at a private address only where that is allowed, and never without a trusted certificate',
      'e2e/singleSignOn: sends the token that a second provider gives for the id_token (${spelling})',
      'plugins/auth-client/config: warns about private token endpoints, also where extraCaFile allows them',
    ],
  },
];
