import type { JsonObject } from 'pegboard';
import type { Client } from '../clients/client.ts';
import type { Params } from '../web/params.ts';

export interface GrantRequest {
  readonly form: Params;
  readonly client: Client;
  /** Thumbprint of the key that the request's DPoP proof is signed with. */
  readonly jkt: string | undefined;
}
export interface GrantAnswer {
  readonly body: JsonObject;
  /** To be called at the end of the response. @param isAnswered whether all of it was handed to the client's connection */
  readonly ended: (isAnswered: boolean) => Promise<void>;
}
/** One `grant_type` of the token endpoint. */
export interface Grant {
  readonly type: string;
  /** @throws OAuthError */
  redeem(request: GrantRequest): Promise<GrantAnswer>;
}
