// Prints renders per second of a 10-action template here and in the fastest JavaScript engines.
import { createRequire } from 'node:module';
import { Eta } from 'eta';
import { parseTemplate } from '@pegboard/gotpl';

interface DotEngine {
  template(text: string, settings: Record<string, unknown>): (data: unknown) => string;
  readonly templateSettings: Record<string, unknown>;
}

const dot = createRequire(import.meta.url)('dot') as DotEngine;

const DATA = {
  name: 'web',
  env: 'production',
  version: 'v1.20.3',
  region: 'eu-west-1',
  urgent: true,
  owner: { name: 'Ada', email: 'ada@example.com' },
  tags: ['blue', 'canary', 'eu'],
  count: 3,
};

const GO = `Deploy {{ .name }} {{ .version }} to {{ .env }} in {{ upper .region }}
owner: {{ .owner.name }} <{{ .owner.email }}>{{ if .urgent }} URGENT{{ end }}
tags:{{ range .tags }} #{{ . }}{{ end }} count: {{ .count }}`;

const ETA = `Deploy <%= it.name %> <%= it.version %> to <%= it.env %> in <%= it.region.toUpperCase() %>
owner: <%= it.owner.name %> <<%= it.owner.email %>><% if (it.urgent) { %> URGENT<% } %>
tags:<% for (const tag of it.tags) { %> #<%= tag %><% } %> count: <%= it.count %>`;

const DOT = `Deploy {{= it.name }} {{= it.version }} to {{= it.env }} in {{= it.region.toUpperCase() }}
owner: {{= it.owner.name }} <{{= it.owner.email }}>{{? it.urgent }} URGENT{{?}}
tags:{{~ it.tags :tag }} #{{= tag }}{{~}} count: {{= it.count }}`;

const ROUNDS = 15;
const RENDERS = 40_000;

function nanosPerRender(render: () => string): number {
  const start = process.hrtime.bigint();
  let length = 0;
  for (let i = 0; i < RENDERS; i++) length += Buffer.byteLength(render());
  const nanos = Number(process.hrtime.bigint() - start) / RENDERS;
  return length > 0 ? nanos : Infinity;
}

const gotpl = parseTemplate(GO);
const eta = new Eta({ autoEscape: false, autoTrim: false });
const etaTemplate = eta.compile(ETA);
const dotTemplate = dot.template(DOT, { ...dot.templateSettings, strip: false });

const engines: readonly (readonly [name: string, render: () => string])[] = [
  ['gotpl', () => gotpl.render(DATA)],
  ['eta', () => eta.render(etaTemplate, DATA)],
  ['doT', () => dotTemplate(DATA)],
];

const texts = new Set(engines.map(([, render]) => render()));
if (texts.size !== 1) throw new Error(`the engines disagree:\n${[...texts].join('\n---\n')}`);

// The engines take turns, so that a busy machine slows them alike; the best round counts.
const best = new Map<string, number>();
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, render] of engines)
    best.set(name, Math.min(best.get(name) ?? Infinity, nanosPerRender(render)));
}

const others = [...best].filter(([name]) => name !== 'gotpl').map(([, nanos]) => nanos);
const fastest = Math.min(...others);
for (const [name, nanos] of best) {
  const ratio = (nanos / fastest).toFixed(2);
  console.error(
    `${name.padEnd(6)} ${nanos.toFixed(0).padStart(6)} ns/render  ${ratio} x the fastest other engine`,
  );
}
