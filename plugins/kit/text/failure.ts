/** Something failed in a way that its user can mend: the message says how. */
export class Failure extends Error {
  readonly exitCode: number;

  /** @param exitCode of a verb: 1 it failed, 2 sign-in needed or expired, 3 the sign-in failed */
  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
