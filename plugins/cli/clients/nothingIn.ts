import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { otherFormat } from '../../kit/definitions/otherFormat.ts';

/** Why a file that was named has nothing to import, with the next step. */
export function nothingIn(path: string, file: JsonObject): string {
  const keys = Object.keys(file);
  const shown = keys.length > 8 ? `${keys.slice(0, 8).join(', ')} …` : keys.join(', ');
  const has = keys.length === 0 ? 'it is empty' : `its keys are ${shown}`;
  return `${path} holds no MCP servers: ${has}; ${nextStep(path, file)}`;
}

function nextStep(path: string, file: JsonObject): string {
  const has = (...keys: readonly string[]): boolean => keys.every((key) => Object.hasOwn(file, key));
  const server = isObject(file['server']) ? file['server'] : file;
  if (['packages', 'remotes'].some((key) => Array.isArray(server[key])))
    return `it is a server.json of the MCP registry: pegboard add ${path}`;
  if (has('manifest_version') || has('dxt_version'))
    return `it is the manifest of a bundle: pegboard add ${path}`;
  const other = otherFormat(path, file);
  if (other !== undefined) return `it ${other}`;
  if (has('aggregator') || has('plugins'))
    return 'it is a config.yaml of a gateway; name its directory to take it over';
  return 'servers are expected below mcpServers, servers, mcp_servers, context_servers, mcp or extensions';
}
