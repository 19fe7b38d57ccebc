import { isOffer } from 'pegboard';
import type { DecisionLayer, GatewayError, InboundRequest, ToolTable, Verdict } from 'pegboard';
import { actionAt, remedyBy } from '../../kit/faults/remedy.ts';
import { isSingleSignOn } from '../../kit/oauth/authRules.ts';
import { signInCall } from '../../kit/oauth/signInCall.ts';
import type { UpstreamConfig } from '../config.ts';
import { awayError, notHere } from '../connection/away.ts';
import type { Fleet } from '../server/fleet.ts';
import type { Server } from '../server/server.ts';
import { mayLearn } from './mayLearn.ts';
import { namesake } from './namesake.ts';
import { isStartingUnknown, isUnknown } from './startingServers.ts';
import type { Offers } from './offers.ts';
import { whyUnlisted } from './whyUnlisted.ts';

const LAYER = 'server';
const AGAIN = 'try again in a few seconds';

/** Reports the state of a tool's server; for an unknown tool name, reports the server that would have offered it. */
export function serverDecisions(
  config: () => UpstreamConfig,
  fleet: Pick<Fleet, 'get' | 'all'>,
  offers: Pick<Offers, 'exclusion' | 'formerServer' | 'leftOut' | 'report'>,
  table: () => Pick<ToolTable, 'hides'>,
): DecisionLayer {
  const judgeGone = (name: string, request: InboundRequest): Verdict | undefined => {
    const former = offers.formerServer(name);
    const server = former === undefined ? namesake(name, fleet, config()) : fleet.get(former);
    const named = former ?? server?.name;
    if (named === undefined || !mayLearn({ server: named, tool: name }, table(), request)) return undefined;
    if (server !== undefined) {
      const why = verdictWithout(server, request) ?? whyUnlisted(server, offers, { name, request });
      return why && { layer: LAYER, allow: false, ...why, server: named };
    }
    const action = { do: 'define', server: named } as const;
    return { ...refused('TOOL_NOT_FOUND', `server not found: ${named}`), ...remedyBy(action) };
  };
  return {
    layer: LAYER,
    order: 10,
    judge: (name, tool, request) => {
      if (tool === undefined) return judgeGone(name, request);
      // Resources and prompts are listed only while their server is connected.
      if (isOffer(tool) || tool.server === undefined) return undefined;
      const excluded = offers.exclusion(name, request);
      if (excluded !== undefined) {
        const action = { do: 'change', kind: 'server', name: tool.server, part: 'the lists' } as const;
        return { ...refused('TOOL_DENIED', excluded), ...remedyBy(action) };
      }
      const server = fleet.get(tool.server);
      return server?.personal.verdict ?? server?.connection.status.verdict;
    },
    // What is excluded is another tool, and a server's state refuses none.
    basis: () => '',
  };
}

/** Why no tool of the server is known; undefined if some are, or if it has none. */
function verdictWithout({ connection, personal }: Server, request: InboundRequest): Verdict | undefined {
  const { name, isWanted, state, status, retry } = connection;
  if (!isWanted)
    return {
      ...refused('UPSTREAM_SUSPENDED', notHere(name, state)),
      ...remedyBy({ do: 'start', server: name }),
    };
  if (isStartingUnknown(connection)) {
    const { progress } = connection;
    const doing = progress === undefined ? '' : `: ${progress}`;
    return refused('UPSTREAM_UNREACHABLE', `server ${name} is still connecting${doing}`, AGAIN);
  }
  const credential = personal.credentialOf(request);
  if (credential !== undefined) {
    if (personal.listOf(credential.owner) !== undefined) return undefined;
    const { missing } = credential;
    if (missing !== undefined) return refusedAs(missing, name);
    const reason = `server ${name} could not be connected for you yet, so what it offers you is unknown`;
    const remedy = isSingleSignOn(personal.auth) ? AGAIN : `${AGAIN}, or ${signInCall(name)}`;
    return refused('UPSTREAM_UNREACHABLE', reason, remedy);
  }
  if (!isUnknown(connection) || state === 'ready') return undefined;
  return refusedAs(awayError(name, status.lastError, retry.at), name);
}

function refusedAs({ code, message, details: { action } }: GatewayError, server: string): Verdict {
  return { ...refused(code, message), ...(action && { details: { action: actionAt(action, server) } }) };
}

function refused(code: NonNullable<Verdict['code']>, reason: string, remedy?: string): Verdict {
  return { layer: LAYER, allow: false, code, reason, ...(remedy !== undefined && { remedy }) };
}
