import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import { startAuthServer } from '../support/authServer.ts';
import type { AuthServer } from '../support/authServer.ts';
import { newBrowser } from '../support/browser.ts';
import { startGuardedSite } from '../support/guardedSite.ts';
import type { GuardedSite } from '../support/guardedSite.ts';
import { startServerIssuer } from '../support/serverIssuer.ts';

const CALLS_PER_RUN = 200;
const RUNS = 50;
/** Life in seconds: many tokens end while the calls run. */
const TOKEN_LIFE = 5;
const MAX_CONCURRENT = 8;
const KEPT_HANDLES = 5;

const WHATS = [
  ...['whoami', 'hash', 'story', 'readStory', 'own tool', 'list_tools', 'filter_tools', 'describe_tool'],
  ...['resources', 'own resource', 'prompts', 'own prompt', 'status', 'servers'],
  ...["the other's tool", "the other's resource", "the other's prompt", "the other's story"],
] as const;
type What = (typeof WHATS)[number];

interface Step {
  readonly who: 0 | 1;
  readonly session: 0 | 1;
  readonly what: What;
  /** Idempotency key of a call: both people use the same ones. */
  readonly key: number | undefined;
  /** The calls up to here are awaited. */
  readonly isLast: boolean;
}
interface Person {
  readonly subject: string;
  /** The account at the server. */
  readonly account: string;
  readonly clients: readonly McpClient[];
  readonly handles: string[];
  readonly hashes: Set<string>;
}
interface Answer {
  readonly text: string;
  readonly isRefused: boolean;
}
interface Counts {
  calls: number;
  limited: number;
  busy: number;
  replayed: number;
}

const steps = fc.array(
  fc.record<Step>({
    who: fc.constantFrom(0, 1),
    session: fc.constantFrom(0, 1),
    what: fc.constantFrom(...WHATS),
    key: fc.option(fc.nat(500), { nil: undefined }),
    isLast: fc.nat(9).map((one) => one === 0),
  }),
  { minLength: CALLS_PER_RUN, maxLength: CALLS_PER_RUN },
);

async function asked(request: Promise<object>): Promise<Answer> {
  try {
    const result = (await request) as { readonly isError?: boolean };
    return { text: JSON.stringify(result), isRefused: result.isError === true };
  } catch (error) {
    return { text: String(error), isRefused: true };
  }
}

