import { isGatewayError } from 'pegboard';
import type { InboundRequest, Toolset, ToolsetView } from 'pegboard';
import { splitHeader } from './selectors.ts';

const HEADER = 'x-service-toolset';

/** Puts the header's toolset on the request. An invalid one is kept with its reason: meta-tools answer it, the request goes on. */
export function narrow(
  request: InboundRequest,
  resolve: (selectors: readonly string[]) => ToolsetView,
): undefined {
  const header = request.header(HEADER);
  if (header === undefined) return undefined;
  request.toolset = toToolset(splitHeader(header), resolve);
  return undefined;
}

function toToolset(
  selectors: readonly string[],
  resolve: (selectors: readonly string[]) => ToolsetView,
): Toolset {
  try {
    resolve(selectors);
    return { selectors };
  } catch (error) {
    if (isGatewayError(error) && error.code === 'TOOL_TOOLSET_INVALID')
      return { selectors, invalid: error.message };
    throw error;
  }
}
