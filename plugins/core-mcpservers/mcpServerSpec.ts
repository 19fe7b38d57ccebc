import type { JsonObject } from 'pegboard';
import type { PackageSource } from '../kit/packages/packageIn.ts';
import type { AuthSpec } from './checkAuth.ts';

/** Validated spec of an MCPServer, with defaults. Source: schemas/kinds/mcpserver.schema.json. */
export interface McpServerSpec extends JsonObject {
  readonly type: 'stdio' | 'streamable-http' | 'sse' | 'auto';
  readonly description?: string;
  readonly toolPrefix?: string;
  readonly autoStart?: boolean;
  readonly command?: string | readonly string[];
  readonly args?: readonly string[];
  readonly source?: PackageSource;
  readonly cwd?: string;
  readonly isolate?: 'none' | 'sandbox' | 'container';
  readonly image?: string;
  readonly runsIn?: 'gateway' | 'pod';
  readonly grants?: JsonObject;
  readonly url?: string;
  readonly messageUrl?: string;
  readonly proxy?: string;
  readonly tls?: {
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: string;
    readonly servername?: string;
  };
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly callerSecrets?: Readonly<Record<string, { readonly description: string }>>;
  readonly timeout: number;
  readonly startTimeout?: number;
  readonly callTimeout?: number;
  readonly callTimeouts?: Readonly<Record<string, number>>;
  readonly idleTimeout?: number;
  readonly instances?: 'shared' | 'perSession' | 'perCaller';
  readonly warmInstances?: number;
  readonly revision?: 'auto' | 'legacy' | 'modern';
  readonly keepSession?: boolean;
  readonly suspended: boolean;
  readonly auth?: AuthSpec;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
  readonly restartRequestedAt?: string;
}
