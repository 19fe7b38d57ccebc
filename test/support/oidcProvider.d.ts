/** The part of oidc-provider that the tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Context {
    status: number;
    body: unknown;
    readonly path: string;
    readonly req: IncomingMessage;
    readonly oidc: {
      readonly client?: { readonly clientId: string };
      readonly session?: { readonly accountId?: string };
      readonly params?: Readonly<Record<string, unknown>>;
      readonly resourceServers?: Readonly<Record<string, unknown>>;
      readonly entities: {
        readonly Grant?: { readonly jti: string; readonly accountId: string };
      };
    };
  }
  export interface Grant {
    addOIDCScope(scopes: string): void;
    addResourceScope(resource: string, scopes: string): void;
    save(): Promise<string>;
    destroy(): Promise<void>;
  }
  export type Configuration = Readonly<Record<string, unknown>>;
  export class Provider {
    constructor(issuer: string, configuration: Configuration);
    readonly Grant: {
      new (of: { readonly accountId: string; readonly clientId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    readonly Client: {
      find(id: string): Promise<{ backchannelLogout(subject: string, session?: string): Promise<void> }>;
    };
    readonly IdToken: new (
      claims: object,
      of: { readonly ctx: Context },
    ) => {
      scope: string;
      issue(as: { readonly use: 'idtoken' }): Promise<string>;
    };
    registerGrantType(
      name: string,
      handler: (context: Context) => Promise<void>,
      parameters: readonly string[],
    ): void;
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>;
    interactionDetails(
      req: IncomingMessage,
      res: ServerResponse,
    ): Promise<{
      readonly prompt: { readonly name: string };
      readonly params: Readonly<Record<string, unknown>>;
    }>;
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: object): Promise<void>;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): this;
    on(event: 'grant.success' | 'grant.error', listener: (context: Context) => void): this;
    on(event: 'grant.revoked', listener: (context: Context, grantId: string) => void): this;
  }
}
declare module 'oidc-provider/lib/helpers/errors.js' {
  export const InvalidTarget: new (description?: string) => Error;
}
declare module 'oidc-provider/lib/adapters/memory_adapter.js' {
  /** A store that survives its provider. */
  export function createMemoryAdapter(): (model: string) => object;
}
