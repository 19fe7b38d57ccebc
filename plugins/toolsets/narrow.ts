import { isGatewayError } from 'pegboard';
import type { InboundRequest, Toolset } from 'pegboard';
import { refuseCount } from '../kit/calls/selectors.ts';
import type { ToolsetView } from '../contracts/toolsets.ts';
import { splitHeader } from './selectors.ts';

const HEADER = 'x-service-toolset';
const REPEATED = 'invalid toolset: malformed: the header X-Service-Toolset was sent more than once';

/** Sets the toolsets of path and header on the request. An invalid one is kept with its reason: meta-tools return the reason,
 *  and the request continues. */
export function narrow(request: InboundRequest, resolve: Resolve): undefined {
  const header = request.header(HEADER);
  if (request.preset !== undefined)
    request.toolset = checked({ selectors: [`preset:${request.preset}`], declaredBy: 'path' }, resolve);
  if (header === undefined) return undefined;
  const toolset: Toolset = { selectors: splitHeader(header), declaredBy: 'header' };
  const isRepeated = request.isRepeated?.(HEADER) === true;
  request.toolset = isRepeated ? { ...toolset, invalid: REPEATED } : checked(toolset, resolve);
  return undefined;
}

type Resolve = (selectors: readonly string[]) => ToolsetView;

/** The toolset, with the reason if it cannot be used. */
export function checked(toolset: Toolset, resolve: Resolve): Toolset {
  try {
    refuseCount(toolset.selectors);
    resolve(toolset.selectors);
    return toolset;
  } catch (error) {
    if (isGatewayError(error) && error.code === 'TOOL_TOOLSET_INVALID')
      return { ...toolset, invalid: error.message };
    throw error;
  }
}
