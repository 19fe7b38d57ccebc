import type { Command } from 'pegboard';
import { add } from './verbs/add.ts';
import { agent } from './verbs/agent.ts';
import { auth } from './verbs/auth.ts';
import { call } from './verbs/call.ts';
import { complete, completion } from './verbs/completion.ts';
import { context } from './verbs/context.ts';
import { create } from './verbs/create.ts';
import { crds } from './verbs/crds.ts';
import { deleteVerb } from './verbs/deleteVerb.ts';
import { describe, get } from './verbs/get.ts';
import { doctor } from './verbs/doctor.ts';
import { edit } from './verbs/edit.ts';
import { exportVerb } from './verbs/exportVerb.ts';
import { outdated } from './packages/outdated.ts';
import { upgrade } from './packages/upgrade.ts';
import { evalVerb } from './eval/evalVerb.ts';
import { events } from './verbs/events.ts';
import { firstStart } from './verbs/firstStart.ts';
import { importVerb } from './verbs/importVerb.ts';
import { link } from './verbs/link.ts';
import { list } from './verbs/list.ts';
import { logs } from './verbs/logs.ts';
import { restart, start, stop } from './verbs/operateVerb.ts';
import { pins } from './verbs/pins.ts';
import { plan } from './plan/plan.ts';
import { plugins } from './verbs/plugins.ts';
import { remove } from './verbs/remove.ts';
import { run } from './verbs/run.ts';
import { schema } from './verbs/schema.ts';
import { search } from './verbs/search.ts';
import { service } from './service/service.ts';
import { unlink } from './verbs/unlink.ts';
import { validate } from './verbs/validate.ts';
import { version } from './verbs/version.ts';

/** All verbs, in the order of `pegboard help`. */
export const VERBS: readonly Command[] = [
  list,
  get,
  describe,
  search,
  evalVerb,
  call,
  run,
  add,
  outdated,
  upgrade,
  remove,
  start,
  stop,
  restart,
  create,
  validate,
  deleteVerb,
  edit,
  events,
  logs,
  pins,
  agent,
  context,
  auth,
  importVerb,
  exportVerb,
  link,
  unlink,
  plan,
  doctor,
  plugins,
  service,
  crds,
  schema,
  completion,
  complete,
  firstStart,
  version,
];
