import { expect } from 'chai';
import { eventually, mcpClient, startGateway } from '../../../contract/index.ts';
import type { McpClient, TestGateway } from '../../../contract/index.ts';
import { ToolTable } from '../../../../kernel/index.ts';
import type { JsonObject } from '../../../../kernel/index.ts';
import { GuardedServers } from '../../../../plugins/contracts/credentials.ts';
import { ServiceSource } from '../../../../plugins/contracts/services.ts';
import { SignInStatuses } from '../../../../plugins/contracts/signIns.ts';
import { newBrowser } from '../../../support/browser.ts';
import { defer } from '../../../support/cleanup.ts';
import { moduleOf } from '../../../support/gateway.ts';
import { startGuardedSite } from '../../../support/guardedSite.ts';
import type { GuardedSite } from '../../../support/guardedSite.ts';
import { identify } from '../../../support/identify.ts';
import { until } from '../../../support/until.ts';
import { hostile } from '../../upstream/support.ts';
import { boardOf } from '../board.ts';

const DESCRIPTION = 'Keeps the recipes of a household. Every person signs in.';
const LOGIN = { name: 'core_auth_login', arguments: { server: 'vault' } };
const VAULT = {
  name: 'vault',
  summary: 'Keeps the recipes of a household.',
  status: 'auth_required',
  auth_tool: 'core_auth_login',
  call_tool: LOGIN,
};

interface Named {
  readonly name: string;
}
interface Answer extends JsonObject {
  readonly tools: readonly Named[];
  readonly hint?: string;
  readonly servers_requiring_auth?: readonly Named[];
  readonly servers_unavailable?: readonly Named[];
}

