import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { eventually, startGateway } from '../contract/index.ts';
import type { TestGateway } from '../contract/index.ts';
import { defer } from '../support/cleanup.ts';
import { ROOT } from '../support/sources.ts';
import { TalkingClient, toldIn } from '../support/talkingClient.ts';

const TALLY = fileURLToPath(new URL('test/plugins/upstream/fixtures/tally.mjs', `file://${ROOT}/`));
const WITHIN_MS = 60_000;

interface Count {
  readonly count: number;
  readonly pid: number;
}

async function startTally(definition: object): Promise<TestGateway> {
  const command = [process.execPath, TALLY];
  const gateway = await startGateway({
    files: {
      'config.yaml': '{}',
      'mcpservers/tally.yaml': JSON.stringify({
        type: 'stdio',
        autoStart: true,
        command,
        timeout: 60,
        instances: 'perSession',
        ...definition,
      }),
    },
  });
  defer(() => gateway.stop());
  await eventually(() => gateway.log.find(({ text }) => text === 'server connected'), 'tally', 10_000);
  return gateway;
}

async function connected(gateway: TestGateway, sessions: number): Promise<readonly TalkingClient[]> {
  const clients: TalkingClient[] = [];
  for (let at = 0; at < sessions; at += 1) clients.push(await TalkingClient.connect(gateway.url()));
  defer(() => clients.forEach((client) => client.leave()));
  return clients;
}

describe('heavy: instances of many sessions', function () {
  this.timeout(120_000);

  it('never mix: 200 sessions count for themselves', async () => {
    const gateway = await startTally({ maxInstances: 200 });
    const clients = await connected(gateway, 200);
    const rounds: (readonly Count[])[] = [];
    for (let round = 0; round < 5; round += 1) {
      const exchanges = clients.map((client) => client.request('tools/call', callOf(), WITHIN_MS));
      const answers = await Promise.all(exchanges.map((exchange) => exchange.answer()));
      rounds.push(answers.map((answer) => toldIn(answer) as Count));
    }
    expect(new Set(rounds[0]?.map(({ pid }) => pid)).size).to.equal(200);
    const crossings = rounds.flatMap((counts, round) =>
      counts.filter(({ count, pid }, at) => count !== round + 1 || pid !== rounds[0]?.[at]?.pid),
    );
    expect(crossings).to.deep.equal([]);
  });

  it('stay within their cap: of 1,000 sessions 20 have one, and the others are told why not', async () => {
    const gateway = await startTally({});
    const clients = await connected(gateway, 1_000);
    const exchanges = clients.map((client) => client.request('tools/call', callOf(), WITHIN_MS));
    const answers = await Promise.all(exchanges.map((exchange) => exchange.answer()));
    const refused = answers.filter(({ result }) => result?.['isError'] === true);
    expect(refused).to.have.length(980);
    for (const { result } of refused) expect(JSON.stringify(result)).to.include('20 of 20 instances');
  });
});

function callOf(): Readonly<Record<string, unknown>> {
  return { name: 'call_tool', arguments: { name: 'x_tally_count', arguments: {} } };
}
