import { GatewayError } from 'pegboard';
import type { Front } from '../../contracts/mcp.ts';
import type { SeenSession, SessionList } from '../../contracts/sessions.ts';
import type { Relay } from '../client/relay.ts';
import type { SeenSessions } from '../session/seenSessions.ts';

/** The sessions at this process, for the operator. */
export function sessionList(front: Pick<Front, 'end'>, seen: SeenSessions, relay: Relay): SessionList {
  const shown = (one: ReturnType<SeenSessions['all']>[number]): SeenSession => {
    const { session, client, lastSeenAt, facts } = one;
    const { id, revision, subject, capabilities, createdAt } = session;
    const attached = relay.outlets.of(id);
    return {
      session: { id, revision, subject, capabilities, createdAt },
      client,
      request: { ...facts, header: () => undefined },
      lastSeenAt,
      hasStream: attached !== undefined,
      canEnd: attached === undefined || 'end' in attached.outlet || 'disconnect' in attached.outlet,
      questions: relay.questions.of(id),
    };
  };
  return {
    all: () => seen.all().map(shown),
    get: (id) => {
      const one = seen.get(id);
      return one && shown(one);
    },
    end: async (id) => {
      const one = seen.get(id);
      if (one === undefined) return false;
      const { canEnd, request } = shown(one);
      if (!canEnd) {
        const text = `the session lasts as long as its connection over ${request.transport}; end its client`;
        throw new GatewayError('REQUEST_FORBIDDEN', text);
      }
      relay.outlets.of(id)?.outlet.disconnect?.();
      relay.outlets.end(id);
      await front.end(one.session);
      return true;
    },
  };
}
