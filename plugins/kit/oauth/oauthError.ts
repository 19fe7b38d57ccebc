import type { JsonObject, Reply } from 'pegboard';

/** A refusal in the words of OAuth 2.1: status, error code and description go to the client, the reason to the log. */
export class OAuthError extends Error {
  readonly error: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Why, for the log: a code in kebab-case; never a token. */
  readonly reason: string;

  /** @param error a code of RFC 6749 §5.2 or of one of its extensions @param description shown to people; no secrets */
  constructor(
    error: string,
    description: string,
    { status = 400, headers = {}, reason = error.replaceAll('_', '-') }: Partial<OAuthErrorDetails> = {},
  ) {
    super(description);
    this.error = error;
    this.status = status;
    this.headers = headers;
    this.reason = reason;
  }

  /** A fault that passes: the client may repeat its request. @param retryAfterS in seconds */
  static unavailable(description: string, reason: string, retryAfterS = 5): OAuthError {
    return new OAuthError('temporarily_unavailable', `${description}, please retry`, {
      status: 503,
      headers: { 'retry-after': String(retryAfterS) },
      reason,
    });
  }

  get body(): JsonObject {
    return { error: this.error, error_description: this.message };
  }

  get reply(): Reply {
    return { status: this.status, headers: this.headers, body: this.body };
  }
}
export interface OAuthErrorDetails {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly reason: string;
}
