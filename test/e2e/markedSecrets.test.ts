import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { JsonObject, JsonSchema } from '../../kernel/contracts/json.ts';
import { builtInNames, loadBuiltIn } from '../../kernel/loader.ts';
import { readSchema } from '../../kernel/lib/readSchema.ts';
import { issueText } from '../../kernel/lib/placeText.ts';
import { review } from '../support/reviewed.ts';
import { hideSettings } from '../../plugins/core-config/show.ts';
import { openAdmin } from '../plugins/admin/adminGateway.ts';
import type { AdminSite } from '../plugins/admin/adminGateway.ts';
import { defer } from '../support/cleanup.ts';
import { filesBelow, linesOf } from '../support/confidential.ts';
import { callCore } from '../support/coreTools.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory, Files } from '../support/directory.ts';
import { listenerUrl } from '../support/edge.ts';
import { composeGateway } from '../support/gateway.ts';
import { markedTexts, withPart } from '../support/markedPlaces.ts';
import type { MarkedText } from '../support/markedPlaces.ts';
import { runPegboard } from '../support/serve.ts';
import { typeVerb } from '../support/typeVerb.ts';
import { until } from '../support/until.ts';

/** Every secret begins with it. */
const MARK = 'MarkedSecret4711';
const SERVER = readSchema('kinds/mcpserver');
/** Fields that only servers of type stdio have. */
const OF_PROCESS = ['command', 'args', 'env'];

/** A secret that fits its place: in an address a parameter, in that of a proxy a password, among the words of a command a flag. */
function secretFor({ path, schema }: MarkedText, at: number, address: string): string {
  const secret = `${MARK}x${at}`;
  if (path.at(-1) === 'proxy') return `http://kim:${secret}@127.0.0.1:1`;
  if (schema['format'] === 'address') return `${address}?api_key=${secret}`;
  return ['command', 'args'].includes(path[0] ?? '') ? `--api-key=${secret}` : secret;
}

/** Definitions that together have a secret in every marked place. */
function definitionsWith(
  places: readonly MarkedText[],
  remote: string,
): Readonly<Record<string, JsonObject>> {
  const auth = {
    type: 'oauth',
    authorizationServer: { issuer: 'https://127.0.0.1:1', clientId: 'me' },
    tokenExchange: { idpTokenEndpoint: 'https://127.0.0.1:1/token', clientId: 'me' },
  };
  const process = { type: 'stdio', command: ['pegboard-test-absent'], autoStart: true };
  const all: Record<string, JsonObject> = {
    ours: { type: 'streamable-http', url: remote },
    theirs: { type: 'sse', url: remote, auth },
    process,
    words: { ...process, command: '' },
  };
  places.forEach((place, at) => {
    const [field = ''] = place.path;
    const isText = field === 'command' && place.path.length === 1;
    const remotes = field === 'messageUrl' ? ['theirs'] : ['ours', 'theirs'];
    const names = isText ? ['words'] : OF_PROCESS.includes(field) ? ['process'] : remotes;
    const secret = isText ? `absent ${secretFor(place, at, remote)}` : secretFor(place, at, remote);
    // Only a remote server that needs no sign-in is connected to.
    for (const name of names.filter((one) => one !== 'ours' || field !== 'auth'))
      all[name] = withPart(all[name], place.path, secret) as JsonObject;
  });
  return all;
}

/** Values that each marked place refuses, or that stand in place of what it is in.
 *  @param top how many keys of the path name sections, in which no secret stands */
function faultsAt(
  { path }: MarkedText,
  at: number,
  top = 0,
): readonly (readonly [readonly string[], unknown])[] {
  const secret = `${MARK}y${at}`;
  const values = [{ a: secret }, [[secret]], Number(`4711${at}4711`)];
  const around = path.slice(0, -1);
  return [
    ...values.map((value) => [path, value] as const),
    ...(around.length > top && around.join() !== 'command' ? [[around, secret] as const] : []),
  ];
}

