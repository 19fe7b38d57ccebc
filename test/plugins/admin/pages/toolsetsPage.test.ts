import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { SCRIPT, auditedCalls, openBooth } from '../booth.ts';
import type { AdminSite, Fields } from '../adminGateway.ts';

interface Seen {
  readonly name: string;
  readonly now: boolean;
  readonly then: boolean;
  readonly reason: string;
}
interface Preview {
  readonly text: string;
  readonly stored: string;
  readonly errors: readonly string[];
  readonly opens: readonly string[];
  readonly warnings: readonly string[];
  readonly digest: string;
  readonly diff: readonly { readonly sign: string; readonly text: string }[];
  readonly tools: readonly Seen[];
}
const CONFIG = `# of the shop
plugins: { audit: { config: {} } } # kept
toolsetPresets:
  counter: # for the counter
    include: [{ tool: x_booth_ship }]
access:
  - groups: [counter]
    toolset: ['preset:counter']
  - groups: [owners]
    toolset: ['preset:full']
`;
const JSON_ONLY = { accept: 'application/json' };

describe('the page of toolsets', () => {
  let site: AdminSite;
  const file = (): string => site.gateway.directory.at('config.yaml');
  const now = (query = ''): Promise<Preview> => site.facts<Preview>(`/toolsets${query}`);
  const preview = async (fields: Fields): Promise<Preview> => {
    const { status, text } = await site.post('/toolsets', fields, JSON_ONLY);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text) as Preview;
  };
  const booth = ({ tools }: Preview): Readonly<Record<string, string>> =>
    Object.fromEntries(
      tools
        .filter(({ name }) => name.startsWith('x_booth_'))
        .map((one) => [one.name.slice(8), `${String(one.now)} ${String(one.then)}`]),
    );
  const widened = async (): Promise<string> =>
    (await now()).text.replace('- tool: x_booth_ship', '- tool: x_booth_ship\n      - tool: x_booth_burn');

  beforeEach(async () => {
    site = await openBooth({ 'config.yaml': CONFIG });
  });

  it('says which tools members of a group see, and why', async () => {
    const { text, status } = await site.get('/toolsets?groups=counter');
    expect(status).equal(200);
    expect(text)
      .include('a member of counter')
      .and.include('preset:counter')
      .and.include('outside the toolset');
    expect(booth(await now('?groups=counter'))).include({ ship: 'true true', burn: 'false false' });
    expect(booth(await now('?groups=owners'))).include({ ship: 'true true', burn: 'true true' });
    expect(booth(await now('?groups=owners&toolset=preset:counter'))).include({ burn: 'false false' });
    const stranger = await now();
    expect(booth(stranger)).include({ ship: 'false false' });
    expect(stranger.tools[0]?.reason).include('has not signed in');
  });

  it('shows what a change would give before anything is written', async () => {
    const shown = await preview({ text: await widened(), groups: 'counter' });
    expect(shown.diff.filter(({ sign }) => sign !== ' ').map(({ text }) => text.trim())).deep.equal([
      '- tool: x_booth_burn',
    ]);
    expect(shown.tools[0]).include({ name: 'x_booth_burn', now: false, then: true });
    expect(shown.opens).deep.equal([]);
    const other = await preview({ text: await widened(), groups: 'counter', toolset: 'preset:nothing' });
    expect(other.tools[0]?.reason).include('unknown preset "nothing"');
    expect(readFileSync(file(), 'utf8')).equal(CONFIG);
    expect(booth(await now('?groups=counter'))).include({ burn: 'false false' });
  });

  it('writes it to config.yaml with its comments, puts it in force, and records who did', async () => {
    const { stored } = await now();
    const done = await site.submit('/toolsets/write', { text: await widened(), base: stored });
    expect(done.status, done.text).equal(303);
    const text = readFileSync(file(), 'utf8');
    expect(text).include('# of the shop').and.include('# kept').and.include('# for the counter');
    expect(booth(await now('?groups=counter'))).include({ burn: 'true true' });
    expect(auditedCalls(site, 'admin_toolsets_write')).length(1);
    expect((await site.get('/toolsets')).text).not.include('Write it');
  });

  it('asks again, with the number of tools, before it opens tools to everyone', async () => {
    const text = (await now()).text.replace('- owners', '- "*"');
    const { opens } = await preview({ text });
    expect(opens).length(1);
    expect(opens[0]).match(/^Every person who has signed in would see \d+ tools more: .*x_booth_/);
    const page = await site.post('/toolsets', { text });
    expect(page.text).match(
      /<details class="confirm"[^]*Write it…[^]*Every person who has signed in would see/,
    );
    const without = await preview({ text: 'toolsetPresets: {}' });
    expect(without.opens).deep.equal([
      'Without access, every caller sees every tool that no other rule keeps back, also one who has not signed in.',
    ]);
    expect((await site.post('/toolsets', { text: await widened() })).text).not.include(
      'details class="confirm"',
    );
  });

  it('writes nothing with a fault, and says where it is', async () => {
    const faulty = async (text: string): Promise<string> => (await preview({ text })).errors.join('; ');
    expect(await faulty('access: [{ groups: [a], toolset: ["preset:nope"] }]')).include(
      'unknown preset "nope"',
    );
    expect(await faulty('access: [{ groups: [a] }]')).include('access.0.toolset is required');
    expect(await faulty('toolsetPresets: { a: { include: [{ pattern: "[" }] } }')).include('invalid pattern');
    expect(await faulty('toolsetPresets:\n  a: [')).include('line 2');
    expect(await faulty('aggregator: { port: 1 }')).include('unknown key "aggregator"');
    const { status, text } = await site.submit('/toolsets/write', {
      text: 'access: 7',
      base: (await now()).stored,
    });
    expect(status).equal(400);
    expect(text).include('nothing was written').and.include('access: 7');
    expect(readFileSync(file(), 'utf8')).equal(CONFIG);
  });

  it('warns of rules that select nothing, as check does', async () => {
    const rules = '[{ tool: x_booth_ship }, { tool: core_service_list }, { server: boot }, { tool: x_no_y }]';
    const { errors, warnings } = await preview({ text: `toolsetPresets: { a: { include: ${rules} } }` });
    expect(errors).deep.equal([]);
    expect(warnings).length(2);
    expect(warnings[0])
      .include('toolset preset "a": include[2] selects nothing: no MCP server is named boot')
      .and.include('booth');
    expect(warnings[1]).include('include[3] selects nothing: no tool is named x_no_y');
  });

  it('writes nothing over what others have written meanwhile', async () => {
    const { stored } = await now();
    const text = await widened();
    writeFileSync(file(), CONFIG.replace('preset:full', 'preset:read-only'));
    const { status, text: answer } = await site.submit('/toolsets/write', { text, base: stored });
    expect(status, answer).equal(409);
    expect(readFileSync(file(), 'utf8')).include('preset:read-only').and.not.include('x_booth_burn');
  });

  it('writes nothing while the file has changes that are not in force, and leads to where they are read', async () => {
    const { stored } = await now();
    const text = await widened();
    const pending = CONFIG.replace('# kept', '# not read yet');
    writeFileSync(file(), pending);
    const { status, text: answer } = await site.submit('/toolsets/write', { text, base: stored });
    expect(status, answer).equal(409);
    expect(answer).include('reload the configuration first').and.include('href="/config"');
    expect(readFileSync(file(), 'utf8')).equal(pending);
    await site.submit('/config/reload');
    expect((await site.submit('/toolsets/write', { text, base: stored })).status).equal(303);
  });

  it('brings the file back if what was written cannot be put in force', async () => {
    const strict = `export const plugin = {
      name: 'strict',
      api: 1,
      configSchema: { type: 'object' },
      check: (_config, { access }) => (access?.length > 2 ? [{ path: ['access'], message: 'two are enough' }] : []),
      apply() {},
    };`;
    const config = CONFIG.replace('plugins: {', 'plugins: { strict: { module: ./strict.mjs },');
    site = await openBooth({ 'config.yaml': config, 'strict.mjs': strict });
    const { stored } = await now();
    const text = `${stored}  - groups: [more]\n    toolset: [preset:read-only]\n`;
    const { status, text: answer } = await site.submit('/toolsets/write', { text, base: stored });
    expect(status, answer).equal(409);
    expect(answer).include('two are enough').and.include('as it was');
    expect(readFileSync(file(), 'utf8')).equal(config);
    const done = await site.submit('/toolsets/write', { text: await widened(), base: stored });
    expect(done.status, done.text).equal(303);
  });

  it('asks again, too, for what everyone could select once a server offers it', async () => {
    const text = `${(await now()).text}  - groups: ["*"]\n    toolset: ["server:later", "preset:counter"]\n`;
    const { opens } = await preview({ text });
    expect(opens).length(1);
    expect(opens[0]).include('server:later').and.include('{"tool":"x_booth_ship"} of preset:counter');
    expect((await site.submit('/toolsets/write', { text, base: (await now()).stored })).status).equal(409);
  });

  it('writes what the preview has shown, and nothing else', async () => {
    const text = (await now()).text.replace('- owners', '- "*"');
    const { digest: previewed } = await preview({ text });
    const page = (await site.post('/toolsets', { text })).text;
    expect(page).include(`form="rules" name="previewed" value="${previewed}"`);
    const edited = await site.submit('/toolsets/write', { text: `${text}# more\n`, previewed });
    expect(edited.status, edited.text).equal(409);
    expect(edited.text).include('# more').and.include('changed since the preview');
    expect(readFileSync(file(), 'utf8')).equal(CONFIG);
    expect((await site.submit('/toolsets/write', { text, previewed })).status).equal(303);
  });

  it('judges without the rules while their plugin is off, and says so', async () => {
    site = await openBooth({ 'config.yaml': CONFIG.replace('plugins: {', 'plugins: { access: false,') });
    const { warnings, tools } = await now();
    expect(warnings.join()).include('plugins.access is false');
    expect(booth({ tools } as Preview)).include({ ship: 'true true', burn: 'true true' });
  });

  it('makes a toolset of a server, which is written only by a click', async () => {
    expect((await site.get('/mcps/booth')).text).include('href="/toolsets?add=booth"');
    const { diff, text } = await now('?add=booth&groups=owners');
    expect(text).include('booth:').and.include('- server: booth');
    expect(diff.map(({ sign }) => sign)).include('+');
    const { tools } = await now('?add=booth&groups=owners');
    expect(tools.filter(({ then }) => then).every(({ name }) => name.startsWith('x_booth_'))).equal(true);
    expect((await site.get('/toolsets?add=none')).status).equal(404);
    expect(readFileSync(file(), 'utf8')).equal(CONFIG);
  });

  it('gives script no way in', async () => {
    const query = `?person=${encodeURIComponent(SCRIPT)}&groups=${encodeURIComponent(SCRIPT)}`;
    const { text } = await site.post(`/toolsets${query}`, { text: `access: ${SCRIPT}`, person: SCRIPT });
    expect(text).not.include(SCRIPT);
    expect((await site.get(`/toolsets${query}`)).text).not.include(SCRIPT);
  });
});
