import { readSchema } from 'pegboard';
import { hideInWords } from 'pegboard/kit';
import type { Finding, ResourceKind } from 'pegboard';
import { globFault } from '../kit/text/glob.ts';
import { findingsBeyond } from '../kit/definitions/findingsBeyond.ts';
import { isForCallers, readAuthRules } from '../kit/oauth/authRules.ts';
import { checkAuth } from './checkAuth.ts';
import { checkIsolation } from './checkIsolation.ts';
import { checkNetwork } from './checkNetwork.ts';
import { checkPod } from './checkPod.ts';
import { explainMisfits } from './explainMisfits.ts';
import { foreignNames } from './foreignNames.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';
import { sourceFindings } from './sourceFindings.ts';
import { misspeltReferences, unusedSecrets } from './misspeltReferences.ts';

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const REFERENCE = /\$\{(env|file|secret):[^{}]+\}/g;
/** RFC 9110 §5.6.2 */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** A socket file, and the path that is asked for there. */
const UNIX = /^unix:(\/\/)?\/[^:?#]+(:\/[^#]*)?$/;
/** RFC 9110 §5.5 */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Headers that Pegboard sets: another value would break the message or the session. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...['content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect'],
  ...['mcp-session-id', 'mcp-protocol-version', 'last-event-id'],
]);

export const MCP_SERVER = 'MCPServer';
const SCHEMA = readSchema('kinds/mcpserver');

export const mcpServerKind: ResourceKind = {
  name: MCP_SERVER,
  directory: 'mcpservers',
  schema: SCHEMA,
  explain: (misfits, spec) => [
    ...explainMisfits(misfits, spec),
    ...findingsBeyond(SCHEMA, spec, misfits, (rest) => checkServer(rest as McpServerSpec)),
  ],
  read: (spec) => ({ findings: checkServer(spec as McpServerSpec) }),
  relate: foreignNames,
  toolNames: (spec, name, { aggregator }) => ({
    prefix: `${aggregator.servicePrefix}_${(spec as McpServerSpec).toolPrefix ?? name}_`,
  }),
};

/** The rules that the schema cannot express. Messages must not hold values of env and headers. */
function checkServer(spec: McpServerSpec): readonly Finding[] {
  const special = spec.type === 'stdio' ? checkStdio(spec) : [...checkRemote(spec), ...checkNetwork(spec)];
  return [
    ...special,
    ...misspeltReferences(spec),
    ...unusedSecrets(spec),
    ...checkTimes(spec),
    ...checkLists(spec),
    ...checkAuth(spec),
    ...checkInstances(spec),
    ...checkRevision(spec),
    ...checkKeepSession(spec),
  ];
}

/** The older transport ended with the revisions before 2026-07-28. */
function checkRevision({ type, revision }: McpServerSpec): readonly Finding[] {
  if (type !== 'sse' || revision !== 'modern') return [];
  const message = 'revision modern does not exist over sse; remove it or set type: streamable-http';
  return [{ path: ['revision'], message }];
}

/** A session that continues is one of a server over HTTP, in an older revision, for all clients. */
function checkKeepSession(spec: McpServerSpec): readonly Finding[] {
  const { type, revision, keepSession } = spec;
  if (keepSession !== true) return [];
  if (type === 'stdio' || type === 'sse') return [unusedBy('keepSession', type, 'remove it')];
  const instances = instancesOf(spec);
  const path = ['keepSession'];
  if (revision === 'modern')
    return [{ path, message: 'there are no sessions in revision modern; remove keepSession or revision' }];
  if (instances === 'shared') return [];
  const message = `keepSession is for a server that serves one session, but with instances: ${instances} there are several; remove one of them`;
  return [{ path, message }];
}

function instancesOf(spec: McpServerSpec): 'shared' | 'perSession' | 'perCaller' {
  return spec.instances ?? (isForCallers(readAuthRules(spec)) ? 'perCaller' : 'shared');
}

/** Bounds on instances that there are not. */
function checkInstances(spec: McpServerSpec): readonly Finding[] {
  const instances = instancesOf(spec);
  if (instances === 'shared' && isForCallers(readAuthRules(spec))) {
    const reason = 'each caller has credentials of their own (auth, or ${caller:NAME})';
    return [{ path: ['instances'], message: `instances cannot be shared: ${reason}; remove it` }];
  }
  if (instances !== 'shared') return [];
  return ['maxInstances', 'maxInstancesPerOwner', 'instanceIdleTimeout', 'warmInstances']
    .filter((key) => spec[key] !== undefined)
    .map((key) => ({
      path: [key],
      message: `${key} has no effect while instances is shared; remove it or set instances: perSession`,
      severity: 'warning',
    }));
}

