import { GatewayError } from 'pegboard';
import type { Scope } from 'pegboard';
import { SessionList } from '../../contracts/sessions.ts';
import type { CallsUnderWay } from '../data/callsUnderWay.ts';
import { actAsOperator } from '../data/actAsOperator.ts';
import { ownerIn } from '../data/ownerIn.ts';
import { runTool } from '../data/runTool.ts';
import { serverNamed } from '../data/servers.ts';
import { sessionNamed } from '../data/sessions.ts';
import type { Action } from '../web/definePage.ts';
import { inPath } from '../../kit/pages/words.ts';

/** Ends a session, reconnects a server for one, cancels a call. */
export function sessionActions(scope: Scope<unknown>, calls: CallsUnderWay): readonly Action[] {
  return [endSession(scope), reconnect(scope), cancelCall(scope, calls)];
}

function endSession(scope: Scope<unknown>): Action {
  return {
    method: 'POST',
    path: '/sessions/:id/delete',
    takes: 'use',
    run: async (visit) => {
      const { params, request } = visit;
      const { session } = sessionNamed(scope, params['id'] ?? '', ownerIn(visit));
      const run = async (): Promise<string> => {
        await scope.get(SessionList).end(session.id);
        return `session ${session.id} was ended`;
      };
      const act = { name: 'admin_session_end', args: { session: session.id }, run };
      return { message: await actAsOperator(scope, act, request), next: '/sessions' };
    },
  };
}

function reconnect(scope: Scope<unknown>): Action {
  return {
    method: 'POST',
    path: '/sessions/:id/servers/:name/reconnect',
    takes: 'operate',
    run: async ({ params, request }) => {
      const { session, request: ofSession } = sessionNamed(scope, params['id'] ?? '');
      const server = serverNamed(scope, params['name'] ?? '');
      const { name } = server;
      const next = `/sessions/${inPath(session.id)}`;
      const own = server.ownFor?.(ofSession);
      if (own === undefined) {
        await runTool(scope, 'core_service_restart', { name }, request);
        return { message: `server ${name}, which all sessions share, was reconnected`, next };
      }
      const run = async (): Promise<string> => {
        await own.reconnect();
        return `the session's own connection to server ${name} was ended; a call begins the next one`;
      };
      const args = { session: session.id, server: name };
      return {
        message: await actAsOperator(scope, { name: 'admin_session_reconnect', args, run }, request),
        next,
      };
    },
  };
}

function cancelCall(scope: Scope<unknown>, calls: CallsUnderWay): Action {
  return {
    method: 'POST',
    path: '/calls/:id/cancel',
    takes: 'use',
    run: async (visit) => {
      const { params, form, request } = visit;
      const id = Number(params['id']);
      const next = form.get('next') ?? '/';
      if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(next))
        throw new GatewayError('REQUEST_MALFORMED', 'next must be a path of the admin pages');
      const run = (): string => `the call of ${calls.cancel(id, ownerIn(visit)).tool} was cancelled`;
      const message = await actAsOperator(
        scope,
        { name: 'admin_call_cancel', args: { call: id }, run },
        request,
      );
      return { message, next };
    },
  };
}
