import { GatewayError, messageOf } from 'pegboard';
import type { ErrorCode } from 'pegboard';
import { claimsOf } from '../../kit/oauth/claimsOf.ts';
import { KubeError } from '../api/kubeError.ts';

/** What was asked of the API server. */
export interface KubeQuestion {
  readonly verb: string;
  readonly plural: string;
  readonly namespace: string;
  readonly name?: string;
  /** The id_token of the caller who asked; absent: the service itself did. */
  readonly token?: string;
}

/** A refusal of the API server in the words of a store. @param error undefined while there is no answer yet */
export function storeError(error: unknown, asked: KubeQuestion): GatewayError {
  if (!(error instanceof KubeError)) {
    const why = error === undefined ? 'it has not answered yet' : messageOf(error);
    return new GatewayError('STORE_UNREACHABLE', `the Kubernetes API cannot be used: ${why}`, {
      cause: error,
    });
  }
  const [code, text] = wordsFor(error, asked);
  return new GatewayError(code, text, { cause: error });
}

function wordsFor(error: KubeError, asked: KubeQuestion): readonly [ErrorCode, string] {
  const { status, reason, message, causes } = error;
  const { verb, plural, namespace, name = '' } = asked;
  const what = `${plural}.pegboard.dev${name === '' ? '' : ` ${name}`}`;
  switch (status) {
    case 401:
      return ['STORE_FORBIDDEN', unauthorized(asked)];
    case 403: {
      const who = asked.token === undefined ? 'the service account of Pegboard' : 'you';
      const text = `${who} may not ${verb} ${plural}.pegboard.dev in namespace ${namespace}: grant the verb ${verb} on ${plural} (apiGroup pegboard.dev) by a Role and RoleBinding there. The API server says: ${message}`;
      return ['STORE_FORBIDDEN', text];
    }
    case 404:
      // An API server names its reason, unless the path does not exist.
      if (name !== '' && reason !== '')
        return ['STORE_NOT_FOUND', `${what} not found in namespace ${namespace}`];
      return [
        'STORE_UNREACHABLE',
        `the Kubernetes API does not know ${plural}.pegboard.dev: install the custom resource definitions with pegboard crds | kubectl apply -f -`,
      ];
    case 409:
      return reason === 'AlreadyExists'
        ? [
            'STORE_CONFLICT',
            `${what} exists already in namespace ${namespace}; change it or choose another name`,
          ]
        : ['STORE_CONFLICT', `${what} was changed meanwhile, try again: ${message}`];
    case 422: {
      const faults = causes.map(({ field, message: fault }) => (field === '' ? fault : `${field}: ${fault}`));
      return [
        'TOOL_ARGUMENTS',
        `the Kubernetes API refuses ${what}: ${faults.length > 0 ? faults.join('; ') : message}`,
      ];
    }
    case 400:
      return ['TOOL_ARGUMENTS', `the Kubernetes API refuses ${what}: ${message}`];
    default:
      return ['STORE_UNREACHABLE', `the Kubernetes API cannot ${verb} ${what} now: ${message}`];
  }
}

/** The API server gives no reason with a 401, so the claims must show it. */
function unauthorized({ token }: KubeQuestion): string {
  if (token === undefined)
    return 'the Kubernetes API does not accept the credentials of Pegboard: check its service account or kubeconfig';
  const { iss, exp, email_verified: isVerified } = claimsOf(token);
  if (typeof exp === 'number' && exp * 1_000 <= Date.now())
    return `the Kubernetes API does not accept your id_token: it ended at ${new Date(exp * 1_000).toISOString()}; sign in again (pegboard auth login)`;
  if (isVerified === false)
    return 'the Kubernetes API does not accept your id_token: your address is not verified (email_verified is false); verify it at the identity provider, then sign in again';
  return `the Kubernetes API does not accept your id_token, although it is still valid: the API server must trust the issuer ${String(iss)} with that audience (its --authentication-config or --oidc-issuer-url)`;
}
