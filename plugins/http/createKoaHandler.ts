import type { IncomingMessage, RequestListener } from 'node:http';
import Router from '@koa/router';
import Koa from 'koa';
import { GatewayError } from 'pegboard';
import type { Route } from '../contracts/http.ts';
import { lostPage } from './lostPage.ts';
import { plainRefusal, replyFor } from './replies.ts';
import { refuse, serveRoute } from './serveRoute.ts';
import type { ServerParts } from './serveRoute.ts';

/** The routes as a koa application: paths with parameters, and responses to a wrong path or method. */
export function createKoaHandler(parts: ServerParts): RequestListener {
  const { log, routes } = parts;
  const router = new Router();
  for (const route of routes) addRoute(router, parts, route);
  const app = new Koa();
  app.on('error', (error: unknown) => {
    log[isClientGone(error) ? 'debug' : 'error']('response not delivered', { error });
  });
  app.use((ctx, next) => {
    ctx.respond = false;
    return next();
  });
  app.use(router.routes());
  app.use(({ req, res, path }) => {
    const known = router.match(path, '').path.map((layer) => layer.path);
    const allowed = routes.filter((route) => known.includes(route.path)).map(({ method }) => method);
    if (allowed.length > 0) res.setHeader('allow', allowed.join(', '));
    if (allowed.length === 0 && isBrowser(req)) {
      refuse(parts, { req, res }, lostPage(path));
      return;
    }
    const refusal = allowed.length > 0 ? wrongMethod(req, path, allowed) : noPath(routes);
    refuse(parts, { req, res }, replyFor(refusal, log, plainRefusal));
  });
  const handle = app.callback();
  return (req, res) => void handle(req, res);
}

/** A path that cannot be parsed leaves out its own route only. */
function addRoute(router: Router, parts: ServerParts, route: Route): void {
  const { method, path } = route;
  try {
    // The router would run GET routes for HEAD: a stream without a reader.
    router.register(path, [method.toLowerCase()], ({ req, res, params }, next) =>
      req.method === method ? serveRoute(parts, route, { req, res, params, url: req.url ?? '/' }) : next(),
    );
  } catch (error) {
    parts.log.error('route left out: its path cannot be read', { method, path, error });
  }
}

function isBrowser({ method, headers: { accept = '' } }: IncomingMessage): boolean {
  return method === 'GET' && accept.includes('text/html');
}

function isClientGone(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ECONNABORTED'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function wrongMethod({ method }: IncomingMessage, path: string, allowed: readonly string[]): GatewayError {
  return new GatewayError('REQUEST_METHOD', `${path} supports ${allowed.join(', ')}, not ${method ?? ''}`);
}

function noPath(routes: readonly Route[]): GatewayError {
  const paths = [...new Set(routes.map((route) => route.path))].join(', ');
  return new GatewayError('REQUEST_NOT_FOUND', `no such path; this server has ${paths}`);
}
