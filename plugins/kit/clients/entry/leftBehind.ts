/** What an entry says and its definition does not. */
export interface LeftBehind {
  /** Path of keys below the entry: `requestOptions.proxy`. */
  readonly key: string;
  readonly reason: string;
}

/** Keys for people and for the programs that wrote them, which change nothing about the server. */
const DECORATIONS = new Set([
  ...['name', 'displayname', 'title', 'label', 'icon', 'iconpath', 'iconurl', 'logo', 'logourl', 'tags'],
  ...['version', 'author', 'homepage', 'repository', 'license', 'provider', 'providerurl', 'category'],
  ...['note', 'notes', 'comment', 'gallery', 'id', 'createdat', 'updatedat', 'created', 'updated'],
  ...['installedat', 'lastupdated', 'reference', 'docs', 'documentation', 'metadata', 'source', 'bundled'],
  ...['registryurl', 'searchkey', 'installsource', 'istrusted', 'trustedat', 'shouldconfig', 'summary'],
]);

const ASKING = 'before a call its client asks, as it does for call_tool of Pegboard';
const TRUSTING = 'Pegboard trusts what aggregator.extraCaFile and tls of the definition name';
const LIFE = 'Pegboard keeps and ends connections by itself';
const TO_SHOW = 'which tools a model sees is up to toolsets and profiles here';
const SANDBOX = 'Pegboard starts the server without it';
const NEEDS_ISSUER = 'set auth.authorizationServer, with its issuer, in the definition';
const OWN_SIGN_IN = 'Pegboard signs in by itself, with its own redirect address';

/** Keys of clients that no definition holds, in lower case without `-` and `_`, with the reason. */
const REASONS: Readonly<Record<string, string>> = {
  ...each(
    [
      ...['alwaysallow', 'autoapprove', 'autoapprovetools', 'autoapproved', 'disabledautoapprovetools'],
      ...['trust', 'requireapproval', 'defaulttoolsapprovalmode', 'approvalmode', 'approval', 'permissions'],
      ...['allowalltools', 'confirm', 'confirmations', 'toolpermissions', 'toolspermissions'],
    ],
    ASKING,
  ),
  ...each(['verifyssl', 'sslverify', 'verify', 'tlsverify', 'rejectunauthorized', 'insecure'], TRUSTING),
  ...each(['cabundlepath', 'cabundle', 'clientcertificate', 'cacert', 'tls', 'ssl'], TRUSTING),
  ...each(
    [
      ...[
        'keepalive',
        'keepaliveinterval',
        'heartbeatinterval',
        'longrunning',
        'restartonexit',
        'maxrestarts',
      ],
      ...['restartdelay', 'retries', 'reconnect', 'maxretries', 'terminateonclose', 'resettimeoutonprogress'],
      ...['maxtotaltimeout', 'startup', 'lazy', 'dev', 'required', 'supportsparalleltoolcalls'],
    ],
    LIFE,
  ),
  ...each(['defertools', 'alwaysloadtools', 'chatmenu', 'serverinstructions', 'instructions'], TO_SHOW),
  ...each(['sandbox', 'sandboxenabled', 'isolation', 'docker', 'container'], SANDBOX),
  ...each(['redirecturi', 'redirecturl', 'callbackport', 'redirectport', 'callbackurl'], OWN_SIGN_IN),
  ...each(
    [
      ...['clientid', 'clientsecret', 'scope', 'scopes', 'oauthresource', 'authorizationurl', 'tokenurl'],
      ...['issuer', 'audiences', 'authorizationserver', 'tokenexchange', 'authorizationservermetadataurl'],
    ],
    NEEDS_ISSUER,
  ),
  proxy: 'name it as proxy in the definition',
  headershelper: 'headers that a program prints cannot be in a definition; write them as headers',
  authprovidertype: 'signing in with the credentials of a cloud is not known here; write headers or auth',
  customuservars: 'values of each person are ${caller:NAME} in a definition',
  settings: 'settings of an extension of its client',
  uses: 'a block of its client’s hub',
  roots: 'roots are what the client of Pegboard says',
  sampling: 'questions of servers go to the client of Pegboard',
  prompts: 'prompts of servers are offered as they are',
  resources: 'resources of servers are offered as they are',
};
/** Keys whose `false` changes something. */
const FALSE_COUNTS = new Set(['verifyssl', 'sslverify', 'verify', 'tlsverify', 'rejectunauthorized']);

export function isDecoration(key: string): boolean {
  return /^[_$#/]/.test(key) || DECORATIONS.has(plain(key));
}

/** Why a key that no one has read is left behind; undefined if nothing is lost with this value. */
export function reasonFor(key: string, value: unknown): string | undefined {
  const reason = Object.hasOwn(REASONS, plain(key)) ? REASONS[plain(key)] : undefined;
  if (reason === undefined) return 'Pegboard does not know it';
  return value === false && !FALSE_COUNTS.has(plain(key)) ? undefined : reason;
}

function plain(key: string): string {
  return key.toLowerCase().replaceAll(/[-_\s]/g, '');
}

function each(keys: readonly string[], reason: string): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, reason]));
}
