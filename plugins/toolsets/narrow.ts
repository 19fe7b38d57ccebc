import { isGatewayError } from 'pegboard';
import type { InboundRequest, Toolset } from 'pegboard';
import type { ToolsetView } from './contract.ts';
import { splitHeader } from './selectors.ts';

const HEADER = 'x-service-toolset';

/** Puts the toolset of header and path on the request. An invalid one is kept with its reason: meta-tools answer it, the
 *  request goes on. */
export function narrow(request: InboundRequest, resolve: Resolve): undefined {
  const header = request.header(HEADER);
  const asked = header === undefined ? undefined : splitHeader(header);
  const path = request.preset === undefined ? undefined : [`preset:${request.preset}`];
  if (asked !== undefined) request.toolset = toToolset(resolve, asked, path);
  else if (path !== undefined) request.toolset = toToolset(resolve, path);
  return undefined;
}

type Resolve = (selectors: readonly string[]) => ToolsetView;

function toToolset(resolve: Resolve, selectors: readonly string[], within?: readonly string[]): Toolset {
  const toolset = { selectors, ...(within !== undefined && { within }) };
  try {
    for (const one of [selectors, within]) if (one !== undefined) resolve(one);
    return toolset;
  } catch (error) {
    if (isGatewayError(error) && error.code === 'TOOL_TOOLSET_INVALID')
      return { ...toolset, invalid: error.message };
    throw error;
  }
}
