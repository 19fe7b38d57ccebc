// Generated from schemas/config/isolate.schema.json by npm run tables.
export interface IsolateConfig {
  /** Memory of each process of a sandbox, and of a container; a definition may only lower it. 0: unlimited. */
  readonly memoryMb: number;
  /** Processes and threads of a sandbox or container; a definition may only lower it. 0: unlimited. */
  readonly processes: number;
  /** Open files of each process of a sandbox or container; a definition may only lower it. */
  readonly openFiles: number;
  /** Size of /tmp of a sandbox, and of /dev/shm, which are in memory. */
  readonly tmpMb: number;
  /** Size of the home of a sandbox, which is kept between starts; one that grows beyond it ends the server. */
  readonly homeMb: number;
  /** Files and folders in the home of a sandbox; one with more ends the server. */
  readonly homeFiles: number;
  /** How often these are measured. */
  readonly homeCheckSeconds: number;
  /** Connections at a time through the proxy of a sandbox whose definition lists hosts; more are closed. */
  readonly connections: number;
  /** Connections at a time through the proxies of all sandboxes together; each server has at most as many as
   *  are left to the others. */
  readonly allConnections: number;
  /** How long such a connection may be silent before it is closed. */
  readonly connectionIdleSeconds: number;
  /** PEM file of further certificate authorities, for a proxy at https; filled from aggregator.extraCaFile. */
  readonly extraCaFile?: string;
  /** Proxy through which the hosts are reached; filled from aggregator.proxy. */
  readonly proxy?: string;
  /** Hosts that are reached without it; filled from aggregator.noProxy. */
  readonly noProxy?: readonly string[];
  /** Whether names that cannot be resolved here are left to it; filled from aggregator.proxyResolves. */
  readonly proxyResolves?: boolean;
}
