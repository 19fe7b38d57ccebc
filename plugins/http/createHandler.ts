import type { IncomingMessage, RequestListener } from 'node:http';
import type { GatewayError, Log } from 'pegboard';
import type { Route } from '../contracts/http.ts';
import { createCors } from './cors.ts';
import { createOriginCheck } from './hosts.ts';
import { plainRefusal, replyFor } from './replies.ts';
import { refuse, serveRoute } from './serveRoute.ts';
import type { ServerParts } from './serveRoute.ts';

const NO_PARAMS = {};
/** Names come from outside. */
const MAX_LOGGED_NAMES = 100;
/** Paths without parameters or wildcards. */
const FIXED_PATH = /^[\w/.-]+$/;

/** The routes as a plain listener, so that a reload can swap it under open sockets. A request whose method and path are exactly
 *  those of a route goes to it directly, all others go through koa, whose application is made for the first of them (D85). */
export function createHandler(parts: ServerParts): RequestListener {
  const { config, log, routes } = parts;
  const check = createOriginCheck(config);
  const logRefused = linePerName(log);
  const cors = createCors(config, [...new Set(routes.map(({ method }) => method))]);
  const fixed = fixedRoutes(routes);
  let koa: Promise<RequestListener> | undefined;
  const loadKoa = async (): Promise<RequestListener> =>
    (await import('./createKoaHandler.ts')).createKoaHandler(parts);
  return (req, res) => {
    const refused = check(req);
    if (refused !== undefined) {
      logRefused(refused, req);
      refuse(parts, { req, res }, replyFor(refused, log, plainRefusal));
      return;
    }
    if (cors(req, res)) return;
    const { method = '', url = '/' } = req;
    const route = fixed.get(method)?.get(url);
    if (route !== undefined) {
      void serveRoute(parts, route, { req, res, params: NO_PARAMS, url });
      return;
    }
    koa ??= loadKoa();
    koa
      .then((handle) => handle(req, res))
      .catch((error: unknown) => refuse(parts, { req, res }, replyFor(error, log, plainRefusal)));
  };
}

/** Writes refusals of Host and Origin to the log, one line for each name. */
function linePerName(log: Log): (refused: GatewayError, req: IncomingMessage) => void {
  const reasons = new Set<string>();
  return ({ code, message: reason }, { socket }) => {
    if (code !== 'REQUEST_FORBIDDEN' || reasons.has(reason) || reasons.size > MAX_LOGGED_NAMES) return;
    reasons.add(reason);
    if (reasons.size > MAX_LOGGED_NAMES)
      log.warn('refusals of further names are not logged', { names: MAX_LOGGED_NAMES });
    else
      log.warn('request refused: its Host or Origin is not allowed', {
        reason,
        address: socket.remoteAddress,
      });
  };
}

/** Routes without parameters, by method and path; the first of several equal ones is used, as in the router. */
function fixedRoutes(routes: readonly Route[]): ReadonlyMap<string, ReadonlyMap<string, Route>> {
  const byMethod = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    if (!FIXED_PATH.test(route.path)) continue;
    const byPath = byMethod.get(route.method) ?? new Map<string, Route>();
    byMethod.set(route.method, byPath);
    if (!byPath.has(route.path)) byPath.set(route.path, route);
  }
  return byMethod;
}
