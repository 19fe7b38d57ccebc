import type { JsonObject } from 'pegboard';
import type { KeyPath } from './formats.ts';
import type { ClientPlace } from './places.ts';

/** An entry of a client's file. */
export interface ClientEntry {
  readonly place: ClientPlace;
  readonly at: KeyPath;
  readonly name: string;
  /** What the entry says, with what the file says about it elsewhere. */
  readonly value: JsonObject;
  /** Why it cannot be read as one. */
  readonly fault?: string;
  /** What the file asks for, by id. */
  readonly inputs: ReadonlyMap<string, JsonObject>;
}
