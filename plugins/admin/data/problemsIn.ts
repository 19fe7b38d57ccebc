import { ConfigControl, placeText } from 'pegboard';
import type { Scope } from 'pegboard';
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
  const all = [...configProblems(scope), ...servers.flatMap(serverProblem)];
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

const REMEDIES: Readonly<Record<string, string>> = {
  failed: 'correct command, args or env of its definition, then start it',
  unreachable:
    'see that the server runs and that url of its definition is right; it is tried again by itself',
  auth_required: 'set headers or auth in its definition, or sign in at it',
};

const WORDS: Readonly<Record<string, string>> = {
  failed: 'failed',
  unreachable: 'cannot be reached',
  auth_required: 'requires sign-in',
};

function serverProblem({
  name,
  state,
  health,
  error,
  remedy: known,
  metadata,
}: ListedServer): readonly Problem[] {
  const path = `/mcps/${encodeURIComponent(name)}`;
  const { recommended } = metadata;
  const helps =
    known === undefined
      ? { remedy: REMEDIES[state] ?? 'read its last words, then restart it' }
      : { remedy: actionWords(known.action, 'page'), action: known.action };
  if (state in REMEDIES || health === 'unhealthy')
    return [
      {
        title: `Server ${name} ${WORDS[state] ?? `is ${health}`}`,
        detail: known?.cause ?? error ?? 'it has said nothing about it',
        ...helps,
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
