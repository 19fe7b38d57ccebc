import { GatewayError, didYouMean, isObject } from 'pegboard';
import type { ErrorCode, Verdict } from 'pegboard';
import { actionWords, readAction } from './action.ts';
import type { Action, ListedKind, Surface } from './action.ts';

/** What is wrong, and what helps: as data, so that each surface words it for whom it speaks to. */
export interface Remedy {
  readonly cause: string;
  readonly action: Action;
}

/** The key of `_meta` in an error result that holds the remedy, for programs. */
export const REMEDY_KEY = 'pegboard.dev/remedy';

/** An error whose message is the cause and, in the words of an agent, what helps. */
export function helpedBy(
  action: Action,
  code: ErrorCode,
  cause: string,
  details: GatewayError['details'] = {},
): GatewayError {
  const text = `${cause}; ${actionWords(action, 'agent')}`;
  return new GatewayError(code, text, { details: { ...details, action } });
}

/** An error about an unknown name: with the nearest of them, else with how to list them. */
export function unknownName(
  {
    name,
    known,
    kind,
  }: { readonly name: string; readonly known: readonly string[]; readonly kind: ListedKind },
  code: ErrorCode,
  cause: string,
): GatewayError {
  const near = didYouMean(name, known, '', 3);
  return near === ''
    ? helpedBy({ do: 'list', kind }, code, cause)
    : new GatewayError(code, `${cause}; ${near}`);
}

/** The part of a verdict that says what helps. */
export function remedyBy(action: Action): Pick<Verdict, 'remedy' | 'details'> {
  return { remedy: actionWords(action, 'agent'), details: { action } };
}

/** The remedy of an error, taken apart again; undefined if it has none.
 *  @param server whose error it is, if that does not say so @param text of the error, if more follows its message */
export function remedyOf(
  { message, details }: Pick<GatewayError, 'message' | 'details'>,
  server = details.server,
  text = message,
): Remedy | undefined {
  const { action } = details;
  if (action === undefined) return undefined;
  const cause = text.replaceAll(`; ${actionWords(action, 'agent')}`, '');
  return { cause, action: actionAt(action, server) };
}

/** The action, with the server that it is about, where it names none itself. */
export function actionAt(action: Action, server: string | undefined): Action {
  const isAtServer = server !== undefined && AT_SERVERS.has(action.do);
  return isAtServer ? ({ server, ...action } as Action) : action;
}
const AT_SERVERS: ReadonlySet<string> = new Set([
  'start',
  'restart',
  'stop',
  'edit',
  'mend',
  'reach',
  'authorize',
  'define',
  'signIn',
]);

/** The remedy in data of another process, such as `_meta` of an error result. */
export function readRemedy(value: unknown): Remedy | undefined {
  if (!isObject(value) || typeof value['cause'] !== 'string') return undefined;
  const action = readAction(value['action']);
  return action && { cause: value['cause'], action };
}

/** Cause and action in one line. */
export function remedyWords({ cause, action }: Remedy, surface: Surface): string {
  return `${cause}; ${surface === 'shell' ? 'next: ' : ''}${actionWords(action, surface)}`;
}
