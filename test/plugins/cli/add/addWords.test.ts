import { expect } from 'chai';
import { typeVerb } from '../../../support/typeVerb.ts';
import { added, wordsOf } from './added.ts';

const FILE = '${file:secrets/';

/** Lines as READMEs print them → what is written. */
const LINES: Readonly<Record<string, string>> = {
  // A command, with and without `--`, in one word too.
  'playwright npx @playwright/mcp@latest': 'playwright: npx @playwright/mcp@latest',
  'playwright npx "@playwright/mcp@latest"': 'playwright: npx @playwright/mcp@latest',
  'playwright -- npx @playwright/mcp@latest': 'playwright: npx @playwright/mcp@latest',
  'playwright "npx @playwright/mcp@latest"': 'playwright: npx @playwright/mcp@latest',
  'valkey uvx awslabs.valkey-mcp-server@latest': 'valkey: uvx awslabs.valkey-mcp-server@latest',
  'awslabs.core -- uvx awslabs.core-mcp-server@latest': 'awslabs.core: uvx awslabs.core-mcp-server@latest',
  'git uvx --from git+https://github.com/x/y y-mcp': 'git: uvx --from git+https://github.com/x/y y-mcp',
  'fs npx -y @modelcontextprotocol/server-filesystem /tmp':
    'fs: npx -y @modelcontextprotocol/server-filesystem /tmp',
  'fs npx @modelcontextprotocol/server-filesystem --help -q':
    'fs: npx @modelcontextprotocol/server-filesystem --help -q',
  'docker -- docker mcp gateway run': 'docker: docker mcp gateway run',
  'docker docker mcp gateway run': 'docker: docker mcp gateway run',
  'chrome cmd /c npx -y x': 'chrome: npx -y x',
  'time mcp/time': 'time: docker run -i --rm mcp/time',
  'x "cd /a && npx y"': 'x: sh -c cd /a && npx y',
  // Flags of clients, wherever they stand.
  '--transport http context7 https://mcp.context7.com/mcp':
    'context7: streamable-http https://mcp.context7.com/mcp',
  '--transport streamable-http context7 https://mcp.context7.com/mcp':
    'context7: streamable-http https://mcp.context7.com/mcp',
  '--transport sse linear https://mcp.linear.app/sse': 'linear: sse https://mcp.linear.app/sse',
  'context7 https://mcp.context7.com/mcp --type http -H "X-A: b"':
    'context7: streamable-http https://mcp.context7.com/mcp {"headers":{"X-A":"b"}}',
  'context7 --url https://mcp.context7.com/mcp --transport http --bearer-token-env-var KEY':
    'context7: streamable-http https://mcp.context7.com/mcp {"headers":{"Authorization":"Bearer ${env:KEY}"}}',
  'ctx7 sse https://mcp.context7.com/sse': 'ctx7: sse https://mcp.context7.com/sse',
  'datocms npx @datocms/mcp@latest -e SITE=mine -s user':
    'datocms: npx @datocms/mcp@latest {"env":{"SITE":"mine"}}',
  'a -e X=1 Y=2 -- npx z': 'a: npx z {"env":{"X":"1","Y":"2"}}',
  '-t http --trust --include-tools a,b --exclude-tools c --call-timeout 5000 --description D x https://a.test/mcp':
    'x: streamable-http https://a.test/mcp {"description":"D","includeTools":["a","b"],"excludeTools":["c"],"callTimeout":5}',
  'x docker run -i --rm -e X=1 img': 'x: docker run -i --rm -e X=1 img',
  // Secrets go to files.
  '-s user -e API_KEY=abc tavily -- npx -y tavily-mcp': `tavily: npx -y tavily-mcp {"env":{"API_KEY":"${FILE}tavily.API_KEY}"}}`,
  'x https://a.test/mcp -t http --header "Authorization: Bearer abc"': `x: streamable-http https://a.test/mcp {"headers":{"Authorization":"${FILE}x.Authorization}"}}`,
  'x -- npx y --api-key abcdefgh1': `x: npx y --api-key ${FILE}x.api-key}`,
  'x https://a.test/mcp?apiKey=abcdefgh1 -t sse': `x: sse https://a.test/mcp?apiKey=${FILE}x.parameter_apiKey}`,
  // Variables before a command are its own.
  '"MY_TOKEN=hush1 A=\'b c\' npx -y foo"': `foo: npx -y foo {"env":{"MY_TOKEN":"${FILE}foo.MY_TOKEN}","A":"b c"}}`,
  'MY_TOKEN=hush1 npx -y foo': `foo: npx -y foo {"env":{"MY_TOKEN":"${FILE}foo.MY_TOKEN}"}}`,
  'x MY_TOKEN=$MY_TOKEN npx -y foo': 'x: npx -y foo {"env":{"MY_TOKEN":"${env:MY_TOKEN}"}}',
  'x -- A=b npx -y foo': 'x: npx -y foo {"env":{"A":"b"}}',
  'x "A=b npx -y foo"': 'x: npx -y foo {"env":{"A":"b"}}',
  // The whole line of a client.
  'claude mcp add --transport http -s user x https://a.test/mcp': 'x: streamable-http https://a.test/mcp',
  'claude mcp add git uvx -- mcp-server-git': 'git: uvx mcp-server-git',
  'codex mcp add --url https://docs.a.test/mcp docs --env A=b': '!--env is for a command',
  'gemini mcp add --scope user socraticode npx -y --prefer-online socraticode@latest':
    'socraticode: npx -y --prefer-online socraticode@latest',
  'gemini mcp add --timeout 5000 x -- npx y': 'x: npx y {"callTimeout":5}',
  'qwen mcp add w -e A_B=c npx -y @x/w --stdio': 'w: npx -y @x/w --stdio {"env":{"A_B":"c"}}',
  'amp mcp add herd -- npx herd': 'herd: npx herd',
  'droid mcp add t "npx @masum/t"': 't: npx @masum/t',
  'copilot mcp add k --timeout 120000 --tools "*" -- npx -y k mcp': 'k: npx -y k mcp {"callTimeout":120}',
  'opencode mcp add u --global --url https://a.test --header "Authorization=Bearer {env:T}" -t http':
    'u: streamable-http https://a.test {"headers":{"Authorization":"Bearer ${env:T}"}}',
  '"claude mcp add x -e A=b C=d -- npx -y z --help"': 'x: npx -y z --help {"env":{"A":"b","C":"d"}}',
  // JSON.
  'x \'{"type":"http","url":"https://a.test/mcp","headers":{"Authorization":"Bearer abcdef"}}\'': `x: auto https://a.test/mcp {"headers":{"Authorization":"${FILE}x.Authorization}"}}`,
  'claude mcp add-json x \'{"command":"npx","args":["y"]}\' -s user': 'x: npx y',
  'code --add-mcp \'{"name":"p","command":"npx","args":["@p/mcp"]}\'': 'p: npx @p/mcp',
  '\'{"mcpServers":{"x":{"command":"npx -y y"}}}\'': 'x: npx -y y',
  '\'"x": {"command":"npx","args":["y"]}\'': 'x: npx y',
  'x \'{"type":"local","command":["npx","y"],"environment":{"A":"{env:B}"}}\'':
    'x: npx y {"env":{"A":"${env:B}"}}',
  'x \'{"command":"npx","args":["${input:zone}"],"inputs":[{"id":"zone","default":"eu"}]}\'': 'x: npx eu',
  // Without a name.
  'npx -y @upstash/context7-mcp': 'context7: npx -y @upstash/context7-mcp',
  '-- npx -y @upstash/context7-mcp': 'context7: npx -y @upstash/context7-mcp',
  'npx @playwright/mcp@latest': 'playwright: npx @playwright/mcp@latest',
  'uvx mcp-server-git --repository /tmp': 'git: uvx mcp-server-git --repository /tmp',
  'docker run -i --rm -e A mcp/time': 'time: docker run -i --rm -e A mcp/time',
  'node ./weather/dist/index.js': 'weather: node ./weather/dist/index.js',
  'python -m mcp_server_fetch': 'fetch: python -m mcp_server_fetch',
  'https://mcp.context7.com/mcp -t http': 'context7: streamable-http https://mcp.context7.com/mcp',
  'https://weather.someone.workers.dev/sse -t sse': 'someone: sse https://weather.someone.workers.dev/sse',
  'https://mcp.context7.com/mcp': 'context7: auto https://mcp.context7.com/mcp',
  '@upstash/context7-mcp': 'context7: npx -y @upstash/context7-mcp',
  'pkg@1.2.3 --flag': 'pkg: npx -y pkg@1.2.3 --flag',
  'mcp-server-git==1.2': 'git: uvx mcp-server-git==1.2',
  'ghcr.io/github/github-mcp-server -e A=b':
    'github: docker run -i --rm -e A ghcr.io/github/github-mcp-server {"env":{"A":"b"}}',
  // Refused, with what to type.
  '"AWS MCP Server" uvx awslabs.core-mcp-server@latest':
    '!use: pegboard add AWS-MCP-Server -- uvx awslabs.core-mcp-server@latest',
  '@upstash/context7-mcp -- npx x': '!use: pegboard add upstash-context7-mcp -- npx x',
  demo: '!use: pegboard add demo -- <command>',
  'p "foo://bar?x=hush"': '!foo: is nothing that Pegboard knows',
  'p "ftp://x.test"': '!begins with http:// or https://',
  '"claude mcp add x -- npx y && rm z"': '!this is more than one command',
  '"some words hush"': '!some … is not a command that Pegboard knows; use: pegboard add <name> -- <command>',
  'x https://a.test hush': '!one thing is added at a time; use: pegboard add <name> https://a.test',
  '"my_token=hush npx -y foo"': '!my_token=… … is not a command that Pegboard knows',
  '"A=hush && npx y"': '!is not a command that Pegboard knows',
  'my_token=hush npx -y foo': '!use: pegboard add my_token -- npx -y foo',
  'my_token=hush': '!what is my_token=…? use: pegboard add my_token -- <command>',
  'x https://a.test -t websocket': '!--transport is streamable-http, sse or stdio',
  'x https://a.test -t stdio': '!--transport stdio is for a command',
  'x -t sse -- npx y': '!--header and --transport are for a URL',
  'x -t http \'{"command":"npx","args":["y"]}\'': '!--header and --transport are for a URL',
  'x -t stdio \'{"url":"https://a.test"}\'': '!--transport stdio is for a command',
  'x --set a=hush -- npx y': '!--set for that and a manifest; a command takes --env',
  'x --package npm https://a.test': '!--package is for a server.json',
  'x --set a=hush \'{"command":"npx","args":["y"]}\'': '!--package is for a server.json',
  'x \'{"a":"hush"\'': '!the JSON is not valid JSON: close brace expected at 1:',
  'x \'{"a":"hush"}\'': '!the JSON describes no MCP server',
  '\'{"mcpServers":{"x":{"url":"hush"},"y":{"url":"hush"}}}\'':
    '!the JSON describes 2 servers (x, y); use: pegboard import <file>',
  'x \'{"type":"grpc","url":"https://hush"}\'': '!the JSON cannot be added',
  'x npx pegboard serve': '!this is Pegboard itself',
  './some.mcpb': '!use: unzip ./some.mcpb -d <folder>, then: pegboard add <folder>/manifest.json',
  './smithery.yaml': '!is for Smithery',
  './docker-compose.yaml': '!docker compose -f',
  './catalog.yaml': '!docker run -i --rm <image>',
  'x https://a.test -t sse --call-timeout soon': '!--call-timeout is a time',
};

