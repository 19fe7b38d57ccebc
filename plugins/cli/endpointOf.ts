import { isObject } from 'pegboard';
import type { Invocation } from 'pegboard';
import { gatewayAddress } from '../kit/definitions/schemaLine.ts';
import { optionsOf } from './commonOptions.ts';
import { checkedUrl, readContexts } from './contexts.ts';
import { Failure } from './failure.ts';
import { readConfig } from './readConfig.ts';
import type { ConfigFile } from './readConfig.ts';

export interface NamedEndpoint {
  readonly url: string;
  /** Where the URL comes from, for messages. */
  readonly source: string;
  /** Whether it is the gateway of the configuration directory. */
  readonly isOwn: boolean;
}

/** The gateway that a verb talks to: --endpoint, PEGBOARD_ENDPOINT, --context, PEGBOARD_CONTEXT, the current context, then the
 *  address in config.yaml. @throws Failure */
export async function endpointOf(invocation: Invocation): Promise<NamedEndpoint> {
  const { endpoint, context } = optionsOf(invocation);
  if (endpoint !== undefined) return { url: checkedUrl(endpoint), source: '--endpoint', isOwn: false };
  const { current, contexts } = await readContexts(invocation.directory);
  const name = context ?? current;
  if (name !== undefined) {
    const found = contexts.find((one) => one.name === name);
    if (found !== undefined)
      return { url: checkedUrl(found.endpoint), source: `context ${name}`, isOwn: false };
    const known = contexts.map((one) => one.name).join(', ');
    const fix = known === '' ? 'add it with: pegboard context add' : `known are ${known}`;
    throw new Failure(`there is no context ${name}; ${fix}`);
  }
  return configuredEndpoint(invocation.directory);
}

async function configuredEndpoint(directory: string): Promise<NamedEndpoint> {
  const config = await readConfig(directory);
  return { url: configuredUrl(config), source: config.file, isOwn: true };
}

/** The address that a config.yaml gives its gateway. @throws Failure if that has none */
export function configuredUrl({ file, value }: ConfigFile): string {
  const section = value['aggregator'];
  const { transport } = isObject(section) ? section : {};
  if (transport === 'stdio')
    throw new Failure(`the gateway of ${file} speaks stdio only; name another with --endpoint or --context`);
  const path = transport === 'sse' ? '/sse' : '/mcp';
  return `${gatewayAddress(value)}${path}`;
}
