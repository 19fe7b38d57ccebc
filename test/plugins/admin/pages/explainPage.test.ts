import { expect } from 'chai';
import { listenerUrl } from '../../../support/edge.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { identify } from '../../../support/identify.ts';
import { TalkingClient } from '../../../support/talkingClient.ts';
import { defer } from '../../../support/cleanup.ts';
import type { AdminSite, Fields } from '../adminGateway.ts';
import { openBooth } from '../booth.ts';

interface Layer {
  readonly layer: string;
  readonly allow: boolean;
  readonly code?: string;
  readonly reason: string;
  readonly setting?: string;
}
interface Facts {
  readonly person?: { readonly subject: string; readonly isSeen: boolean };
  readonly subjects: readonly string[];
  readonly explained: {
    readonly callable: boolean;
    readonly remedy?: string;
    readonly layers: readonly Layer[];
  };
}
const CONFIG = `access:
  - groups: [sales]
    toolset: ['server:booth']
plugins:
  audit: { config: {} }
  deny:
    config:
      tools: [x_booth_burn]
  test-identify: { module: ./identify.mjs }
`;
const ISSUER = 'https://id.example.com';

describe('the page that explains', () => {
  let site: AdminSite;
  const told = (query: Fields): Promise<Facts> =>
    site.facts<Facts>(`/explain?${new URLSearchParams(query).toString()}`);
  const as = async (caller: string, headers: Fields = {}): Promise<TalkingClient> => {
    const own = { ...headers, 'x-caller': caller };
    const client = await TalkingClient.connect(listenerUrl(site.gateway), {}, own);
    defer(() => client.leave());
    return client;
  };
  /** What the client of that person is told itself. */
  const askedBy = async (client: TalkingClient, name: string): Promise<Facts['explained']> => {
    const request = client.request('tools/call', { name: 'explain_tool', arguments: { name } });
    const { content } = (await request.answer()).result as { content: readonly { text: string }[] };
    return JSON.parse(content[0]?.text ?? '') as Facts['explained'];
  };
  const codes = ({ explained }: Pick<Facts, 'explained'>): string[] =>
    explained.layers.filter(({ allow }) => !allow).map(({ layer, code = '' }) => `${layer} ${code}`);

  beforeEach(async () => {
    site = await openBooth({ 'config.yaml': CONFIG, 'identify.mjs': moduleOf(identify) });
  });

  it('says about a person without a session what a client of that person is told, by groups and declared toolset', async () => {
    const alice = { person: 'alice', issuer: ISSUER, tool: 'x_booth_ship' };
    const inSales = await told({ ...alice, groups: 'sales, support' });
    expect(inSales.explained.callable).equal(true);
    expect(inSales.person).deep.equal({ subject: 'alice', issuer: ISSUER, isSeen: false });
    const inNone = await told(alice);
    expect(codes(inNone)).deep.equal(['toolset TOOL_TOOLSET_INVALID']);
    const narrow = await told({ ...alice, groups: 'sales', toolset: 'server:other' });
    expect(codes(narrow)).deep.equal(['toolset TOOL_OUTSIDE_TOOLSET']);
    expect(narrow.explained.remedy).include('X-Service-Toolset');
    for (const [page, client] of [
      [inSales, await as(`${ISSUER} alice sales,support`)],
      [narrow, await as(`${ISSUER} alice sales`, { 'x-service-toolset': 'server:other' })],
    ] as const) {
      const own = await askedBy(client, 'x_booth_ship');
      expect(codes({ explained: own })).deep.equal(codes(page));
      expect(own.remedy).equal(page.explained.remedy);
    }
    const barred = await as(`${ISSUER} alice`);
    const request = barred.request('tools/call', {
      name: 'explain_tool',
      arguments: { name: 'x_booth_ship' },
    });
    const reason = inNone.explained.layers.find(({ allow }) => !allow)?.reason ?? 'none';
    expect(JSON.stringify(await request.answer())).include(reason);
  });

  it('names the setting that each layer follows, with its line', async () => {
    const { explained } = await told({
      person: 'alice',
      issuer: ISSUER,
      groups: 'sales',
      tool: 'x_booth_burn',
    });
    const settings = explained.layers.map(({ layer, setting = '' }) => [
      layer,
      setting.split(':', 2).join(':'),
    ]);
    expect(Object.fromEntries(settings)).deep.equal({
      catalogue: '',
      deny: 'config.yaml:8',
      server: 'mcpservers/booth.yaml:1',
      toolset: 'config.yaml:1',
    });
    const { text } = await site.get(`/explain?person=alice&groups=sales&tool=x_booth_burn`);
    expect(text).include('config.yaml:8').and.include('TOOL_DENIED');
  });

  it('takes the groups of a person whose session it knows, and not those that are typed', async () => {
    await as(`${ISSUER} bob sales`);
    const { person, explained, subjects } = await told({
      person: 'bob',
      groups: 'none',
      tool: 'x_booth_ship',
    });
    expect(person).deep.equal({ subject: 'bob', issuer: ISSUER, isSeen: true });
    expect(subjects).deep.equal(['bob']);
    expect(explained.callable).equal(true);
    const other = await told({ person: 'bob', issuer: 'https://other.example', tool: 'x_booth_ship' });
    expect(other).nested.include({ 'person.isSeen': false, 'explained.callable': false });
  });

  it('refuses a question for a session and a person at once', async () => {
    const { status } = await site.get('/explain?session=a&person=b&tool=x');
    expect(status).equal(400);
  });
});
