/** Requests to addresses that come from outside: what plugins import as `pegboard/net`. Not loaded unless one does. */
export { addressClass, addressOwner, type AddressClass } from './addressClass.ts';
export {
  GuardedFetchError,
  guardedFetch,
  type GuardedFetch,
  type GuardedFetchParts,
  type GuardedFetchReason,
  type Trust,
} from './guardedFetch.ts';
export { hostClasses, hostOf, isLoopbackHost } from './hostClasses.ts';
export { resolveHost } from './resolveHost.ts';
export { exportAgent } from './exportAgent.ts';
export { authorizationFor, openTunnel, type TunnelTarget } from './openTunnel.ts';
export {
  ProxyError,
  isLeftToProxy,
  proxyRoutes,
  readProxy,
  type Proxy,
  type ProxySettings,
  type ProxyRoute,
  type Routes,
} from './proxyRoutes.ts';
