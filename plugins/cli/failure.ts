/** Exit code: the gateway or a server wants a sign-in. */
export const SIGN_IN_NEEDED = 2;
/** Exit code: a sign-in was tried, and failed. */
export const SIGN_IN_FAILED = 3;

/** A verb failed in a way that its user can mend: the message says how. */
export class Failure extends Error {
  readonly exitCode: number;

  /** @param exitCode 1 it failed, 2 sign-in needed or expired, 3 the sign-in failed */
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** No gateway answers at the endpoint. */
export class NoGateway extends Failure {}