describe('e2e: two people who have signed in at one server', function () {
  this.timeout(300_000);
  let site: GuardedSite;
  let auth: AuthServer;
  let people: readonly [Person, Person];
  const tokens = new Set<string>();
  let counts: Counts = { calls: 0, limited: 0, busy: 0, replayed: 0 };

  const enter = async (subject: string, account: string): Promise<Person> => {
    auth.provider.loginAs(subject);
    const headers = { authorization: `Bearer ${(await auth.tokens()).access}` };
    const clients = [await mcpClient(auth.base, headers), await mcpClient(auth.base, headers)];
    const { structuredContent } = await clients[0]!.callTool('core_auth_login', { server: 'vault' });
    const browser = newBrowser();
    site.issuer.signInAs(browser, account);
    const page = await browser.open((structuredContent as { authUrl: string }).authUrl);
    expect(page.status, page.text).equal(200);
    return { subject, account, clients, handles: [], hashes: new Set() };
  };

  before(async () => {
    const issuer = await startServerIssuer({ lifetime: TOKEN_LIFE });
    const seen: typeof issuer.check = (token, resources) => {
      tokens.add(token);
      return issuer.check(token, resources);
    };
    site = await startGuardedSite({ issuer: { ...issuer, check: seen } });
    auth = await startAuthServer({
      builtIns: 'all',
      settings: {
        aggregator: { resultBudget: 4_000, oauth: { mcpClient: { enabled: true } } },
        plugins: {
          limits: { config: { perCaller: { concurrent: MAX_CONCURRENT } } },
          cassettes: { config: {} },
          audit: { config: {} },
        },
      },
      files: { 'mcpservers/vault.yaml': site.definition({ auth: { type: 'oauth' } }) },
    });
    people = [await enter('alice', 'amber'), await enter('bob', 'cobalt')];
    for (const who of [0, 1] as const) {
      const first: Step = { who, session: 0, what: 'story', key: undefined, isLast: true };
      check(first, await ask(first));
    }
    counts = { calls: 0, limited: 0, busy: 0, replayed: 0 };
  });

  const ask = ({ what, who, session, key }: Step): Promise<Answer> => {
    const { account, clients, handles } = people[who];
    const other = people[1 - who]!;
    const client = clients[session]!;
    const call = (name: string): Promise<object> =>
      client.request('tools/call', {
        name: 'call_tool',
        arguments: { name, arguments: {} },
        ...(key !== undefined && { _meta: { 'pegboard.dev/idempotency-key': `key-${key}` } }),
      });
    const read = (uri: string): Promise<object> => client.request('resources/read', { uri });
    const stored = (from: readonly string[]): Promise<object> =>
      client.callMeta('get_result', { handle: from.at(-1 - ((key ?? 0) % KEPT_HANDLES)) ?? from[0] ?? '' });
    const actions: Record<What, () => Promise<object>> = {
      whoami: () => call('x_vault_whoami'),
      hash: () => call('x_vault_echo_authorization'),
      story: () => call('x_vault_story'),
      readStory: () => stored(handles),
      'own tool': () => call(`x_vault_only_for_${account}`),
      list_tools: () => client.callMeta('list_tools', { limit: 500 }),
      filter_tools: () => client.callMeta('filter_tools', { query: 'only for me, of the guarded server' }),
      describe_tool: () => client.callMeta('describe_tool', { name: `x_vault_only_for_${account}` }),
      resources: () => client.request('resources/list'),
      'own resource': () => read(`guarded://${account}/notes`),
      prompts: () => client.request('prompts/list'),
      'own prompt': () => client.request('prompts/get', { name: `x_vault_greet_${account}` }),
      status: () => read('auth://status'),
      servers: () => client.callTool('core_mcpserver_list'),
      "the other's tool": () => call(`x_vault_only_for_${other.account}`),
      "the other's resource": () => read(`guarded://${other.account}/notes`),
      "the other's prompt": () => client.request('prompts/get', { name: `x_vault_greet_${other.account}` }),
      "the other's story": () => stored(other.handles),
    };
    return asked(actions[what]());
  };

  /** What an answer must have in it, for those that name the account. */
  const wantedIn = ({ what, who }: Step): string => {
    const { account } = people[who];
    const wanted: Partial<Record<What, string>> = {
      whoami: `\\"account\\":\\"${account}\\"`,
      story: `told by ${account}`,
      'own tool': `\\"own\\":\\"${account}\\"`,
      list_tools: `x_vault_only_for_${account}`,
      filter_tools: `x_vault_only_for_${account}`,
      describe_tool: `x_vault_only_for_${account}`,
      resources: `guarded://${account}/notes`,
      'own resource': `notes of ${account}`,
      prompts: `x_vault_greet_${account}`,
      'own prompt': `Greet ${account}.`,
    };
    return wanted[what] ?? '';
  };

  const check = (step: Step, { text, isRefused }: Answer): void => {
    const { what, who } = step;
    const person = people[who];
    const other = people[1 - who]!;
    const told = `${what} as ${person.subject}: ${text}`;
    counts.calls += 1;
    const isForeign = what.startsWith('the other');
    // A refusal repeats the name that was asked for.
    const asked = new RegExp(
      `x_vault_(only_for|greet)_${other.account}|guarded://${other.account}/notes`,
      'g',
    );
    expect(isForeign ? text.replace(asked, '') : text, told).not.include(other.account);
    expect(text, told).not.include(`"${other.subject}"`);
    if (isForeign) {
      expect(isRefused, told).equal(true);
      return;
    }
    if (isRefused) {
      if (text.includes('TOOL_KEY_BUSY')) counts.busy += 1;
      else if (text.includes('LIMIT_EXCEEDED')) counts.limited += 1;
      else expect.fail(told);
      return;
    }
    expect(text, told).include(wantedIn(step));
    if (text.includes('pegboard.dev/replayed')) counts.replayed += 1;
    const handle = /\\"handle\\": ?\\"([^"\\]+)\\"/.exec(text)?.[1];
    if (what === 'story') {
      expect(handle, told).not.equal(undefined);
      person.handles.push(handle!);
    }
    const hash = /\\"hash\\": ?\\"(\w+)\\"/.exec(text)?.[1];
    if (hash !== undefined) person.hashes.add(hash);
  };

  it('each get their own answers, lists and kept results in 10,000 interleaved calls', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        let burst: Promise<void>[] = [];
        for (const step of all) {
          burst.push(ask(step).then((answer) => check(step, answer)));
          if (!step.isLast) continue;
          await Promise.all(burst);
          burst = [];
        }
        await Promise.all(burst);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
    const [alice, bob] = people;
    expect(counts.calls).equal(RUNS * CALLS_PER_RUN);
    expect(site.crossings()).equal(0);
    expect([...alice.hashes].filter((hash) => bob.hashes.has(hash))).deep.equal([]);
    expect(counts.replayed).above(0);
    expect(counts.limited).within(1, counts.calls / 4);
    expect(alice.hashes.size, 'tokens of alice').above(1);
  });

  it('have no token in the record, in the audit trail or in the log', () => {
    expect(tokens.size).above(2);
    const { directory, log } = auth.gateway;
    const state = directory.at('state');
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
    expect(
      files.some(({ name }) => name === 'vault.jsonl'),
      'the record',
    ).equal(true);
    for (const text of [...texts, JSON.stringify(log.records)])
      for (const token of tokens) expect(text.includes(token)).equal(false);
    const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line.includes('"begun"'));
    for (const { subject, account } of people) {
      const own = lines.filter((line) => line.includes(`"x_vault_only_for_${account}"`));
      expect(own).not.deep.equal([]);
      for (const line of own) expect(line).include(`\\"${subject}\\"`);
    }
  });
});
