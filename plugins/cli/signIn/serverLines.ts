import { plainText } from 'pegboard';
import { inWords } from '../../kit/text/inWords.ts';
import { takesGatewaySignIn, wantsSignIn } from './serverStatuses.ts';
import type { ServerSignIn } from './serverStatuses.ts';

const LABELS: Readonly<Record<string, string | undefined>> = {
  connected: 'Connected',
  auth_required: 'Not authenticated',
  reauth_required: 'Re-authentication required',
  disconnected: 'Disconnected',
  sso_pending: 'SSO Pending',
  error: 'Error',
  failed: 'Error',
};
const GAP = '   ';

/** The servers of `auth status`: those that cannot be reached are counted only. @param command that signs in at the gateway */
export function serverLines(statuses: readonly ServerSignIn[], command: string): string {
  const isShown = (one: ServerSignIn): boolean => one.suspended === true || one.status !== 'unreachable';
  const shown = statuses.filter(isShown);
  const notes = [
    noteOf(statuses.filter(wantsSignIn).length, 'pending authentication'),
    noteOf(statuses.length - shown.length, 'unreachable'),
  ];
  const rows = shown.map((one) => [one.name, labelOf(one), detailOf(one, command)] as const);
  const widthOf = (at: 0 | 1): number => Math.max(0, ...rows.map((row) => row[at].length));
  const [names, labels] = [widthOf(0), widthOf(1)];
  const lines = rows.map(([name, label, detail]) =>
    [name.padEnd(names), label.padEnd(labels), detail].join(GAP).trimEnd(),
  );
  return ['\nMCP Servers', ...[...notes.flat(), ...lines].map((line) => `  ${line}`)].join('\n') + '\n';
}

function noteOf(count: number, what: string): readonly string[] {
  return count === 0 ? [] : [`(${count} ${what})`];
}

function labelOf(status: ServerSignIn): string {
  if (status.suspended === true) return 'Deactivated';
  const label = LABELS[status.status] ?? status.status;
  if (status.token_forwarding_enabled === true) return `${label} [SSO: Forwarded]`;
  return status.token_exchange_enabled === true ? `${label} [SSO: Exchanged]` : label;
}

function detailOf(status: ServerSignIn, command: string): string {
  const { name, grant, error } = status;
  const { reason = error, missingScopes = [], expires, nextRefresh } = grant ?? {};
  if (status.suspended === true) return `Run: pegboard start ${name}`;
  const why = missingScopes.length > 0 ? `needs more scopes: ${missingScopes.join(' ')}` : reason;
  const shown = why === undefined ? [] : [plainText(why).replace(/\s+/g, ' ')];
  // Without a tool that gives a link, the error is the way.
  if (wantsSignIn(status) && status.auth_tool === undefined && why !== undefined && grant === undefined)
    return shown.join('');
  if (wantsSignIn(status)) return [...shown, `Run: ${command} --server ${name}`].join('; ');
  if (takesGatewaySignIn(status) && status.status === 'reauth_required')
    return [...shown, `Run: ${command}`].join('; ');
  if (nextRefresh !== undefined) return `renewed ${inWords(nextRefresh)}`;
  return expires === undefined ? shown.join('') : `expires ${inWords(expires)}`;
}
