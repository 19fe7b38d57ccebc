import type { Scope } from 'pegboard';
import { GrantStore } from '../../contracts/credentials.ts';
import type { StoredGrant } from '../../contracts/credentials.ts';
import { actionWords } from '../../kit/faults/action.ts';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { excerpt } from '../../kit/pages/excerpt.ts';
import type { Excerpt } from '../../kit/pages/excerpt.ts';
import { limitedTo, ownerIn } from '../data/ownerIn.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { badge, hyperlink, table } from '../../kit/pages/parts.ts';
import { ago, counted, inPath, shown } from '../../kit/pages/words.ts';

interface GrantRow extends StoredGrant {
  /** What to do about it. */
  readonly cure?: string;
  /** Whether the visitor may refresh and drop it. */
  readonly isOpen: boolean;
}

/** `/grants`: who has signed in where. */
export function grantsPage(scope: Scope<unknown>): Page {
  return definePage<{ readonly grants: Excerpt<GrantRow> }>({
    path: '/grants',
    nav: 'Grants',
    takes: 'use',
    facts: async (visit) => {
      const all = (await scope.find(GrantStore)?.all(ownerIn(visit))) ?? [];
      const part = excerpt(all, visit.query);
      const limit = limitedTo(visit);
      const own = limit && new Set((await scope.find(GrantStore)?.all(limit))?.map(({ id }) => id));
      const items = part.items.map((one) => ({ ...withCure(one), isOpen: own?.has(one.id) !== false }));
      return { grants: { ...part, items } };
    },
    show: ({ grants }, visit) => ({
      title: counted(grants.total, 'grant'),
      body: html`<p class="quiet">
          Sign-ins of callers at MCP servers. A holder is a digest: equal for all grants of one person or
          session.
        </p>
        ${table(
          { caption: 'Grants', empty: 'No caller has signed in at a server, or sign-in is off.' },
          ['Server', 'Holder', 'State', 'Since', 'Expires', 'Next refresh', 'Why, and what helps', ''],
          grants.items.map((grant) => rowOf(grant, visit)),
        )}${pager(grants, visit.query)}`,
    }),
  });
}

function withCure(grant: StoredGrant): Omit<GrantRow, 'isOpen'> {
  const { state, server } = grant;
  if (state !== 'lost' && state !== 'asked') return grant;
  return { ...grant, cure: `the caller has to ${actionWords({ do: 'signIn', server }, 'page')}` };
}

function rowOf(grant: GrantRow, visit: Visit): readonly (Html | string | undefined)[] {
  const { server, holder, state, since, expires, nextRefresh, reason, cure } = grant;
  const words = [reason, cure].filter((part) => part !== undefined).join('; ');
  return [
    ownerIn(visit) === undefined ? hyperlink(`/mcps/${inPath(server)}`, server) : shown(server),
    html`<code>${shown(holder)}</code>`,
    badge(state),
    since === undefined ? undefined : ago(since),
    expires === undefined ? undefined : ago(expires),
    nextRefresh === undefined ? undefined : ago(nextRefresh),
    words === '' ? undefined : shown(words, 400),
    html`<div class="row">${grant.isOpen ? buttons(grant, visit) : undefined}</div>`,
  ];
}

function buttons({ id, server, holder, state, nextRefresh }: GrantRow, visit: Visit): readonly Html[] {
  const about = `${shown(server)}, ${shown(holder)}`;
  const path = `/grants/${inPath(id)}`;
  const warning = 'Its holder has to sign in again to use this server.';
  const isRefreshed = state !== 'asked' && state !== 'lost' && nextRefresh !== undefined;
  return [
    ...(isRefreshed ? [actionForm(visit, { action: `${path}/refresh`, label: 'Refresh', about })] : []),
    actionForm(visit, { action: `${path}/drop`, label: 'Drop', about, warning }),
  ];
}