function checkStdio(spec: McpServerSpec): readonly Finding[] {
  const { command, args, url, messageUrl, proxy, tls, env, headers, image } = spec;
  const findings: Finding[] = [];
  if ((command === undefined || command.length === 0) && image === undefined) {
    const message = 'command is required for stdio type; write command: [executable, argument, ...]';
    findings.push({ path: command === undefined ? [] : ['command'], message });
  } else if (command !== undefined) findings.push(...checkCommand(command, args), ...sourceFindings(spec));
  if (url !== undefined) findings.push(unusedBy('url', 'stdio', 'remove it or set type: streamable-http'));
  if (messageUrl !== undefined) findings.push(unusedBy('messageUrl', 'stdio', 'remove it'));
  if (Object.keys(headers).length > 0) {
    const message = 'headers does not belong to a server of type stdio; use env instead';
    findings.push({ path: ['headers'], message });
  }
  if (proxy !== undefined) findings.push(unusedBy('proxy', 'stdio', 'set HTTPS_PROXY in env'));
  if (tls !== undefined) findings.push(unusedBy('tls', 'stdio', 'remove it'));
  findings.push(...checkIsolation(spec), ...checkPod(spec));
  for (const [key, value] of Object.entries(env)) {
    if (/[=\0]/.test(key) || key === '') {
      findings.push({
        path: ['env', key],
        message: `env has a name that no environment can hold: ${JSON.stringify(key)}`,
      });
    } else if (value.includes('\0')) {
      findings.push({ path: ['env', key], message: `env.${key} holds a NUL character; remove it` });
    }
  }
  return findings;
}

function checkCommand(command: string | readonly string[], args: readonly string[] = []): readonly Finding[] {
  const words = typeof command === 'string' ? [command] : command;
  const [executable = ''] = words;
  if (executable.trim() === '') {
    return [{ path: ['command'], message: 'command begins with an empty word; put the executable there' }];
  }
  if ([...words, ...args].some((word) => word.includes('\0'))) {
    return [{ path: ['command'], message: 'command or args holds a NUL character; remove it' }];
  }
  if (typeof command !== 'string' || args.length > 0 || !/\s/.test(command.trim())) return [];
  const list = hideInWords(command.trim().split(/\s+/)).join(', ');
  const message = `command is taken as the name of one executable, spaces included; write command: [${list}] if those are arguments`;
  return [{ path: ['command'], message, severity: 'warning' }];
}

function checkRemote({
  type,
  command,
  args,
  source,
  cwd,
  url,
  messageUrl,
  env,
  headers,
  startTimeout,
  idleTimeout,
  warmInstances,
  isolate,
  grants,
  image,
  runsIn,
}: McpServerSpec): readonly Finding[] {
  const findings: Finding[] = [];
  if (url === undefined) {
    const message = `url is required for streamable-http and sse types; write url: https://...`;
    findings.push({ path: [], message });
  } else findings.push(...checkUrl(url, type, Object.keys(headers).length > 0));
  findings.push(...checkMessageUrl(type, messageUrl, url));
  if (command !== undefined) findings.push(unusedBy('command', type, 'remove it or set type: stdio'));
  if (args !== undefined) findings.push(unusedBy('args', type, 'remove it or set type: stdio'));
  if (source !== undefined) findings.push(unusedBy('source', type, 'remove it or set type: stdio'));
  if (cwd !== undefined) findings.push(unusedBy('cwd', type, 'remove it or set type: stdio'));
  if (isolate !== undefined) findings.push(unusedBy('isolate', type, 'remove it or set type: stdio'));
  if (grants !== undefined) findings.push(unusedBy('grants', type, 'remove it or set type: stdio'));
  if (image !== undefined) findings.push(unusedBy('image', type, 'remove it or set type: stdio'));
  if (runsIn !== undefined) findings.push(unusedBy('runsIn', type, 'remove it or set type: stdio'));
  if (startTimeout !== undefined) findings.push(unusedBy('startTimeout', type, 'set timeout'));
  if (idleTimeout !== undefined) findings.push(unusedBy('idleTimeout', type, 'remove it or set type: stdio'));
  if (warmInstances !== undefined)
    findings.push(unusedBy('warmInstances', type, 'remove it or set type: stdio'));
  if (Object.keys(env).length > 0) findings.push(unusedBy('env', type, 'use headers instead'));
  for (const [key, value] of Object.entries(headers)) {
    const message = headerFault(key, value);
    if (message !== undefined) findings.push({ path: ['headers', key], message });
  }
  return findings;
}

