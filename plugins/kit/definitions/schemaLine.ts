import { existsSync } from 'node:fs';
import { isObject, packageFile } from 'pegboard';
import type { JsonObject } from 'pegboard';

/** Names of what editors have a schema for, as in `schemas/editor/<name>.schema.json`. */
export const EDITOR_SCHEMAS: readonly string[] = [
  ...['config', 'mcpserver', 'workflow', 'toolsetpreset', 'access'],
];
const WILDCARDS = ['0.0.0.0', '::', ''];

/** The schema of a name as a file of this package. */
export function editorSchema(name: string): URL {
  return packageFile(`schemas/editor/${name}.schema.json`);
}

/** `http://host:port` at which this machine reaches the gateway of a config.yaml, as it is written there. */
export function gatewayAddress({ aggregator }: JsonObject): string {
  const { host, port } = isObject(aggregator) ? aggregator : {};
  const name = typeof host === 'string' && !WILDCARDS.includes(host) ? host : 'localhost';
  return `http://${name.includes(':') ? `[${name}]` : name}:${typeof port === 'number' ? port : 8090}`;
}

/** The first line of a file that is written, by which editors complete and check it: the address of its schema at the gateway, which is
 *  the same on other machines, or, where that is not known, the file in this package. @param name or kind: config, MCPServer
 *  @returns an empty text for a kind without such a schema */
export function schemaLine(name: string, settings: JsonObject): string {
  const known = name.toLowerCase();
  if (!EDITOR_SCHEMAS.includes(known) || !existsSync(editorSchema(known))) return '';
  const address = gatewayAddress(settings);
  // As a URL is written, nothing in a host ends the line.
  const served = URL.canParse(address) && isServed(settings) ? new URL(address).origin : undefined;
  const url = served === undefined ? editorSchema(known).href : `${served}/schemas/${known}.schema.json`;
  return `# yaml-language-server: $schema=${url}\n`;
}

/** Whether the gateway has pages at an address that is known beforehand. */
function isServed({ aggregator }: JsonObject): boolean {
  const { port, transport, enabled } = isObject(aggregator) ? aggregator : {};
  return transport !== 'stdio' && enabled !== false && port !== 0;
}
