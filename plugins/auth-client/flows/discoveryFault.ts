import { SignInFault } from '../discovery/network.ts';

/** It is not known where people sign in for a server; the operator can say it. The message names what was read. */
export class DiscoveryFault extends SignInFault {}
