import { CHANGING, coreTool, jsonResult, textResult } from 'pegboard';
import type { Caller, CallResult, JsonSchema, Tool } from 'pegboard';
import type { ListedSignIn, SignInList } from '../../contracts/oauth.ts';

const OTHERS = 'others';
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    end: {
      description: `Ends the sign-in with this id, or with "${OTHERS}" all but the one of this call; without it, nothing ends.`,
      type: 'string',
      minLength: 1,
    },
  },
  required: [],
  additionalProperties: false,
};
const NO_SESSION = 'Error: authentication context missing — no active session';

/** A person's own sign-ins at this gateway, to see and to end. */
export function sessionsTool(signIns: SignInList): Tool {
  return coreTool<{ readonly end?: string }>({
    name: 'core_auth_sessions',
    authority: 'use',
    description: 'List your own sign-ins at this gateway; ends one or all others if asked to',
    schema: SCHEMA,
    hints: CHANGING,
    run: ({ end }, { request: { caller } }) =>
      caller === undefined ? textResult(NO_SESSION, true) : sessions(signIns, caller, end),
  });
}

async function sessions(signIns: SignInList, caller: Caller, end: string | undefined): Promise<CallResult> {
  const own = await signIns.of(caller);
  const isCurrent = ({ id }: ListedSignIn): boolean => id === caller.claims?.['sid'];
  const meant = own.filter((one) => (end === OTHERS ? !isCurrent(one) : one.id === end));
  if (end !== undefined && end !== OTHERS && meant.length === 0)
    return textResult('None of your sign-ins has this id. List them with core_auth_sessions.', true);
  for (const { id } of meant) await signIns.end(id);
  const left = own.filter((one) => !meant.includes(one));
  const shown = left.map((one) => ({ ...one, ...(isCurrent(one) && { isCurrent: true }) }));
  return jsonResult({ sessions: shown, ...(end !== undefined && { ended: meant.map(({ id }) => id) }) });
}
