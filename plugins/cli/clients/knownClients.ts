import { EDITORS } from './known/editors.ts';
import { EXTENSIONS } from './known/extensions.ts';
import { OTHERS } from './known/others.ts';
import { PROGRAMS } from './known/programs.ts';
import type { ClientKind } from './known/kind.ts';

export { EACH_PROJECT, HEADERS, HTTP } from './known/kind.ts';
export type { Carry, Headers, PlaceScope, Spell } from './known/kind.ts';

/** Where clients keep their servers, and how they spell one. */
export const CLIENTS: readonly ClientKind[] = [...PROGRAMS, ...EDITORS, ...OTHERS, ...EXTENSIONS];
