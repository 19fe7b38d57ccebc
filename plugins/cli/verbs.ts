import type { Command } from 'pegboard';
import { IMPORT } from './verbs/import.ts';
import { LINK } from './verbs/link.ts';
import { UNLINK } from './verbs/unlink.ts';
import { call } from './verbs/call.ts';
import { complete, completion } from './verbs/completion.ts';
import { context } from './verbs/context.ts';
import { describe, get } from './verbs/get.ts';
import { doctor } from './verbs/doctor.ts';
import { events } from './verbs/events.ts';
import { list } from './verbs/list.ts';
import { search } from './verbs/search.ts';
import { version } from './verbs/version.ts';

/** All verbs, in the order of `pegboard help`. */
export const VERBS: readonly Command[] = [
  list,
  get,
  describe,
  search,
  call,
  events,
  context,
  IMPORT,
  LINK,
  UNLINK,
  doctor,
  completion,
  complete,
  version,
];