describe('metatools: servers of which a search finds no tool', () => {
  let gateway: TestGateway;
  let site: GuardedSite;

  /** A gateway with the servers `vault`, which wants a sign-in, and `ready`. Callers of the group `all` see everything. */
  async function start(
    servers: Readonly<Record<string, JsonObject>> = {},
    settings: JsonObject = {},
    access: readonly JsonObject[] = [],
  ): Promise<void> {
    site = await startGuardedSite();
    const vault = JSON.parse(site.definition({ description: DESCRIPTION })) as JsonObject;
    const specs = Object.entries({ vault, ready: hostile(), ...servers });
    gateway = await startGateway({
      files: {
        'config.yaml': JSON.stringify({
          aggregator: { port: 0, oauth: { mcpClient: { enabled: true } } },
          access: [{ groups: ['all'], toolset: ['preset:full'] }, ...access],
          plugins: { 'test-identify': { module: './identify.mjs' } },
          ...settings,
        }),
        'identify.mjs': moduleOf(identify),
        ...Object.fromEntries(specs.map(([name, spec]) => [`mcpservers/${name}.yaml`, JSON.stringify(spec)])),
      },
    });
    defer(() => gateway.stop());
    await eventually(() => gateway.get(ToolTable).shared('x_ready_echo') !== undefined, 'ready', 20_000);
    await eventually(
      () => gateway.get(GuardedServers).get('vault')?.state === 'auth_required',
      'locked',
      20_000,
    );
  }
  function person(name = 'ann', group = 'all', toolset?: string): Promise<McpClient> {
    const header = toolset === undefined ? {} : { 'x-service-toolset': toolset };
    return mcpClient(gateway.url(), { 'x-caller': `as ${name} ${group}`, ...header });
  }
  async function ask(client: McpClient, args: JsonObject): Promise<Answer> {
    const { content } = await client.callMeta('filter_tools', args);
    return JSON.parse(String(content[0]?.['text'])) as Answer;
  }
  async function signIn(client: McpClient, args: JsonObject = LOGIN): Promise<void> {
    const { structuredContent } = await client.callMeta('call_tool', args);
    const browser = newBrowser();
    const asked = await browser.open((structuredContent as { authUrl: string }).authUrl);
    const page = await browser.submit(asked, {});
    expect(page.text).contain('Signed in');
  }

  describe('that wait for a sign-in', () => {
    it('are named with the call for the link when nothing confident is found', async () => {
      await start();
      const ann = await person();
      const answer = await ask(ann, { query: 'paint a zebra' });
      expect(answer).deep.include({ confident: false, servers_requiring_auth: [VAULT] });
      expect(answer.hint).contain('one of servers_requiring_auth may have it after a sign-in');
      const none = await ask(ann, { pattern: '*zebra*' });
      expect(none).deep.include({ total: 0, servers_requiring_auth: [VAULT] });
    });

    it('are found by name and by description', async () => {
      await start();
      const ann = await person();
      for (const query of ['my vault', 'the recipes of this household']) {
        const answer = await ask(ann, { query });
        expect(answer, query).deep.include({ servers_requiring_auth: [VAULT] });
      }
      const sure = await ask(ann, { query: 'echo' });
      expect(sure).include({ confident: true });
      expect(sure).not.have.any.keys('servers_requiring_auth', 'hint');
    });

    it('are named beside a confident match too', async () => {
      const other = await startGuardedSite();
      await start({ echo: JSON.parse(other.definition({ auth: { type: 'oauth' } })) as JsonObject });
      const answer = await ask(await person(), { query: 'echo' });
      expect(answer).include({ confident: true });
      expect(answer.servers_requiring_auth?.map(({ name }) => name)).deep.equal(['echo']);
      expect(answer.hint).equal(
        'server echo may have it, and waits for your sign-in: run its call_tool of servers_requiring_auth, then search again',
      );
    });

    it('are found by one of several needs, which the hint names', async () => {
      await start();
      const answer = await ask(await person(), { queries: ['echo', 'recipes of a household'] });
      expect(answer).deep.include({ servers_requiring_auth: [VAULT] });
      expect(answer.hint).contain('server vault may have "recipes of a household", and waits');
    });

    it('are locked for those persons only who have not signed in', async () => {
      await start();
      const [ann, ben] = [await person('ann'), await person('ben')];
      await signIn(ann);
      const open = await ask(ann, { query: 'whoami in the vault' });
      expect(open.tools.map(({ name }) => name)).include('x_vault_whoami');
      expect(open).not.have.property('servers_requiring_auth');
      const locked = await ask(ben, { query: 'whoami in the vault' });
      expect(locked).deep.include({ servers_requiring_auth: [VAULT] });
      expect(JSON.stringify(locked.tools)).not.contain('x_vault_');
    });

    it('are named beside their last known tools when the sign-in has ended', async () => {
      await start();
      const ann = await person();
      await signIn(ann);
      await site.issuer.revoke('alice');
      await ann.callTool('x_vault_whoami');
      const answer = await ask(ann, { query: 'whoami' });
      expect(answer.tools[0]).include({ name: 'x_vault_whoami' });
      const [named] = answer.servers_requiring_auth ?? [];
      expect(named).deep.include({ name: 'vault', call_tool: LOGIN });
      expect(named).have.property('reason');
    });

    it('are hidden from those who may not see them, and left out of other toolsets', async () => {
      await start({}, {}, [{ groups: ['dev'], toolset: ['server:ready', 'tool:core_auth_login'] }]);
      const hidden = [
        await ask(await person('eve', 'dev'), { query: 'recipes of the vault' }),
        await ask(await person('ann', 'all', 'server:ready'), { query: 'recipes of the vault' }),
        await ask(await person(), { query: 'recipes of the vault', toolset: ['server:ready'] }),
      ];
      for (const answer of hidden) {
        expect(answer).not.have.property('servers_requiring_auth');
        expect(answer.hint).not.contain('vault');
      }
      const inside = await ask(await person(), { query: 'paint a zebra', toolset: ['server:vault'] });
      expect(inside).deep.include({ servers_requiring_auth: [VAULT] });
    });

    it('have no call that the caller may not make', async () => {
      await start({}, {}, [{ groups: ['dev'], toolset: ['server:vault'] }]);
      const { name, summary, status } = VAULT;
      const dev = await ask(await person('eve', 'dev'), { query: 'recipes of the vault' });
      const remedy = 'a sign-in takes core_auth_login, which this caller may not use';
      expect(dev).deep.include({ servers_requiring_auth: [{ name, summary, status, remedy }] });
      expect(dev.hint).equal(`server vault may have it, and cannot be used yet: ${remedy}`);
      const own = await ask(await person('ann', 'all', 'server:vault'), { query: 'recipes of the vault' });
      expect(own.hint).contain('add tool:core_auth_login to the header X-Service-Toolset');
    });

    it('say what an operator can do if callers cannot sign in there', async () => {
      const settings = { aggregator: { port: 0 }, operators: { groups: ['all'] } };
      await start({}, settings, [{ groups: ['dev'], toolset: ['preset:full'] }]);
      const remedies = [await person(), await person('eve', 'dev')].map(async (client) => {
        const found = await until(
          async () => (await ask(client, { query: 'recipes of the vault' })).servers_requiring_auth?.[0],
          { what: 'the vault is found' },
        );
        expect(found).include({ name: 'vault', status: 'auth_required' });
        expect(found).not.have.any.keys('call_tool', 'auth_tool');
        const { hint } = await ask(client, { query: 'paint a zebra' });
        expect(hint).contain('one of servers_requiring_auth may have it once its remedy is done');
        return (found as { remedy?: string }).remedy;
      });
      expect(await Promise.all(remedies)).deep.equal([
        'set aggregator.oauth.mcpClient.enabled to true, so that callers sign in there, or set headers in its definition with core_mcpserver_update',
        'an operator can give it credentials',
      ]);
    });

    it('are five at most, those that the search is about first', async () => {
      const others = Array.from({ length: 6 }, (_, at) => `a${at}`);
      const other = await startGuardedSite();
      const definition = JSON.parse(other.definition({ auth: { type: 'oauth' } })) as JsonObject;
      await start(Object.fromEntries(others.map((name) => [name, definition])));
      const ann = await person();
      const names = ({ servers_requiring_auth: all = [] }: Answer): readonly string[] =>
        all.map(({ name }) => name);
      await eventually(
        async () => names(await ask(ann, { query: 'my vault' })).length === 5,
        'all are locked',
        20_000,
      );
      expect(names(await ask(ann, { query: 'my vault' }))).deep.equal(['vault', 'a0', 'a1', 'a2', 'a3']);
      expect((await ask(ann, { query: 'paint a zebra' })).hint).contain(
        'or one of up to 2 more, which list_tools names',
      );
    });
  });

  it('are asked about in the order of reasons, and no more of them than are shown', async () => {
    const names = [...Array.from({ length: 1_000 }, (_, at) => `notes${at}`), 'diary'];
    const asked: string[] = [];
    const of = (name: string) => {
      asked.push(name);
      const isOpen = name === 'notes1';
      return Promise.resolve({ status: isOpen ? 'connected' : 'auth_required', authTool: 'core_auth_login' });
    };
    const guarded = names.map((name) => ({ name, state: 'connected', isPersonal: true }));
    const services = names.map((name) => ({ name, status: () => ({ state: 'connected' }) }));
    const board = await boardOf({
      provides: [GuardedServers, ServiceSource, SignInStatuses],
      source: (scope) => {
        scope.provide(GuardedServers, { all: () => guarded, get: () => undefined } as never);
        scope.provide(ServiceSource, { services: () => services } as never);
        scope.provide(SignInStatuses, { of } as never);
      },
    });
    const answer = (await board.ask('filter_tools', { query: 'my diary' })) as unknown as Answer;
    const shown = ['diary', 'notes0', 'notes2', 'notes3', 'notes4'];
    expect(answer.servers_requiring_auth?.map(({ name }) => name)).deep.equal(shown);
    expect(asked).have.lengthOf.within(6, 10);
  });

  describe('that are stopped or have failed', () => {
    const operators = { operators: { groups: ['all'] } };
    const access = [{ groups: ['dev'], toolset: ['preset:full'] }];

    it('are found by name, with the call that starts them, for those who may make it', async () => {
      await start({ bakery: hostile('plain', { suspended: true }) }, operators, access);
      const starting = { name: 'core_service_start', arguments: { name: 'bakery' } };
      const ann = await person();
      const stopped = await ask(ann, { query: 'echo at the bakery' });
      expect(stopped).deep.include({
        servers_unavailable: [{ name: 'bakery', state: 'stopped', call_tool: starting }],
      });
      expect(stopped.hint).contain('server bakery is stopped: see servers_unavailable');
      const missing = await ask(ann, { pattern: 'x_bakery_echo' });
      expect(missing.hint).equal('server not found: bakery (stopped)');
      const other = await ask(await person('dev', 'dev'), { query: 'echo at the bakery' });
      expect(other).deep.include({
        servers_unavailable: [{ name: 'bakery', state: 'stopped', remedy: 'an operator can start it' }],
      });
      expect(await ask(ann, { query: 'paint a zebra' })).not.have.property('servers_unavailable');
      await ann.callMeta('call_tool', starting);
      const started = await ask(ann, { query: 'echo at the bakery' });
      expect(started.tools.map(({ name }) => name)).include('x_bakery_echo');
      expect(started).not.have.property('servers_unavailable');
    });

    it('are not found by single words of a longer name, nor by words in another order beside a confident match', async () => {
      const names = ['read-only-db', 'team-mail', 'google-calendar', 'message-echo'];
      const servers = Object.fromEntries(names.map((name) => [name, hostile('plain', { suspended: true })]));
      await start(servers, operators, access);
      const ann = await person();
      const found = async (query: string): Promise<readonly (readonly string[])[]> => {
        const { servers_unavailable: down = [], hint = '' } = await ask(ann, { query });
        return [down.map(({ name }) => name), names.filter((name) => hint.includes(name))];
      };
      for (const query of ['read a file', 'list files in my google drive', 'send a mail', 'echo a message'])
        expect(await found(query), query).deep.equal([[], []]);
      expect(await found('my google calendar')).deep.equal([['google-calendar'], ['google-calendar']]);
      expect(await found('send a mail to the team')).deep.equal([['team-mail'], ['team-mail']]);
    });

    it('say why they have failed', async () => {
      await start({ bakery: hostile('exits') }, operators, access);
      await eventually(
        () => gateway.log.some(({ text }) => text === 'server could not be connected'),
        'the failure',
      );
      const [found] = (await ask(await person(), { query: 'bread of the bakery' })).servers_unavailable ?? [];
      expect(found).deep.include({
        name: 'bakery',
        state: 'failed',
        call_tool: { name: 'core_service_restart', arguments: { name: 'bakery' } },
      });
      expect(found)
        .have.property('error')
        .that.match(/^its process /);
    });
  });
});
