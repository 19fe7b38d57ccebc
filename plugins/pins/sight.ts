import type { JsonObject } from 'pegboard';
import type { PinKind } from './fingerprint.ts';

/** A declaration as a server lists it. */
export interface Sight {
  readonly server: string;
  readonly kind: PinKind;
  /** Its name on the server. */
  readonly own: string;
  /** The name under which it is offered. */
  readonly as: string;
  /** That name in the form that all equal ones have. */
  readonly place: string;
  readonly declared: JsonObject;
  /** Its fingerprint, if it was judged before. */
  readonly hash?: string;
}
/** Why a declaration does not count as it is: it is another than was accepted, new, of another server than before, refused, beyond
 *  the bound, or what is accepted is not known yet. */
export type Doubt = 'changed' | 'new' | 'moved' | 'refused' | 'beyond' | 'unread';
export interface Matter extends Sight {
  readonly hash: string;
  readonly doubt: Doubt;
  /** What it asks for, and what was accepted. */
  readonly trust: number;
  readonly accepted: number;
  /** Who had the name before, if it has moved. */
  readonly former?: { readonly server: string; readonly key: string };
}
