import { setTimeout as pause } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { HAS_CHROMIUM, NO_CHROMIUM, startChromium } from '../support/browser.ts';
import { freePort } from '../support/everything.ts';
import { until } from '../support/until.ts';
import type { Client, Listing, Program } from './clients.ts';
import type { Leg } from './legs.ts';
import { callOf, expectIn, play } from './play.ts';
import { addressAt, ANSWER, LIFETIME_S, setUp, TOOL } from './signIn.ts';

/** Its web page signs in when a server refuses it, in the same window. */
export const INSPECTOR_PAGE_SIGN_IN: Leg<Program> = {
  title: 'signs in on its web page, lists tools and calls one there',
  run: async (inspector) => {
    if (!HAS_CHROMIUM) throw new Error(NO_CHROMIUM);
    const { gateway, home } = await setUp(inspector, 'public registration', '/oauth/callback');
    const command = ['mcp-inspector', '--web', '--transport', 'http', '--server-url', `${gateway.url}/mcp`];
    const terminal = home.terminal(command, {
      MCP_INSPECTOR_SECRET_STORE: 'file',
      MCP_AUTO_OPEN_ENABLED: 'false',
      CLIENT_PORT: String(await freePort()),
      MCP_SANDBOX_PORT: String(await freePort()),
    });
    const address = /http:\/\/127\S+API_TOKEN=\w{64}/;
    const [url] = await until(() => address.exec(terminal.shown()) ?? undefined, {
      what: 'the address of its page',
      withinMs: 30_000,
    });
    const page = await (await startChromium()).newPage();
    await page.goto(url);
    await page.getByRole('switch', { name: 'Connect' }).click({ force: true });
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.getByText('Tools', { exact: true }).first().click();
    await page.getByText('call_tool', { exact: true }).first().waitFor();
    await page.getByText('list_core_tools', { exact: true }).first().click();
    await page.getByRole('button', { name: 'Execute Tool' }).click();
    await page.getByText(TOOL).first().waitFor();
    return `signed in as ${gateway.signedIn.length} client`;
  },
};

/** Its command line signs in; its list connects with the tokens. */
export const OPENCODE_SIGN_IN: Leg<Listing> = {
  title: 'signs in by `opencode mcp auth` and connects',
  run: async (opencode) => {
    const { gateway, home } = await setUp(opencode, 'public registration', '/mcp/oauth/callback');
    await home.type(opencode.addUrl('pegboard', `${gateway.url}/mcp`));
    await home.signIn(['opencode', 'mcp', 'auth', 'pegboard'], addressAt(gateway.url));
    const { text } = await home.type(opencode.list);
    const listed = [...text.matchAll(opencode.listed)].map(([, name]) => name);
    if (listed.join() !== 'pegboard') throw new Error(`it is not connected:\n${text}`);
    return `signed in as ${gateway.signedIn.length} client; its list connects`;
  },
};

/** It signs in by a command inside, and asks before that; its scripted model then calls the tool in a run without a terminal. */
export const GEMINI_SIGN_IN: Leg<Client> = {
  title: 'signs in by `/mcp auth`, calls a tool, and again a minute later with refreshed tokens',
  run: async (gemini) => {
    const { gateway, home, provider } = await setUp(gemini, 'public registration', '/oauth/callback');
    // Else it begins with a choice of accounts.
    home.add('.gemini/settings.json', '{ "security": { "auth": { "selectedType": "vertex-ai" } } }');
    await home.type(`${gemini.addUrl('pegboard', `${gateway.url}/mcp`)} --trust`);
    const { type, shown, exited } = home.terminal(
      ['gemini', '-m', 'gemini-2.5-flash'],
      gemini.modelEnv('http://127.0.0.1:9'),
    );
    const text = (): string => stripVTControlCharacters(shown());
    const shows = (what: string): Promise<unknown> => until(() => text().includes(what), { what });
    await shows('Type your message');
    type('/mcp auth pegboard');
    // Enter right after other keys is a new line.
    await pause(1_500);
    type('\r');
    await shows('Do you want to continue?');
    type('\r');
    const address = addressAt(gateway.url);
    await home.visit(await until(() => address.exec(text())?.[0], { what: 'an address' }));
    await shows('Successfully authenticated and reloaded tools');
    type('/quit');
    await pause(1_500);
    type('\r');
    await exited;
    const call = async (what: string): Promise<void> => {
      const { api, output } = await play(gemini, [callOf(TOOL, {})], { home });
      const seen = `${what}, refreshed ${provider.refreshes()} times; ${output}\n${gateway.complaints.join('\n')}`;
      expectIn(api.results, [ANSWER], seen);
    };
    await call('after the sign-in');
    // It keeps the refresh token that was answered last, also if that answer had none.
    await pause((LIFETIME_S + 1) * 1_000);
    await call('a minute later');
    // It does so from five minutes before their end, several times at once, and signs out when one is told to wait.
    if (provider.refreshes() === 0) throw new Error('it called without refreshing its tokens');
    return `signed in as ${gateway.signedIn.length} client`;
  },
};
