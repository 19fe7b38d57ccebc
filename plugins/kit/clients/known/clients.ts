import { EDITORS } from './editors.ts';
import { EXTENSIONS } from './extensions.ts';
import { OTHERS } from './others.ts';
import { PROGRAMS } from './programs.ts';
import type { ClientKind } from './kind.ts';

export { EACH_PROJECT, HEADERS, HTTP } from './kind.ts';
export type { Carry, ClientKind, Headers, PlaceScope, Spell } from './kind.ts';

/** Where clients keep their servers, and how they spell one. */
export const CLIENTS: readonly ClientKind[] = [...PROGRAMS, ...EDITORS, ...OTHERS, ...EXTENSIONS];