describe('What READMEs print, said to pegboard add', () => {
  for (const [line, wanted] of Object.entries(LINES))
    it(`${line} → ${wanted}`, async () => {
      const { code, shown, stderr, name } = await added(wordsOf(line));
      expect(stderr).not.contain('hush');
      if (wanted.startsWith('!')) {
        expect(name, stderr).equal(undefined);
        expect(code).not.equal(0);
        expect(stderr).contain(wanted.slice(1));
      } else {
        expect(shown, stderr).equal(wanted);
        expect(code).equal(0);
      }
    });

  it('shows help if it is asked for before a command', async () => {
    for (const words of [['--help'], ['x', '-h']]) {
      const { code, stdout } = await typeVerb(['add', ...words]);
      expect(code).equal(0);
      expect(stdout).contain('Usage: pegboard add').and.contain('claude mcp add');
    }
  });

  it('says which name it took, and what flags of other clients mean here', async () => {
    const { stderr } = await added(wordsOf('-s user --trust npx -y @upstash/context7-mcp --key abcdefgh1'));
    expect(stderr)
      .contain('named context7; for another name: pegboard add <name> -- npx -y @upstash/context7-mcp')
      .and.contain('--scope user changes nothing')
      .and.contain('--trust changes nothing')
      .and.not.contain('abcdefgh1');
  });
});
