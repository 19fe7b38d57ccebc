import { hideInUrl, hideInWords, plainText } from 'pegboard';
import type { JsonObject } from 'pegboard';
import { stringify } from 'yaml';
import type { OutputFormat } from '../commonOptions.ts';
import type { PlannedLink } from './linkClients.ts';
import type { ImportPlan, PlannedServer } from './planImport.ts';

export interface Report {
  readonly plan: ImportPlan;
  readonly links: readonly PlannedLink[];
  readonly faults: readonly string[];
}
interface Style {
  readonly output: OutputFormat;
  readonly headers: boolean;
}

/** What was found, and what would be written or is taken out. Contains no secret. */
export function reportText(report: Report, { output, headers }: Style): string {
  if (output === 'json') return `${JSON.stringify(objectOf(report), undefined, 2)}\n`;
  if (output === 'yaml') return stringify(objectOf(report));
  if (output === 'name') return report.plan.servers.map(({ name }) => `${name}\n`).join('');
  const { servers } = report.plan;
  const parts = [
    table(rowsOf(report.plan), headers),
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
  return servers
    .filter((one) => !one.isPresent)
    .flatMap(({ name, server }) => [...new Set(server.notes)].map((note) => `${name}: ${note}`));
}

function rowsOf({ servers, skipped }: ImportPlan): readonly (readonly string[])[] {
  return [
    ...servers.flatMap((one) =>
      one.entries.map(({ place, name }, at) => [
        place.label,
        place.scope,
        name,
        `${one.name}${one.isPresent ? ' (already there)' : at > 0 ? ' (the same)' : ''}`,
        shown(one),
      ]),
    ),
    ...skipped.map(({ entry, reason }) => [
      entry.place.label,
      entry.place.scope,
      entry.name,
      '-',
      `left out: ${reason}`,
    ]),
  ];
}

function shown({ server }: PlannedServer): string {
  return server.url === undefined ? hideInWords(server.command ?? []).join(' ') : hideInUrl(server.url);
}

function table(rows: readonly (readonly string[])[], headers: boolean): string {
  if (rows.length === 0) return '';
  const all = headers ? [['CLIENT', 'SCOPE', 'SERVER', 'DEFINITION', 'WHAT'], ...rows] : rows;
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return all.map((row) => `${line(row)}\n`).join('');
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
    return value === undefined ? `- ${path}\n` : `+ ${path}: ${JSON.stringify(value)}\n`;
  });
  return `${before === undefined ? 'create' : 'edit'} ${place.path}\n${lines.join('')}`;
}

function objectOf({ plan, links, faults }: Report): JsonObject {
  return {
    servers: plan.servers.map((one) => ({
      name: one.name,
      type: one.server.type,
      isPresent: one.isPresent,
      found: one.entries.map(({ place, name }) => ({
        client: place.client,
        scope: place.scope,
        path: place.path,
        name,
      })),
      notes: [...new Set(one.server.notes)],
    })),
    skipped: plan.skipped.map(({ entry: { place, name }, reason }) => ({
      ...{ client: place.client, scope: place.scope, path: place.path, name, reason },
    })),
    links: links.map(({ place, changes }) => ({
      client: place.client,
      path: place.path,
      removed: changes.filter(({ value }) => value === undefined).map(({ name }) => name),
    })),
    faults,
  };
}
