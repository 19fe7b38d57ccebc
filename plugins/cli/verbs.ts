import type { Command } from 'pegboard';
import { call } from './verbs/call.ts';
import { context } from './verbs/context.ts';
import { events } from './verbs/events.ts';
import { describe, get } from './verbs/get.ts';
import { list } from './verbs/list.ts';
import { search } from './verbs/search.ts';
import { version } from './verbs/version.ts';

/** All verbs, in the order of `pegboard help`. */
export const VERBS: readonly Command[] = [list, get, describe, search, call, events, context, version];
