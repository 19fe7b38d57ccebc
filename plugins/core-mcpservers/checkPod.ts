import { isObject } from 'pegboard';
import type { Finding } from 'pegboard';
import { isForPods, readAddressGrant } from '../kit/definitions/addressGrant.ts';
import type { McpServerSpec } from './mcpServerSpec.ts';

/** What no pod can be given, with what to do. */
const UNUSED: Readonly<Record<string, string>> = {
  isolate: 'the pod confines it',
  source: 'the digest of the image says what runs',
  idleTimeout: 'the pod runs until the definition is suspended',
  warmInstances: 'the pod starts a process with each session',
};
const UNUSED_GRANTS: Readonly<Record<string, string>> = {
  files: 'a pod has no files of this machine',
  processes: 'the node limits them (podPidsLimit of its kubelet)',
  openFiles: 'the container runtime limits them',
};
const REFERENCE = /\$\{(env|file|secret|caller):/;
const ONE_SECRET = /^\$\{secret:[a-z0-9][a-z0-9.-]{0,252}\/[-._a-zA-Z0-9]{1,253}\}$/;
const ENV_NAME = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/** What a stdio server in a pod of its own may have, as far as the definition alone says. Messages have no values. */
export function checkPod(spec: McpServerSpec): readonly Finding[] {
  const { runsIn, image, command = [], args = [], cwd, env, revision, grants } = spec;
  if (runsIn !== 'pod') return [];
  const findings: Finding[] = [];
  const refuse = (path: readonly string[], message: string): unknown => findings.push({ path, message });
  const misfit = (path: readonly string[], why: string): unknown =>
    refuse(path, `${path.join('.')} has no effect with runsIn: pod: ${why}; remove it`);
  if (image === undefined)
    refuse(['runsIn'], 'image is required with runsIn: pod; write image: name@sha256:…');
  if (command.length === 0)
    refuse(['runsIn'], 'command is required with runsIn: pod: the bridge in the pod starts it');
  for (const [key, why] of Object.entries(UNUSED)) if (spec[key] !== undefined) misfit([key], why);
  for (const [key, why] of Object.entries(UNUSED_GRANTS))
    if (isObject(grants) && grants[key] !== undefined) misfit(['grants', key], why);
  if (spec.instances === 'perCaller') {
    const message =
      'instances of a pod are processes of one user: what runs for one caller can read the files and the memory of what runs for another; write a definition for each caller who must be kept apart, or instances: perSession if none must';
    findings.push({ path: ['instances'], message, severity: 'warning' });
  }
  findings.push(...checkAddresses(isObject(grants) ? grants['network'] : undefined));
  if (revision === 'modern')
    refuse(['revision'], 'the bridge in a pod speaks revisions with sessions; remove revision: modern');
  if (cwd !== undefined && !cwd.startsWith('/')) refuse(['cwd'], 'cwd in a pod must be absolute');
  for (const [key, words] of Object.entries({ command: [command].flat(), args, cwd: [cwd ?? ''] }))
    if (words.some((word) => REFERENCE.test(word)))
      refuse([key], `${key} of a pod is read by all who may read it; put what it refers to into env`);
  for (const [name, value] of Object.entries(env)) {
    if (!ENV_NAME.test(name)) refuse(['env', name], `env has a name that no pod can have: ${name}`);
    if (REFERENCE.test(value) && !ONE_SECRET.test(value))
      refuse(
        ['env', name],
        `env.${name} may be a text, or \${secret:NAME/KEY} alone: other references belong to the gateway or to callers`,
      );
  }
  return findings;
}

/** A NetworkPolicy knows addresses only. */
function checkAddresses(network: unknown): readonly Finding[] {
  if (!Array.isArray(network)) return [];
  return network.flatMap((entry: unknown, at) => {
    const grant = readAddressGrant(String(entry));
    const path = ['grants', 'network', at];
    if (grant === undefined) {
      const forms = '10.0.0.7:5432, 10.0.0.0/24:5432, [fd00::7]:443 or [fd00::/64]:443';
      return [
        {
          path,
          message: `a pod cannot be limited to names, only to addresses with a port; write ${forms}, or network: all and limit names by an egress gateway of the cluster`,
        },
      ];
    }
    if (isForPods(grant)) return [];
    const message =
      'a pod gets no addresses of the link, nor others at which clouds hand out the credentials of the node, and no IPv4 written as IPv6; remove it';
    return [{ path, message }];
  });
}
