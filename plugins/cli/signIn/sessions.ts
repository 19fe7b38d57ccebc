import { isObject } from 'pegboard';
import type { Invocation, JsonObject } from 'pegboard';
import { confirm } from '../confirm.ts';
import { Failure } from '../failure.ts';
import { optionsOf } from '../commonOptions.ts';
import { Gateway } from '../gateway.ts';
import type { Column } from '../output/print.ts';
import { printList } from '../output/print.ts';
import { progressTo } from '../progressTo.ts';
import { inWords } from '../../kit/text/inWords.ts';

const TOOL = 'core_auth_sessions';
const COLUMNS: readonly Column[] = [
  { title: 'id', value: 'id' },
  { title: 'this one', value: ({ isCurrent }) => (isCurrent === true ? '*' : '') },
  { title: 'client', value: ({ clientName, clientId }) => clientName ?? clientId },
  { title: 'since', value: timeIn('since') },
  { title: 'last used', value: timeIn('lastUsed') },
  { title: 'address', value: 'address' },
  { title: 'expires', value: timeIn('expires'), isWide: true },
];

/** `pegboard auth sessions`: the person's own sign-ins at the gateway. @throws Failure */
export function listSessions(invocation: Invocation): Promise<number> {
  return Gateway.apart(invocation, async (gateway) => {
    printList(invocation, 'sign-ins', sessionsIn(await answerOf(gateway)), COLUMNS);
    return 0;
  });
}

/** `pegboard auth sessions end`. @throws Failure */
export async function endSessions(invocation: Invocation): Promise<number> {
  const [id] = invocation.args;
  const { others = false } = optionsOf<{ others?: boolean }>(invocation);
  if ((id === undefined) !== others)
    throw new Failure(
      'name the id of a sign-in, see: pegboard auth sessions list; or --others for all but this one',
    );
  if (others && !(await confirm(invocation, 'End all your other sign-ins at this gateway?'))) return 1;
  return Gateway.apart(invocation, async (gateway) => {
    const { ended } = await answerOf(gateway, { end: id ?? 'others' });
    const count = Array.isArray(ended) ? ended.length : 0;
    progressTo(invocation)(others ? `sign-ins ended: ${count}` : `sign-in ${id ?? ''} ended`);
    return 0;
  });
}

/** @throws Failure */
async function answerOf(gateway: Gateway, args: JsonObject = {}): Promise<JsonObject> {
  try {
    return await gateway.readCore(TOOL, args);
  } catch (error) {
    if (!(error instanceof Failure) || !error.message.includes(`not found: ${TOOL}`)) throw error;
    throw new Failure('people do not sign in at this gateway: it has no aggregator.oauth.server');
  }
}

function timeIn(member: string): Column['value'] {
  return ({ [member]: time }) => (typeof time === 'string' ? inWords(time) : '');
}

function sessionsIn({ sessions }: JsonObject): readonly JsonObject[] {
  return Array.isArray(sessions) ? sessions.filter((one) => isObject(one)) : [];
}
