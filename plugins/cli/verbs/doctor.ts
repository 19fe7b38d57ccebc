import type { Invocation } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { clientFindings } from '../doctor/clientFindings.ts';
import { directoryFindings } from '../doctor/directoryFindings.ts';
import { markOf, findingText } from '../doctor/doctorFinding.ts';
import type { DoctorFinding } from '../doctor/doctorFinding.ts';
import { clockFinding, versionFinding } from '../doctor/gatewayFindings.ts';
import { nameFindings } from '../doctor/nameFindings.ts';
import { nodeFinding } from '../doctor/nodeFinding.ts';
import { openMeasuring } from '../doctor/openMeasuring.ts';
import { portFinding } from '../doctor/portFinding.ts';
import { serverFinding, liveServerFindings, serverRecords } from '../doctor/liveServerFindings.ts';
import { toolFindings } from '../doctor/toolFindings.ts';
import { toolsetFinding } from '../doctor/toolsetFinding.ts';
import { thisMachine, usersFinding } from '../doctor/usersFinding.ts';
import { endpointOf } from '../endpointOf.ts';
import type { NamedEndpoint } from '../endpointOf.ts';
import { Failure, SIGN_IN_NEEDED } from '../failure.ts';
import { Gateway } from '../gateway.ts';
import { asText } from '../output/print.ts';
import { unshielded } from '../../kit/text/shownText.ts';
import { readConfig } from '../readConfig.ts';
import { LocalTokenNeeded } from '../signIn/localToken.ts';
import { signInCommand } from '../signInNeeded.ts';
import { verb } from '../verb.ts';

export const doctor = verb({
  name: 'doctor',
  summary: 'why something cannot be seen or called, and what to type next',
  parameters: [{ name: '[name]', description: 'a server or a tool; without it, everything is looked at' }],
  examples: ['pegboard doctor', 'pegboard doctor x_github_list_issues'],
  run: async (invocation) => {
    const [name] = invocation.args;
    const findings = await (name === undefined ? allFindings(invocation) : namedFindings(invocation, name));
    const { output, quiet } = optionsOf(invocation);
    const { terminal } = invocation;
    if (output === 'json' || output === 'yaml') terminal.out(asText(findings, output));
    else
      for (const one of findings.filter(({ level }) => quiet !== true || level !== 'ok')) {
        unshielded(terminal).out(markOf(one, terminal));
        terminal.out(findingText(one));
      }
    return findings.some(({ level }) => level === 'error') ? 1 : 0;
  },
});

async function allFindings(invocation: Invocation): Promise<readonly DoctorFinding[]> {
  const node = nodeFinding(process.versions.node);
  let endpoint: NamedEndpoint;
  try {
    endpoint = await endpointOf(invocation);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const configuration = await directoryFindings(invocation.directory);
    const isBroken = configuration.some(({ level }) => level === 'error');
    const fix = isBroken ? 'pegboard check' : 'pegboard context list';
    return [node, ...configuration, { level: 'error', subject: 'endpoint', message: error.message, fix }];
  }
  const { isOwn, url, source } = endpoint;
  return [
    node,
    // config.yaml says nothing about a gateway elsewhere.
    ...(isOwn ? await directoryFindings(invocation.directory) : []),
    { level: 'ok', subject: 'endpoint', message: `${url} (${source})` },
    ...(isOwn ? usersFinding((await readConfig(invocation.directory)).value, thisMachine()) : []),
    ...(await gatewayFindings(invocation, endpoint)),
    ...(await clientFindings(invocation)),
  ];
}

async function gatewayFindings(
  invocation: Invocation,
  endpoint: NamedEndpoint,
): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  let secondsAhead: number | undefined;
  const look = async (narrow: Gateway): Promise<void> => {
    findings.push(versionFinding(narrow), ...clockFinding(secondsAhead));
    await unnarrowed(invocation, narrow, async (wide) => {
      findings.push(await toolsetFinding(narrow, wide));
      findings.push(...(await liveServerFindings(wide, invocation.env)), ...(await nameFindings(wide)));
    });
  };
  try {
    await Gateway.apart(
      invocation,
      look,
      openMeasuring((seconds) => (secondsAhead = seconds)),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (findings.length > 0)
      findings.push({
        level: 'error',
        subject: 'gateway',
        message: error.message,
        fix: 'pegboard doctor --debug',
      });
    else findings.push(await silenceFinding(error, endpoint));
  }
  return findings;
}

/** Why there is no connection to a gateway. */
async function silenceFinding(failure: Failure, endpoint: NamedEndpoint): Promise<DoctorFinding> {
  const { message, exitCode } = failure;
  const level = 'error';
  const subject = 'gateway';
  if (failure instanceof LocalTokenNeeded) {
    const fix = 'PEGBOARD_STATE_PATH=<state directory of that gateway> pegboard doctor';
    return { level, subject, message, fix };
  }
  if (exitCode === SIGN_IN_NEEDED) return { level, subject, message, fix: signInCommand(endpoint) };
  if (!endpoint.isOwn)
    return { level, subject, message, fix: 'another gateway: pegboard context use <name>' };
  return (await portFinding(endpoint)) ?? { level, subject, message, fix: 'pegboard serve' };
}

/** A server, or a tool with the layers that decide on it. @throws Failure */
function namedFindings(invocation: Invocation, name: string): Promise<readonly DoctorFinding[]> {
  return Gateway.apart(invocation, (narrow) =>
    unnarrowed(invocation, narrow, async (wide) => {
      const servers = await serverRecords(wide);
      const find = (wanted: unknown): readonly Promise<DoctorFinding>[] =>
        servers
          .filter((server) => server.name === wanted)
          .map((server) => serverFinding(server, wide, invocation.env));
      const own = await Promise.all(find(name));
      if (own.length > 0) return own;
      const { findings, server } = await toolFindings(narrow, name);
      return [...findings, ...(await Promise.all(find(server)))];
    }),
  );
}

/** Core tools may be outside of the toolset that was asked for, so they are read without it. @throws Failure */
function unnarrowed<T>(
  invocation: Invocation,
  narrow: Gateway,
  use: (wide: Gateway) => Promise<T>,
): Promise<T> {
  const { toolset, ...options } = invocation.options;
  const endpoint = narrow.endpoint.url.replace(/\/t\/[^/]+$/, '');
  if (toolset === undefined && endpoint === narrow.endpoint.url) return use(narrow);
  return Gateway.apart({ ...invocation, options: { ...options, endpoint } }, use);
}
