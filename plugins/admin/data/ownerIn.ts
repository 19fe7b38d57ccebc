import type { Caller } from 'pegboard';
import { callerKey } from '../../kit/authority/ownerOf.ts';
import type { Visit } from '../web/definePage.ts';

/** The person whose things alone a visit may see; undefined: everyone's. */
export function ownerIn({ visitor }: Pick<Visit, 'visitor'>): Caller | undefined {
  return visitor?.authority === 'use' ? visitor.caller : undefined;
}

/** Who may end nothing of others that takes `define`, though everything is in sight; undefined: everyone else. */
export function limitedTo({ visitor }: Pick<Visit, 'visitor'>): Caller | undefined {
  return visitor?.authority === 'operate' ? visitor.caller : undefined;
}

/** Whether something of that caller may be seen. @param owner as ownerIn() says */
export function isOf(caller: Caller | undefined, owner: Caller | undefined): boolean {
  return owner === undefined || (caller !== undefined && callerKey(caller) === callerKey(owner));
}