function headerFault(key: string, value: string): string | undefined {
  if (!HEADER_NAME.test(key))
    return `${JSON.stringify(key)} is not a header name; use letters, digits and "-"`;
  if (OWN_HEADERS.has(key.toLowerCase())) return `headers.${key} is sent by Pegboard itself; remove it`;
  if (/[\r\n\0]/.test(value)) return `headers.${key} holds a line break or NUL; write it on one line`;
  if (!HEADER_VALUE.test(value))
    return `headers.${key} holds a character that no header can carry; encode it, for example in base64`;
  return undefined;
}

/** Messages show the url only after it was checked to hold no credentials. */
function checkUrl(url: string, type: string, hasHeaders: boolean): readonly Finding[] {
  const path = ['url'];
  if (/^unix:/i.test(url)) {
    const isGood = type === 'streamable-http' && UNIX.test(url);
    const message = 'a url of a socket file is unix:/run/mcp.sock:/mcp, with type: streamable-http';
    return isGood ? [] : [{ path, message }];
  }
  const address = withoutReferences(url);
  const parsed = URL.canParse(address) ? new URL(address) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    return [{ path, message: 'url must be complete and begin with http:// or https://' }];
  }
  if (parsed.username !== '' || parsed.password !== '') {
    return [{ path, message: 'url must not hold a user name or password; send them in headers' }];
  }
  if (parsed.protocol === 'https:' || isLoopback(parsed.hostname) || !hasHeaders) return [];
  const host = address === url ? parsed.host : 'the host of url';
  const message = `headers are sent to ${host} in clear text; use https:// if they hold secrets`;
  return [{ path, message, severity: 'warning' }];
}

/** Headers may hold credentials: they go to the origin of url only. */
function checkMessageUrl(
  type: McpServerSpec['type'],
  messageUrl: string | undefined,
  url = '',
): readonly Finding[] {
  if (messageUrl === undefined) return [];
  if (type !== 'sse' && type !== 'auto') return [unusedBy('messageUrl', type, 'remove it or set type: sse')];
  const origins = [messageUrl, url].map(withoutReferences).map((address) => {
    return URL.canParse(address) ? new URL(address).origin : undefined;
  });
  if (origins[0] !== undefined && origins[0] === origins[1]) return [];
  const message = 'messageUrl must be complete and at the origin of url, to which alone headers are sent';
  return [{ path: ['messageUrl'], message }];
}

/** What references hold is not known here; behind a colon it may be a port. */
function withoutReferences(url: string): string {
  return url.replace(REFERENCE, (_, __, at: number) => {
    if (at === 0) return 'https://host';
    return url[at - 1] === ':' ? '1' : 'x';
  });
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(host)
  );
}

function checkTimes({ restartRequestedAt }: McpServerSpec): readonly Finding[] {
  if (restartRequestedAt === undefined) return [];
  if (DATE_TIME.test(restartRequestedAt) && !Number.isNaN(Date.parse(restartRequestedAt))) return [];
  const message = 'restartRequestedAt must be a time as in 2026-01-31T12:00:00Z (RFC 3339)';
  return [{ path: ['restartRequestedAt'], message }];
}

function checkLists({ includeTools = [], excludeTools = [] }: McpServerSpec): readonly Finding[] {
  const faults = (key: string, patterns: readonly string[]): readonly Finding[] =>
    patterns.flatMap((pattern, at) => {
      const fault = globFault(pattern);
      return fault === undefined
        ? []
        : [{ path: [key, at], message: `${key}.${at} is not a pattern: ${fault}` }];
    });
  return [...faults('includeTools', includeTools), ...faults('excludeTools', excludeTools)];
}

/** Only a warning: clients send all fields of the form, and an unused one is harmless. */
function unusedBy(field: string, type: string, fix: string): Finding {
  const message = `${field} is not used by a server of type ${type}; ${fix}`;
  return { path: [field], message, severity: 'warning' };
}
