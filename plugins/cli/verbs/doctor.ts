import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { VERSION, isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { endpointOf } from '../endpointOf.ts';
import { Failure } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { asText } from '../output/print.ts';
import { verb } from '../verb.ts';

/** One thing that was looked at. */
interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly subject: string;
  readonly message: string;
  /** What to type next. */
  readonly fix?: string;
}

const MARKS = { ok: '✓', warning: '!', error: '✗' } as const;
const COLOURS = { ok: 32, warning: 33, error: 31 } as const;

export const doctor = verb({
  name: 'doctor',
  summary: 'why something cannot be seen or called, and what to type next',
  parameters: [{ name: '[name]', description: 'a server or a tool; without it, everything is looked at' }],
  examples: ['pegboard doctor', 'pegboard doctor x_github_list_issues'],
  run: async (invocation) => {
    const findings = await findingsFor(invocation, invocation.args[0]);
    const { output, quiet } = optionsOf(invocation);
    if (output === 'json' || output === 'yaml') invocation.terminal.out(asText(findings, output));
    else
      for (const one of findings)
        if (quiet !== true || one.level !== 'ok') invocation.terminal.out(lineOf(one, invocation));
    return findings.some(({ level }) => level === 'error') ? 1 : 0;
  },
});

async function findingsFor(invocation: Invocation, name: string | undefined): Promise<readonly Finding[]> {
  const own = name === undefined ? await ownFindings(invocation) : [];
  try {
    const ofGateway = await Gateway.apart(invocation, async (gateway) => [
      ...(name === undefined ? [versionFinding(gateway)] : []),
      ...(await (name === undefined ? serverFindings(gateway) : namedFindings(gateway, name))),
    ]);
    return [...own, ...ofGateway];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [...own, { level: 'error', subject: 'gateway', message: error.message }];
  }
}

/** Of this machine and its configuration; those of config.yaml only where the gateway is the one of that configuration. */
async function ownFindings(invocation: Invocation): Promise<readonly Finding[]> {
  const node: Finding = { level: 'ok', subject: 'node', message: process.versions.node };
  const { isOwn, url, source } = await endpointOf(invocation);
  const place: Finding = { level: 'ok', subject: 'endpoint', message: `${url} (${source})` };
  return isOwn ? [node, ...(await configFindings(invocation.directory)), place] : [node, place];
}

/** What `pegboard check` finds: it runs in a process of its own, as the operator would run it. */
async function configFindings(directory: string): Promise<readonly Finding[]> {
  if (!existsSync(directory)) {
    const fix = 'pegboard serve creates it; pegboard import takes the servers of your clients';
    return [{ level: 'warning', subject: 'configuration', message: `${directory} does not exist yet`, fix }];
  }
  const program = process.argv[1] ?? '';
  const argv = [program, 'check', '--config-path', directory, '--output', 'json'];
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, argv, { maxBuffer: 64 * 1024 * 1024 }, (_error, text) => resolve(text));
  });
  const report: unknown = stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
  const issues =
    isObject(report) && Array.isArray(report['issues'])
      ? report['issues'].filter((one) => isObject(one))
      : [];
  if (issues.length === 0) return [{ level: 'ok', subject: 'configuration', message: directory }];
  return issues.map(({ severity, message, file, line }) => ({
    level: severity === 'error' ? 'error' : 'warning',
    subject: 'configuration',
    message: `${textOf(file)}${line === undefined ? '' : `:${textOf(line)}`}${file === undefined ? '' : ': '}${textOf(message)}`,
    fix: 'pegboard check',
  }));
}

function versionFinding({ client, endpoint }: Gateway): Finding {
  const version = client.getServerVersion()?.version ?? 'unknown';
  if (version === VERSION) return { level: 'ok', subject: 'gateway', message: `version ${version}` };
  const message = `version ${version} at ${endpoint.url}, this program is ${VERSION}`;
  return { level: 'warning', subject: 'gateway', message, fix: 'restart the gateway after an upgrade' };
}

async function serverFindings(gateway: Gateway): Promise<readonly Finding[]> {
  const { mcpServers } = await gateway.readCore('core_mcpserver_list');
  const servers = Array.isArray(mcpServers) ? mcpServers.filter((one) => isObject(one)) : [];
  if (servers.length > 0) return servers.map(serverFinding);
  const fix = 'pegboard import, or: pegboard add <name> -- <command…>';
  return [{ level: 'warning', subject: 'servers', message: 'none is defined', fix }];
}

function serverFinding(server: JsonObject): Finding {
  const { name, state, health, error, nextRetryAfter, toolsCount, suspended, sessionStatus } = server;
  const subject = `server ${String(name)}`;
  if (suspended === true)
    return { level: 'warning', subject, message: 'is suspended', fix: `pegboard start ${String(name)}` };
  if (sessionStatus === 'auth_required')
    return {
      level: 'error',
      subject,
      message: 'wants a sign-in',
      fix: `pegboard call core_auth_login --server ${String(name)}`,
    };
  if (health === 'healthy' || sessionStatus === 'connected')
    return { level: 'ok', subject, message: `${String(state)}, ${textOf(toolsCount ?? 0)} tools` };
  if (error === undefined)
    return {
      level: 'warning',
      subject,
      message: `is ${String(state)}`,
      fix: `pegboard start ${String(name)}`,
    };
  const next = nextRetryAfter === undefined ? '' : `; tries again at ${textOf(nextRetryAfter)}`;
  return {
    level: 'error',
    subject,
    message: `${String(state)}: ${textOf(error)}${next}`,
    fix: `pegboard events --resource-name ${String(name)}, then: pegboard restart ${String(name)}`,
  };
}

/** A server, or a tool with the layers that decide on it. */
async function namedFindings(gateway: Gateway, name: string): Promise<readonly Finding[]> {
  const { mcpServers } = await gateway.readCore('core_mcpserver_list');
  const server = (Array.isArray(mcpServers) ? mcpServers : []).find(
    (one: unknown) => isObject(one) && one['name'] === name,
  ) as JsonObject | undefined;
  if (server !== undefined) return [serverFinding(server)];
  const { layers } = await gateway.read('explain_tool', { name });
  return (Array.isArray(layers) ? layers.filter((one) => isObject(one)) : []).map(
    ({ layer, allow, allowed = allow, reason, remedy }): Finding => ({
      level: allowed === false ? 'error' : 'ok',
      subject: String(layer),
      message: String(reason),
      ...(typeof remedy === 'string' && { fix: remedy }),
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function lineOf({ level, subject, message, fix }: Finding, { terminal }: Invocation): string {
  const mark = terminal.hasColour ? `\u001b[${COLOURS[level]}m${MARKS[level]}\u001b[0m` : MARKS[level];
  return `${mark} ${subject}: ${message}\n${fix === undefined ? '' : `    → ${fix}\n`}`;
}
