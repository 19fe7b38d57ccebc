import { HIDDEN, plainText } from 'pegboard';
import { hideInUrl } from 'pegboard/kit';
import type { Invocation, JsonObject } from 'pegboard';
import { optionsOf } from '../commonOptions.ts';
import { shownSpec } from '../../kit/definitions/shownSpec.ts';
import { asText } from '../output/print.ts';
import { tableLines } from '../output/tableLines.ts';
import type { PlannedLink } from './linkClients.ts';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import type { Server } from '../../kit/clients/entry/serverOfEntry.ts';
import type { ImportPlan, PlannedServer } from './planImport.ts';

const TITLES = ['client', 'scope', 'server', 'definition', 'left behind', 'what'];
const LEFT_BEHIND = 4;

export interface Report {
  readonly plan: ImportPlan;
  readonly links: readonly PlannedLink[];
  readonly faults: readonly string[];
}

/** What was found, and what would be written or is taken out, in the form that -o asks for. Contains no secret. */
export function reportText(report: Report, invocation: Invocation): string {
  const { output, headers } = optionsOf(invocation);
  const { isTerminal, columns } = invocation.terminal;
  if (output === 'json' || output === 'yaml') return asText(objectOf(report), output);
  if (output === 'name') return report.plan.servers.map(({ name }) => `${name}\n`).join('');
  const { servers } = report.plan;
  const all = rowsOf(report.plan);
  // Most entries are taken over whole.
  const isWhole = all.every((row) => row[LEFT_BEHIND] === '-');
  const [titles = [], ...rows] = [TITLES, ...all].map((row) =>
    isWhole ? row.toSpliced(LEFT_BEHIND, 1) : row,
  );
  const parts = [
    rows.length === 0
      ? ''
      : tableLines(titles, rows, { hasHeaders: headers, columns: isTerminal ? columns : undefined }),
    servers
      .filter((one) => !one.isPresent)
      .map(definitionDiff)
      .join(''),
    report.links.map(linkDiff).join(''),
  ];
  return plainText(parts.filter((part) => part !== '').join('\n'));
}

/** Notes for the operator, one line each. */
export function notesOf({ servers }: ImportPlan): readonly string[] {
  const changed = servers.flatMap(({ name, changes }) =>
    changes === undefined
      ? []
      : [
          `${name}: a file of its variables has changed since it was imported (${changes.join(', ')}), and its definition keeps what it has; write the new values into it with: pegboard edit server ${name}`,
        ],
  );
  const fresh = servers
    .filter((one) => !one.isPresent)
    .flatMap(({ name, server, isOff }) => [
      ...[...new Set(server.notes)].map((note) => `${name}: ${note}`),
      ...server.left.map(({ key, reason }) => `${name}: ${key} is left behind: ${reason}`),
      ...(isOff || server.isOff
        ? [`${name}: ${whyOff(server)}, so it is off; start it with: pegboard start ${name}`]
        : []),
    ]);
  return [...changed, ...fresh];
}

function whyOff({ isOff }: Server): string {
  return isOff ? 'its client does not use it' : 'it came with this project';
}

function rowsOf({ servers, skipped }: ImportPlan): readonly (readonly string[])[] {
  return [
    ...servers.flatMap((one) =>
      one.entries.map((entry, at) => [
        entry.place.label,
        entry.place.scope,
        entry.name,
        `${one.name}${one.isPresent ? ' (already there)' : at > 0 ? ' (the same)' : ''}`,
        leftKeys(one, entry) || '-',
        shownSpec(one.server),
      ]),
    ),
    ...skipped.map(({ entry, reason }) => [
      entry.place.label,
      entry.place.scope,
      entry.name,
      '-',
      '-',
      `left out: ${reason}`,
    ]),
  ];
}

/** The keys of an entry that are not in its definition, by their names. */
export function leftKeys({ left }: PlannedServer, entry: ClientEntry): string {
  return (left.get(entry) ?? []).map(({ key }) => key).join(', ');
}

function definitionDiff({ definition, secrets, server }: PlannedServer): string {
  const text =
    server.url === undefined ? definition.text : definition.text.replace(server.url, hideInUrl(server.url));
  const lines = text.trimEnd().split('\n');
  return [
    `+++ ${definition.path}`,
    ...lines.map((line) => `+ ${line}`),
    ...secrets.map(({ path }) => `+++ ${path} (a secret, mode 0600)`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function linkDiff({ place, before, changes }: PlannedLink): string {
  const lines = changes.map(({ at, name, value }) => {
    const path = [...at, name].join('.');
    return value === undefined ? `- ${path}\n` : `+ ${path}: ${JSON.stringify(value, hidden)}\n`;
  });
  return `${before === undefined ? 'create' : 'edit'} ${place.path}\n${lines.join('')}`;
}

function hidden(key: string, value: unknown): unknown {
  return key === 'Authorization' ? HIDDEN : value;
}

function objectOf({ plan, links, faults }: Report): JsonObject {
  return {
    servers: plan.servers.map((one) => ({
      name: one.name,
      type: one.server.type,
      isPresent: one.isPresent,
      found: one.entries.map((entry) => ({
        client: entry.place.client,
        scope: entry.place.scope,
        path: entry.place.path,
        name: entry.name,
        leftBehind: one.left.get(entry) ?? [],
      })),
      notes: [...new Set(one.server.notes)],
    })),
    skipped: plan.skipped.map(({ entry: { place, name }, reason }) => ({
      client: place.client,
      scope: place.scope,
      path: place.path,
      name,
      reason,
    })),
    links: links.map(({ place, changes }) => ({
      client: place.client,
      path: place.path,
      removed: changes.filter(({ value }) => value === undefined).map(({ name }) => name),
    })),
    faults,
  };
}
