import type { Scope } from 'pegboard';
import { SignInList } from '../../contracts/oauth.ts';
import type { ListedSignIn } from '../../contracts/oauth.ts';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { excerpt } from '../../kit/pages/excerpt.ts';
import type { Excerpt } from '../../kit/pages/excerpt.ts';
import { isOf, limitedTo, ownerIn } from '../data/ownerIn.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import { definePage } from '../web/definePage.ts';
import type { Page, Visit } from '../web/definePage.ts';
import { pager } from '../../kit/pages/pager.ts';
import { table } from '../../kit/pages/parts.ts';
import { ago, counted, inPath, shortId, shown } from '../../kit/pages/words.ts';

/** `/sign-ins`: who has signed in at this gateway, with which client. */
export function signInsPage(scope: Scope<unknown>): Page {
  return definePage<{ readonly signIns: Excerpt<ListedSignIn> }>({
    path: '/sign-ins',
    nav: 'Sign-ins',
    takes: 'use',
    facts: async (visit) => ({
      signIns: excerpt((await scope.find(SignInList)?.of(ownerIn(visit))) ?? [], visit.query),
    }),
    show: ({ signIns }, visit) => ({
      title: counted(signIns.total, 'sign-in'),
      body: html`<p class="quiet">
          Sign-ins of people at this gateway. Ending one refuses its tokens and ends its streams, at every
          process.
        </p>
        ${table(
          { caption: 'Sign-ins', empty: 'No person has signed in, or sign-in is off.' },
          ['Who', 'Client', 'Since', 'Last used', 'Address', 'Expires', ''],
          signIns.items.map((signIn) => rowOf(signIn, visit)),
        )}${pager(signIns, visit.query)}`,
    }),
  });
}

function rowOf(signIn: ListedSignIn, visit: Visit): readonly (Html | string | undefined)[] {
  const { person, subject, issuer, clientName, clientId, since, lastUsed, address, expires } = signIn;
  return [
    html`<span title="${shown(`${subject} of ${issuer}`, 400)}">${shown(person ?? subject, 60)}</span>`,
    html`<span title="${shown(clientId, 400)}">${shown(clientName ?? clientId, 60)}</span>`,
    ago(since),
    ago(lastUsed),
    address === undefined ? undefined : shown(address, 60),
    ago(expires),
    html`<div class="row">
      ${isOf({ subject, issuer }, limitedTo(visit)) ? buttons(signIn, visit) : undefined}
    </div>`,
  ];
}

function buttons({ id, person, subject }: ListedSignIn, visit: Visit): readonly Html[] {
  const who = shown(person ?? subject, 60);
  return [
    actionForm(visit, {
      action: `/sign-ins/${inPath(id)}/end`,
      label: 'End',
      about: `sign-in ${shown(shortId(id))} of ${who}`,
      warning: 'The client has to sign in again.',
    }),
    actionForm(visit, {
      action: `/sign-ins/${inPath(id)}/end-all`,
      label: 'End all of this person',
      about: who,
      warning: `${who} has to sign in again with every client.`,
    }),
  ];
}
