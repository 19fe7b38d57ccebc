import type { Scope } from 'pegboard';
import { connectionsTo } from '../../kit/clients/connectionsTo.ts';
import type { Connection } from '../../kit/clients/connectionsTo.ts';
import { html } from '../../kit/http/page.ts';
import type { Html } from '../../kit/http/page.ts';
import { clientAddress } from '../data/clientAddress.ts';
import type { ClientAddress } from '../data/clientAddress.ts';
import { ownerIn } from '../data/ownerIn.ts';
import { contextCosts } from '../data/servers.ts';
import type { ContextCost } from '../data/servers.ts';
import { copyField, COPY } from '../web/copyField.ts';
import { definePage } from '../web/definePage.ts';
import type { Page } from '../web/definePage.ts';
import { section, table } from '../../kit/pages/parts.ts';
import { count, counted } from '../../kit/pages/words.ts';

interface ConnectFacts extends ClientAddress {
  readonly clients: readonly Connection[];
  /** Absent for who does not operate. */
  readonly cost?: ContextCost;
}

/** `/connect`: the line that connects each client, and what the tools take of its context. */
export function connectPage(scope: Scope<unknown>): Page {
  const costFor = contextCosts(scope);
  let last: { readonly url: string; readonly clients: readonly Connection[] } | undefined;
  return definePage<ConnectFacts>({
    path: '/connect',
    nav: 'Connect',
    takes: 'use',
    facts: (visit) => {
      const address = clientAddress(scope);
      const { url, asksLocalToken } = address;
      if (url !== undefined && last?.url !== url) last = { url, clients: connectionsTo(url) };
      const known = (url !== undefined && last?.clients) || [];
      const clients = asksLocalToken ? known.flatMap(linked) : known;
      const isAll = ownerIn(visit) === undefined;
      return { ...address, clients, ...(isAll && { cost: costFor(visit.request) }) };
    },
    show: (all) => ({
      title: 'Connect a client',
      body: html`${addressSection(all)}${lineSection(all)}${entrySection(all)}${all.cost && costSection(all.cost)}${COPY}`,
    }),
  });
}

/** The line that writes the token of the gateway, too, which is shown nowhere. */
function linked({ name, label, note }: Connection): readonly Connection[] {
  if (name === 'inspector') return [];
  return [{ name, label, line: `pegboard link ${name}`, ...(note !== undefined && { note }) }];
}

function addressSection({ url, asksSignIn, asksLocalToken, isGuess }: ConnectFacts): Html {
  if (url === undefined)
    return section(
      'Address',
      html`<p>
        Clients reach this gateway over stdio or SSE only, or its listener is shut; with
        <code>aggregator.transport: streamable-http</code> there is an address. A client can also start it:
        command <code>pegboard</code>, arguments <code>serve --transport stdio</code>.
      </p>`,
    );
  const guess = html`<p class="quiet">
    From other machines, put the name of this one in place of localhost, or set
    <code>aggregator.oauth.server.baseUrl</code>.
  </p>`;
  const token = html`<p class="care-box">
    The gateway asks for its local token (<code>aggregator.localToken</code>), which these lines write into
    the file of the client. They are for this machine, where the token is.
  </p>`;
  const signIn = html`<p class="quiet">
    A client leads its person to the sign-in of the gateway, in a browser, when it connects first.
  </p>`;
  return section(
    'Address',
    html`${copyField('address', 'Address of the gateway', url)}
    ${isGuess ? guess : undefined}${asksLocalToken ? token : undefined}${asksSignIn ? signIn : undefined}
    ${
      asksSignIn || asksLocalToken
        ? undefined
        : html`<p class="quiet">
            On this machine, <code>pegboard link</code> writes it into the files of all clients that there
            are, and <code>pegboard unlink</code> takes it back.
          </p>`
    }`,
  );
}

function lineSection({ clients }: ConnectFacts): Html | undefined {
  const lines = clients.filter(({ line }) => line !== undefined);
  if (lines.length === 0) return undefined;
  const items = lines.map(
    ({ name, label, line = '', note }) =>
      html`<div class="item">
        <h3>${label}</h3>
        ${copyField(`line-${name}`, `Line for ${label}`, line)} ${noteOf(note)}
      </div>`,
  );
  return section('A line for a shell', items);
}

function entrySection({ clients }: ConnectFacts): Html | undefined {
  const entries = clients.filter(({ line }) => line === undefined);
  if (entries.length === 0) return undefined;
  const items = entries.map(
    ({ name, label, entry = '', files = [], note }) =>
      html`<details class="item" data-keep="client ${name}">
        <summary>${label}</summary>
        <p>${files.map((file) => html`<code>${file}</code> `)}</p>
        ${copyField(`entry-${name}`, `Entry for ${label}`, entry)} ${noteOf(note)}
      </details>`,
  );
  return section('An entry for a file', items, counted(entries.length, 'client'));
}

function noteOf(note: string | undefined): Html | undefined {
  return note === undefined ? undefined : html`<p class="quiet">${note}.</p>`;
}

function costSection({ metaTools, allTools }: ContextCost): Html {
  const row = (words: string, { tools, tokens }: ContextCost['metaTools']): readonly (string | Html)[] => [
    words,
    html`<span class="number">${count(tools)}</span>`,
    html`<span class="number">${count(tokens)}</span>`,
  ];
  return section(
    'What the tools take of an agent’s context',
    html`${table(
        { caption: 'Tokens', empty: '' },
        ['List', 'Tools', 'Tokens'],
        [
          row('What a client of Pegboard reads', metaTools),
          row('All tools of the servers, if clients read them', allTools),
        ],
      )}
      <p class="quiet">
        Names, descriptions and schemas, with four bytes of JSON for a token, as an estimate. A client reads
        its list at the start of each conversation; Pegboard’s stays the same with more servers.
      </p>`,
    undefined,
    'tokens',
  );
}
