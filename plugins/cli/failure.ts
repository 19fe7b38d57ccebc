import { Failure } from '../kit/text/failure.ts';

export { Failure };

/** Exit code: the gateway or a server wants a sign-in. */
export const SIGN_IN_NEEDED = 2;
/** Exit code: a sign-in was tried, and failed. */
export const SIGN_IN_FAILED = 3;

/** No gateway answers at the endpoint. */
export class NoGateway extends Failure {}
