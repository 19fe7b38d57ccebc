import { isObject } from 'pegboard';

declare module 'pegboard' {
  interface ErrorDetails {
    /** What helps, for each surface to put into its own words. */
    readonly action?: Action;
  }
}

/** What can help against a fault, and what each needs to know. A server may be left out by who does not know its name. */
interface Actions {
  /** Start a server that was stopped, or that is not tried again by itself. */
  readonly start: { readonly server?: string; readonly again?: boolean };
  readonly restart: { readonly server?: string };
  /** Change the definition of a server, or a part of it: `what` says how. */
  readonly edit: { readonly server?: string; readonly part?: string; readonly what: string };
  /** Correct a definition that is left out, or delete it. */
  readonly mend: { readonly server?: string };
  /** Change a definition that is in force. */
  readonly change: { readonly kind: keyof typeof CHANGES; readonly name: string; readonly part?: string };
  /** Stop a server. */
  readonly stop: { readonly server?: string };
  /** Look whether a server runs where its url says. */
  readonly reach: { readonly server?: string };
  /** Remove a server's name from what was called, or define the server again. */
  readonly define: { readonly server?: string };
  /** Give a server credentials for all callers. @param tokens whether a sign-in of people may do */
  readonly authorize: { readonly server?: string; readonly tokens?: boolean };
  /** Sign in at a server. */
  readonly signIn: { readonly server?: string };
  /** Trust the authority of a server's certificate. */
  readonly trust: { readonly server?: string };
  /** Set a key of config.yaml. */
  readonly set: { readonly key: string; readonly to: string };
  /** See which things of a kind there are. */
  readonly list: { readonly kind: ListedKind };
  /** See why something is as it is. */
  readonly explain: { readonly kind: keyof typeof REASONS; readonly name: string };
  /** Find a tool. */
  readonly find: { readonly query?: string; readonly other?: boolean };
  /** Call a tool; a plugin that has a way out of its own fault offers it so. */
  readonly call: { readonly tool: string };
  /** What is done outside, in words that fit everywhere. */
  readonly say: { readonly what: string };
}
export type Action = {
  [K in keyof Actions]: { readonly do: K } & Actions[K];
}[keyof Actions];

/** Where an action is shown: to an agent, in a shell, on a page, in the status of a Kubernetes object. */
export const SURFACES = ['agent', 'shell', 'page', 'status'] as const;
export type Surface = (typeof SURFACES)[number];
type Words = Readonly<Record<Surface, string>>;

/** Plural → the tool that lists them. */
const LISTS = {
  servers: 'core_mcpserver_list',
  services: 'core_service_list',
  workflows: 'core_workflow_list',
  prompts: 'list_prompts',
  resources: 'list_resources',
} as const;
export type ListedKind = keyof typeof LISTS;
/** Kind → the tool that changes a definition. */
const CHANGES = { server: 'core_mcpserver_update', workflow: 'core_workflow_update' } as const;
/** Kind → the tool that says why one is not available, and the verb that does. */
const REASONS = {
  server: ['core_service_status', 'doctor'],
  workflow: ['core_workflow_available', 'get workflow'],
} as const;

