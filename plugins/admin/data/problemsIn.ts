import { ConfigControl, placeText } from 'pegboard';
import type { Scope } from 'pegboard';
import { GuardedServers } from '../../contracts/credentials.ts';
import { actionWords } from '../../kit/faults/action.ts';
import type { Action } from '../../kit/faults/action.ts';
import type { ListedServer } from './servers.ts';

/** Something that is wrong now. */
export interface Problem {
  readonly title: string;
  readonly detail: string;
  /** What to change. */
  readonly remedy: string;
  /** The same as data. */
  readonly action?: Action;
  /** The server whose definition can be edited on its page. */
  readonly server?: string;
  /** Path of the admin page that shows more. */
  readonly path?: string;
  readonly isWarning: boolean;
}

/** What is wrong with the configuration and the servers, faults before warnings. */
export function problemsIn(scope: Scope<unknown>, servers: readonly ListedServer[]): readonly Problem[] {
  const all = [...configProblems(scope), ...servers.flatMap((server) => serverProblem(server, scope))];
  return [...all.filter(({ isWarning }) => !isWarning), ...all.filter(({ isWarning }) => isWarning)];
}

function configProblems(scope: Scope<unknown>): readonly Problem[] {
  const issues = scope.get(ConfigControl).lastReport()?.issues ?? [];
  return issues.map((issue) => {
    const place = placeText(issue) ?? 'the configuration';
    const { definition, message, severity } = issue;
    const about = definition && `${definition.kind} ${definition.name}`;
    return {
      title: about ?? 'Configuration',
      detail: message.startsWith(`${about ?? ''}: `) ? message.slice(message.indexOf(': ') + 2) : message,
      remedy: `edit ${place}`,
      // The form of a definition that cannot be read does not open.
      ...(definition?.kind === 'MCPServer' &&
        issue.code !== 'CONFIG_UNREADABLE' && { server: definition.name }),
      isWarning: severity === 'warning',
    };
  });
}

const STATES: ReadonlySet<string> = new Set(['failed', 'unreachable', 'auth_required']);

/** What helps a server that says nothing about it itself. */
function actionFor(server: string, state: string, scope: Scope<unknown>): Action {
  switch (state) {
    case 'failed':
      return { do: 'edit', server, what: 'correct command, args or env, then start it' };
    case 'unreachable':
      return { do: 'reach', server };
    case 'auth_required':
      // Where each caller has an own credential, headers would be the gateway's.
      return scope.find(GuardedServers)?.get(server)?.isPersonal === true
        ? { do: 'signIn', server }
        : { do: 'authorize', server, tokens: true };
    default:
      return { do: 'restart', server };
  }
}

const WORDS: Readonly<Record<string, string>> = {
  failed: 'failed',
  unreachable: 'cannot be reached',
  auth_required: 'requires sign-in',
};

function serverProblem(
  { name, state, health, error, remedy: known, metadata }: ListedServer,
  scope: Scope<unknown>,
): readonly Problem[] {
  const path = `/mcps/${encodeURIComponent(name)}`;
  const { recommended } = metadata;
  const action = known?.action ?? actionFor(name, state, scope);
  if (STATES.has(state) || health === 'unhealthy')
    return [
      {
        title: `Server ${name} ${WORDS[state] ?? `is ${health}`}`,
        detail: known?.cause ?? error ?? 'it has said nothing about it',
        remedy: actionWords(action, 'page'),
        action,
        server: name,
        path,
        isWarning: state === 'auth_required',
      },
    ];
  if (recommended === undefined) return [];
  const title = `Server ${name} is shared by all sessions`;
  const remedy = 'set instances in its definition';
  return [{ title, detail: recommended, remedy, server: name, path, isWarning: true }];
}