describe('e2e: what a schema marks as secret', function () {
  this.timeout(60_000);
  const places = markedTexts(SERVER);
  const told = new Map<string, string>();
  const tell = (way: string, text: string): void => void told.set(way, `${told.get(way) ?? ''}\n${text}`);
  let site: AdminSite;
  let remote = '';

  /** The configurations of all plugins with a secret in each marked place. */
  const configured = async (): Promise<readonly (readonly [plugin: string, MarkedText, JsonSchema])[]> => {
    const plugins = await Promise.all((await builtInNames()).map(loadBuiltIn));
    return plugins.flatMap(({ name, configSchema }) =>
      markedTexts(configSchema).map((place) => [name, place, configSchema] as const),
    );
  };

  before(async () => {
    // Answers with what it received, as careless servers do.
    const mirror = createServer((req, res) => {
      res
        .writeHead(500, { 'content-type': 'text/plain' })
        .end(`${req.url ?? ''} ${JSON.stringify(req.headers)}`);
    }).listen(0, '127.0.0.1');
    await once(mirror, 'listening');
    defer(() => new Promise((resolve) => mirror.close(resolve)));
    remote = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/mcp`;
    const definitions = definitionsWith(places, remote);
    const server = (await configured())
      .filter(([name]) => name === 'auth-server')
      .reduce<unknown>(
        (config, [, place], at) => withPart(config, place.path, secretFor(place, at, remote)),
        {
          aggregator: { oauth: { server: { enabled: false }, mcpClient: { enabled: true } } },
          plugins: { audit: { config: {} }, cassettes: {}, tracing: { config: { content: true } } },
        },
      );
    const files: Files = {
      'config.yaml': JSON.stringify(server),
      'workflows/all.yaml':
        'steps: [{ id: one, tool: core_mcpserver_list }, { id: two, tool: core_config_get }]\n',
      ...Object.fromEntries(
        Object.entries(definitions).map(([name, spec]) => [`mcpservers/${name}.yaml`, JSON.stringify(spec)]),
      ),
    };
    site = await openAdmin({ files });
    const { gateway } = site;
    const call = async (name: string, args: JsonObject = {}): Promise<void> => {
      const answer = await callCore(gateway, name, args).catch((error: unknown) => String(error));
      tell(name, JSON.stringify(answer));
    };
    for (const name of ['ours', 'process'])
      await until(() => gateway.log.records.some(({ data }) => data['server'] === name && 'error' in data), {
        what: `${name} fails`,
      });
    for (const tool of [
      'core_mcpserver_list',
      'core_config_get',
      'core_config_get_aggregator',
      'core_service_list',
    ])
      await call(tool);
    await call('workflow_all');
    await call('core_workflow_execution_list');
    for (const [name, spec] of Object.entries(definitions)) {
      for (const tool of ['core_mcpserver_get', 'core_service_status', 'core_server_logs', 'core_auth_login'])
        await call(
          tool,
          ['core_server_logs', 'core_auth_login'].includes(tool) ? { server: name } : { name },
        );
      await call('core_mcpserver_update', { name, description: 'changed' });
      await call('core_mcpserver_validate', { ...spec, name });
      await call('core_mcpserver_create', { ...spec, name: `${name}2` });
      await call('core_service_restart', { name });
    }
    for (const [at, place] of places.entries())
      for (const [path, value] of faultsAt(place, at)) {
        const base = definitions[OF_PROCESS.includes(place.path[0] ?? '') ? 'process' : 'theirs'];
        const spec = withPart(base, path, value) as JsonObject;
        await call('core_mcpserver_validate', { ...spec, name: 'broken' });
        await call('core_mcpserver_create', { ...spec, name: 'broken' });
        await call('core_mcpserver_update', { name: 'theirs', ...spec });
        gateway.directory.write('mcpservers/broken.yaml', JSON.stringify(spec));
        await call('core_config_reload');
        tell('admin pages', (await site.get('/mcps/broken/edit')).text);
      }
    await call('core_events', { limit: 1_000 });
  });

  it('has places in definitions and in configurations', async () => {
    expect(places.map(({ path }) => path.join('.'))).deep.equal([
      ...['command', 'command.[]', 'args.[]', 'url', 'messageUrl', 'proxy', 'env.*', 'headers.*'],
      ...['auth.tokenExchange.clientSecret', 'auth.authorizationServer.clientSecret'],
    ]);
    expect((await configured()).map(([name, { path }]) => `${name} ${path.join('.')}`)).members([
      ...['auth-client', 'auth-exchange', 'auth-server'].map((name) => `${name} aggregator.proxy`),
      'auth-server aggregator.oauth.server.idp.clientSecret',
      'auth-server aggregator.oauth.server.registrationToken',
      ...['url', 'apiKey'].map((key) => `search-semantic ${key}`),
      'isolate proxy',
      'upstream proxy',
      ...['url', 'url.[]', 'password', 'sentinelPassword', 'key', 'secret', 'secret.[]'].map(
        (key) => `vault-redis ${key}`,
      ),
    ]);
  });

  it('is in no answer of a tool, whether it succeeds or refuses', () => {
    expect(told.size).above(15);
    for (const [way, text] of told) expect([leakIn(text)], way).deep.equal([undefined]);
    for (const way of ['core_mcpserver_get', 'core_config_get', 'workflow_all', 'core_mcpserver_create'])
      expect(told.get(way), way).include('[redacted]');
  });

  it('is on no admin page', async () => {
    const seen = new Set(['/', '/mcps/broken/edit']);
    for (const path of seen) {
      const { text } = await site.get(path);
      expect([leakIn(text)], path).deep.equal([undefined]);
      for (const [, href = ''] of text.matchAll(/href="(\/[^"#]*)"/g)) if (seen.size < 150) seen.add(href);
    }
    for (const path of ['/config', '/mcps/theirs/edit', '/events', '/runs']) expect([...seen]).include(path);
  });

  it('is in no line of the log, and in no file that the gateway writes', () => {
    for (const line of linesOf(site.gateway.log)) expect([leakIn(line)]).deep.equal([undefined]);
    const files = filesBelow(site.gateway.directory.at('state'));
    expect(files.map(({ path }) => path).join()).include('audit');
    for (const { path, text } of files) expect([leakIn(text)], path).deep.equal([undefined]);
  });

  it('is in nothing that the command line prints', async () => {
    const { gateway } = site;
    const endpoint = ['--endpoint', `${listenerUrl(gateway)}/mcp`, '--config-path', gateway.directory.path];
    const other = makeDirectory({
      'config.yaml': '',
      'mcpservers/theirs.yaml': JSON.stringify(definitionsWith(places, `${remote}/moved`)['theirs']),
    });
    const verbs = [
      ['get', 'server', 'theirs', '-o', 'yaml'],
      ['get', 'server', '-o', 'json'],
      ['describe', 'server', 'process'],
      ['list', 'servers', '-o', 'wide'],
      ['get', 'server', 'theirs', '--debug'],
      ['plan', other.path, '--static'],
      ['create', '-f', other.at('mcpservers/theirs.yaml'), '--dry-run'],
      ['validate', '-f', gateway.directory.at('mcpservers/broken.yaml')],
      ['events'],
    ];
    for (const words of [...verbs, ['doctor']]) {
      // These start the program again.
      const run = ['doctor', 'plan', 'validate', 'create'].includes(words[0] ?? '') ? runPegboard : typeVerb;
      const { stdout, stderr } = await run([...words, ...endpoint]);
      expect([leakIn(stdout + stderr)], words.join(' ')).deep.equal([undefined]);
      expect(stdout + stderr, words.join(' '))
        .match(/./)
        .and.not.match(/unknown option|usage:/i);
    }
  });

  it('is in no finding of a check, which names each place', async () => {
    const found = await findingsIn(site.gateway.directory);
    expect([leakIn(found)]).deep.equal([undefined]);
    for (const field of ['tokenExchange', 'authorizationServer'])
      expect(found).include(`auth.${field}.clientSecret is in the definition as plain text`);
    expect(found).include('aggregator.oauth.server.idp.clientSecret is in config.yaml as plain text');
  });

  it('is in no message on a configuration that is wrong there, and shown by no tool', async () => {
    const all = await configured();
    expect(all.length).above(0);
    for (const [at, [name, place, schema]] of all.entries()) {
      const isSection = Object.hasOwn(schema['properties'] ?? {}, 'aggregator');
      const prefix = isSection ? [] : ['plugins', name, 'config'];
      const base = isSection ? { aggregator: { oauth: { server: { enabled: true } } } } : {};
      const good = withPart(base, [...prefix, ...place.path], secretFor(place, at, 'redis://localhost'));
      const hidden = hideSettings(good as JsonObject, { configSchemas: () => ({}) });
      expect([leakIn(JSON.stringify(hidden))], place.path.join('.')).deep.equal([undefined]);
      expect(JSON.stringify(hidden)).include('[redacted]');
      for (const [path, value] of faultsAt(place, at, isSection ? 3 : 0)) {
        const config = JSON.stringify(withPart(base, [...prefix, ...path], value));
        const found = await findingsIn(makeDirectory({ 'config.yaml': config }));
        expect(found).include(' error: ');
        expect([leakIn(found)], path.join('.')).deep.equal([undefined]);
      }
    }
  });
});

/** What `pegboard check` prints. */
async function findingsIn(directory: Directory): Promise<string> {
  const { pipeline } = await composeGateway({ builtIns: 'all', directory });
  const found = await pipeline.check((configured) => review(configured));
  return found.map(issueText).join('\n');
}

/** The text around a secret. */
function leakIn(text: string): string | undefined {
  const at = text.search(
    new RegExp(`${MARK}|4711\\d4711|${Buffer.from(MARK).toString('base64').slice(0, 18)}`),
  );
  return at < 0 ? undefined : text.slice(Math.max(0, at - 400), at + 60);
}