const WORDS: { readonly [K in keyof Actions]: (action: Actions[K]) => Words } = {
  start: ({ server, again = false }) => ({
    agent: `start it ${again ? 'again ' : ''}with core_service_start`,
    shell: `pegboard start ${word(server, 'SERVER')}`,
    page: 'start it',
    status: 'set spec.suspended to false',
  }),
  restart: ({ server }) => ({
    agent: 'call again later, or restart it with core_service_restart',
    shell: `pegboard restart ${word(server, 'SERVER')}`,
    page: 'restart it',
    status: 'set spec.restartRequestedAt to the time now',
  }),
  edit: ({ server, part, what }) => ({
    agent: what,
    shell: `pegboard edit server ${word(server, 'SERVER')}   # ${inOneLine(what)}`,
    page: `edit ${part === undefined ? '' : `${part} of `}its definition: ${what}`,
    status: `edit spec: ${what}`,
  }),
  mend: ({ server }) => ({
    agent: 'mend its file, or delete it with core_mcpserver_delete',
    shell: `pegboard check   # then mend its file, or: pegboard delete server ${word(server, 'SERVER')}`,
    page: 'mend its file',
    status: 'correct spec',
  }),
  change: ({ kind, name, part = 'it' }) => ({
    agent: `change ${part} with ${CHANGES[kind]}`,
    shell: `pegboard edit ${kind} ${word(name, 'NAME')}`,
    page: `change ${part}`,
    status: `kubectl edit ${kind === 'server' ? 'mcpserver' : kind} ${word(name, 'NAME')}`,
  }),
  stop: ({ server }) => ({
    agent: 'stop it first with core_service_stop',
    shell: `pegboard stop ${word(server, 'SERVER')}`,
    page: 'stop it first',
    status: 'set spec.suspended to true',
  }),
  reach: ({ server }) => ({
    agent: 'see that the server runs there, or correct url of its definition',
    shell: `is it running? then: pegboard restart ${word(server, 'SERVER')}; to correct its url: pegboard edit server ${word(server, 'SERVER')}`,
    page: 'see that the server runs there, or correct url of its definition',
    status: 'see that the server runs there, or correct spec.url',
  }),
  define: ({ server }) => ({
    agent: 'find another tool with filter_tools, or create the server again with core_mcpserver_create',
    shell: `pegboard list tools   # or define it again: pegboard add ${word(server, 'SERVER')} …`,
    page: 'find another tool, or define the server again',
    status: 'create the MCPServer again',
  }),
  authorize: ({ server, tokens = false }) => ({
    agent: `set headers in its definition${tokens ? '; core_mcpserver_detect shows how people sign in there' : ''}`,
    shell: `pegboard edit server ${word(server, 'SERVER')}   # set headers: { Authorization: 'Bearer \${env:TOKEN}' }`,
    page: `set headers in its definition${tokens ? ', or auth, with which callers sign in' : ''}`,
    status: `set spec.headers${tokens ? ', or spec.auth' : ''}`,
  }),
  signIn: ({ server }) => ({
    agent: `call core_auth_login with {"server": ${JSON.stringify(server ?? '…')}} through call_tool`,
    shell: `pegboard auth login --server ${shellWord(server ?? 'SERVER')}`,
    page: 'sign in at it: your agent or pegboard auth login gives the link',
    status: 'callers sign in at it',
  }),
  trust: () => ({
    agent: "name its authority's PEM file in aggregator.extraCaFile",
    shell: "write into config.yaml: aggregator: { extraCaFile: <its authority's PEM file> }",
    page: "name its authority's PEM file in aggregator.extraCaFile of config.yaml",
    status: "name its authority's PEM file in aggregator.extraCaFile of the gateway",
  }),
  set: ({ key, to }) => ({
    agent: `set ${key} to ${to}`,
    shell: `set ${key} in config.yaml to ${to}`,
    page: `set ${key} in config.yaml to ${to}`,
    status: `set ${key} of the gateway to ${to}`,
  }),
  list: ({ kind }) => ({
    agent: `list the known ones with ${LISTS[kind]}`,
    shell: `pegboard list ${kind}`,
    page: `see which ${kind} there are`,
    status: `kubectl get ${kind === 'workflows' ? 'workflows' : 'mcpservers'}`,
  }),
  explain: ({ kind, name }) => ({
    agent: `${REASONS[kind][0]} shows why`,
    shell: `pegboard ${REASONS[kind][1]} ${word(name, 'NAME')}`,
    page: `its page shows why`,
    status: 'its conditions show why',
  }),
  find: ({ query, other = false }) => ({
    agent:
      query === undefined
        ? `find ${other ? 'another tool' : 'one'} with filter_tools`
        : `call filter_tools with ${JSON.stringify({ query })}`,
    shell: query === undefined ? 'pegboard list tools' : `pegboard search ${words(query.split(' '))}`,
    page: 'find it among the tools',
    status: 'find its name with pegboard search',
  }),
  call: ({ tool }) => ({
    agent: `call_tool ${JSON.stringify({ name: tool })}`,
    shell: `pegboard call ${word(tool, 'TOOL')}`,
    page: `run ${tool} on its page`,
    status: `run it with pegboard call ${word(tool, 'TOOL')}`,
  }),
  say: ({ what }) => ({ agent: what, shell: what, page: what, status: what }),
};

/** The action as a surface says it: for a shell what to type, where that is possible. */
export function actionWords(action: Action, surface: Surface): string {
  const words = WORDS[action.do] as (action: Action) => Words;
  return words(action)[surface];
}

/** A parameter of a command. @param unknown is shown if it is not known */
function word(text: string | undefined, unknown: string): string {
  return text === undefined ? unknown : words([text]);
}
function words(texts: readonly string[]): string {
  const typed = texts.filter((text) => text !== '');
  const isLikeFlag = typed.some((text) => text.startsWith('-'));
  return [...(isLikeFlag ? ['--'] : []), ...typed.map(shellWord)].join(' ');
}
/** A comment of a shell ends with its line. */
function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

/** A word as a shell reads it. */
export function shellWord(text: string): string {
  return /^[\w.@:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The facts without which an action says nothing. */
const NEEDED: Partial<Readonly<Record<keyof Actions, readonly string[]>>> = {
  edit: ['what'],
  set: ['key', 'to'],
  list: ['kind'],
  explain: ['kind', 'name'],
  change: ['kind', 'name'],
  call: ['tool'],
  say: ['what'],
};

/** The action that data of another process describes; undefined if it describes none that is known here. */
export function readAction(value: unknown): Action | undefined {
  if (!isObject(value)) return undefined;
  const { do: name, kind } = value;
  if (typeof name !== 'string' || !Object.hasOwn(WORDS, name)) return undefined;
  const isWhole = NEEDED[name as keyof Actions]?.every((fact) => typeof value[fact] === 'string') ?? true;
  const kinds: object | undefined = { list: LISTS, explain: REASONS, change: CHANGES }[name];
  const isKnown = kinds === undefined || Object.hasOwn(kinds, String(kind));
  const { server, query, part } = value;
  const isText = [server, query, part].every((fact) => fact === undefined || typeof fact === 'string');
  return isWhole && isKnown && isText ? (value as unknown as Action) : undefined;
}
