import type { Scope } from 'pegboard';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { CallHistory } from '../../contracts/callHistory.ts';

/** What the list of calls is narrowed by. */
export type CallQuery = Readonly<
  Partial<Record<'server' | 'tool' | 'session' | 'outcome' | 'since' | 'until', string>>
>;

/** The address of the list of calls that match; undefined while none is kept. */
export function callsAt(scope: Scope<unknown>, query: CallQuery): string | undefined {
  if (scope.find(CallHistory) === undefined) return undefined;
  return `/calls?${new URLSearchParams(query).toString()}`;
}

/** Words that lead to the list of calls that match; the words alone while none is kept. */
export function callsLink(scope: Scope<unknown>, query: CallQuery, words: string): Html | string {
  const href = callsAt(scope, query);
  return href === undefined ? words : html`<a href="${href}">${words}</a>`;
}

/** Buttons that lead to the calls that match, and to those of them that failed. */
export function callButtons(scope: Scope<unknown>, query: CallQuery): Html | undefined {
  const [all, failed] = [callsAt(scope, query), callsAt(scope, { ...query, outcome: 'error' })];
  if (all === undefined || failed === undefined) return undefined;
  return html`<a class="button" href="${all}">Calls</a> <a class="button" href="${failed}">Failed calls</a>`;
}
