import { createMcpHandler } from '@modelcontextprotocol/server';
import { expect } from 'chai';
import { hostOverHttp } from '../conformance/fixtureHost.ts';
import { startGateway } from '../contract/index.ts';
import { AnsweringClient } from '../support/answeringClient.ts';
import type { Revision } from '../support/answeringClient.ts';
import { ASKED } from '../support/asked.ts';
import { defer } from '../support/cleanup.ts';
import { moduleOf } from '../support/gateway.ts';
import { hostHandler } from '../support/hostHandler.ts';
import { identify } from '../support/identify.ts';
import { newerAsker } from '../support/newerAsker.ts';
import { olderAsker } from '../support/olderAsker.ts';
import { programAt } from '../support/programs.ts';

const NAMES = ['ann', 'bob', 'cyd', 'dan', 'eve'];
const REVISIONS: readonly Revision[] = ['2025-11-25', '2026-07-28'];
/** Server by the revision it speaks and how it is reached. */
const SERVERS = {
  'older-stdio': '2025-11-25 over stdio',
  'newer-stdio': '2026-07-28 over stdio',
  'older-http': '2025-11-25 over HTTP',
  'newer-http': '2026-07-28 over HTTP',
};
interface Question {
  readonly what: string;
  /** What the client is asked about. */
  readonly heard: (name: string) => readonly string[];
  readonly answer: (client: AnsweringClient) => string;
}
const QUESTIONS: Readonly<Record<string, Question>> = {
  plain: { what: 'no question', heard: () => [], answer: () => 'not asked' },
  form: { what: 'elicitation by form', heard: (name) => [name], answer: (client) => client.name },
  url: {
    what: 'elicitation by URL',
    heard: (name) => [ASKED.url(name).url],
    answer: (client) => client.action,
  },
  sample: { what: 'sampling', heard: (name) => [name], answer: (client) => client.name },
};

function scriptOf(asker: string): readonly string[] {
  return programAt(`test/support/${asker}.ts`);
}
function stdio(asker: string): object {
  return { type: 'stdio', autoStart: true, command: [process.execPath, ...scriptOf(asker), 'stdio'] };
}

/** All clients answer when the last one is asked. @param count of the clients */
function together(count: number): () => Promise<void> {
  let asked = 0;
  let proceed: () => void;
  const all = new Promise<void>((resolve) => (proceed = resolve));
  return () => {
    asked += 1;
    if (asked === count) proceed();
    return all;
  };
}

describe('e2e: clients and servers of every revision', () => {
  const clients = new Map<Revision, readonly AnsweringClient[]>();

  before(async () => {
    const [older, newer] = [
      await hostOverHttp(olderAsker),
      await hostHandler(createMcpHandler(newerAsker, { legacy: 'reject' })),
    ];
    defer(() => Promise.all([older.close(), newer.close()]));
    const definitions = {
      // On a connection that several share, a question of this revision does not say whose it is.
      'older-stdio': { ...stdio('olderAsker'), instances: 'perSession', maxInstances: 10 },
      'newer-stdio': stdio('newerAsker'),
      'older-http': { type: 'streamable-http', url: older.url },
      'newer-http': { type: 'streamable-http', url: newer.url },
    };
    const gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({ plugins: { 'test-identify': { module: './identify.mjs' } } }),
        'identify.mjs': moduleOf(identify),
        ...Object.fromEntries(
          Object.entries(definitions).map(([name, spec]) => [
            `mcpservers/${name}.yaml`,
            JSON.stringify(spec),
          ]),
        ),
      },
    });
    defer(() => gateway.stop());
    for (const revision of REVISIONS) {
      const connecting = NAMES.map((name, at) =>
        AnsweringClient.connect(`${gateway.url()}/mcp`, revision, name, at),
      );
      clients.set(revision, await Promise.all(connecting));
    }
    defer(() => Promise.all([...clients.values()].flat().map((client) => client.close())));
  });

  for (const revision of REVISIONS)
    for (const [server, what] of Object.entries(SERVERS))
      for (const [tool, question] of Object.entries(QUESTIONS))
        it(`answers five clients of ${revision} at once, each for itself: ${question.what} of a server of ${what}`, async () => {
          const five = clients.get(revision)!;
          const onAsked = together(five.length);
          for (const client of five) client.begin(onAsked);
          const names = five.map(({ name }) => `${name}-${server}-${tool}`);
          const told = await Promise.all(
            five.map((client, at) => client.call(`x_${server}_${tool}`, { name: names[at] })),
          );
          expect(told).deep.equal(five.map((client, at) => `${names[at]!}: ${question.answer(client)}`));
          expect(five.map(({ heard }) => heard)).deep.equal(names.map(question.heard));
        });
});
