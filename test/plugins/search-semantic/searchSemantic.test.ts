import { join } from 'node:path';
import { expect } from 'chai';
import { validate } from '../../../kernel/config/validate.ts';
import { definePlugin } from '../../../kernel/index.ts';
import type { JsonObject, ReviewFacts, Scope } from '../../../kernel/index.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';
import { plugin } from '../../../plugins/search-semantic/index.ts';
import { makeDirectory } from '../../support/directory.ts';
import { listenerUrl } from '../../support/edge.ts';
import { bootGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { toolOf } from '../../support/kernel.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { metricsOf, valuesOf } from '../../support/metrics.ts';
import { until } from '../../support/until.ts';
import { modelFiles, runtimeFiles } from './localModel.ts';
import { startMeanings } from './meanings.ts';
import type { MeaningsServer } from './meanings.ts';

const BUILT_INS = [
  'http',
  'front',
  'transport-http',
  'metatools',
  'toolsets',
  'vault-file',
  'search-semantic',
];
const TOOLS = [
  toolOf('invoice_create', { description: 'Writes an invoice' }),
  toolOf('forecast_get', { description: 'Shows the weather' }),
  toolOf('mail_send', { description: 'Sends a mail' }),
];
/** Words that no tool has. */
const QUERY = 'who owes us';
/** Far longer than anything here takes. */
const PATIENT = { waitMs: 5_000, allowPrivateIP: true };

describe('search-semantic', () => {
  let meanings: MeaningsServer;
  let gateway: Gateway;
  let catalogue: Scope<unknown>;
  const configOf = (config: JsonObject | undefined): string =>
    JSON.stringify({
      aggregator: { port: 0 },
      plugins: { tools: { module: './tools.mjs' }, ...(config && { 'search-semantic': { config } }) },
    });
  const start = async (config: JsonObject | undefined, more: Record<string, string> = {}): Promise<void> => {
    const source = definePlugin({
      name: 'tools',
      api: 1,
      configSchema: { type: 'object' },
      apply: (scope) => {
        catalogue = scope;
        for (const tool of TOOLS) scope.addTool(tool);
      },
    });
    const files = {
      'config.yaml': configOf(config),
      'state/.keep': '',
      'tools.mjs': moduleOf(source),
      ...more,
    };
    gateway = await bootGateway({ builtIns: BUILT_INS, files });
  };
  const at = (more: JsonObject = {}): JsonObject => ({
    url: meanings.embeddings,
    model: 'm',
    ...PATIENT,
    ...more,
  });
  const figures = (name: string) => valuesOf(metricsOf(gateway), `pegboard.search.semantic.${name}`);
  const embedded = (count: number) =>
    until(() => figures('texts')['state=embedded'] === count, { what: `${count} texts embedded` });
  const search = async (query = QUERY, args: JsonObject = {}): Promise<readonly string[]> => {
    const client = await McpClient.connect(listenerUrl(gateway));
    const { content } = (await client.request('tools/call', {
      name: 'filter_tools',
      arguments: { query, ...args },
    })) as { content: readonly { text: string }[] };
    const { tools } = JSON.parse(content[0]?.text ?? '') as { tools: readonly { name: string }[] };
    return tools.map(({ name }) => name);
  };
  beforeEach(async () => {
    meanings = await startMeanings();
  });

  it('is off until it is configured', async () => {
    await start(undefined);
    expect(gateway.kernel.running.map(({ plugin }) => plugin.name)).not.include('search-semantic');
    expect(await search()).deep.equal([]);
  });

  it('finds a tool by what a query means, also if they have no word in common', async () => {
    await start(at());
    await embedded(3);
    expect((await search())[0]).equal('invoice_create');
    expect((await search('take an umbrella'))[0]).equal('forecast_get');
    expect(await search('correspondence', { pattern: 'forecast*' })).deep.equal(['forecast_get']);
    expect(figures('searches')).deep.equal({ 'outcome=fused': 3 });
  });

  it('finds a tool for each clause of a query', async () => {
    await start(at());
    await embedded(3);
    const found = await search('who owes us and take an umbrella');
    expect(found.slice(0, 2)).deep.equal(['invoice_create', 'forecast_get']);
    expect(meanings.asked.at(-1)?.input).deep.equal([QUERY, 'take an umbrella']);
  });

  it('asks once for the vector of a query', async () => {
    await start(at());
    await embedded(3);
    for (const query of [QUERY, `  ${QUERY.replace(' ', '  ')} `]) await search(query);
    expect(meanings.texts().filter((text) => text === QUERY)).length(1);
  });

  it('sends model, key, prefixes and texts in batches, and shows the key nowhere', async () => {
    process.env['MEANINGS_KEY'] = 'sk-very-secret';
    await start(
      at({ apiKey: '${env:MEANINGS_KEY}', batchSize: 2, toolPrefix: 'passage: ', queryPrefix: 'query: ' }),
    );
    await embedded(3);
    await search();
    delete process.env['MEANINGS_KEY'];
    expect(meanings.asked.map(({ input }) => input.length)).deep.equal([2, 1, 1]);
    expect(meanings.asked.map(({ model }) => model)).deep.equal(['m', 'm', 'm']);
    expect(new Set(meanings.asked.map(({ authorization }) => authorization))).deep.equal(
      new Set(['Bearer sk-very-secret']),
    );
    expect(meanings.texts()).include('passage: mail send: Sends a mail').and.include(`query: ${QUERY}`);
    expect(JSON.stringify(gateway.log.records)).not.include('sk-very-secret');
  });

  it('embeds a tool once: not again after a restart, and of a change what is new', async () => {
    await start(at());
    await embedded(3);
    expect(meanings.texts()).length(3);
    gateway.directory.write('config.yaml', configOf(at({ maxQueries: 7 })));
    await gateway.pipeline.reload();
    await embedded(3);
    expect(meanings.texts()).length(3);
    const remove = catalogue.addTool(toolOf('backup_make', { description: 'Makes a copy' }));
    await embedded(4);
    remove();
    catalogue.addTool(toolOf('backup_make', { description: 'Makes a copy' }));
    expect((await search('snapshot'))[0]).equal('backup_make');
    expect(meanings.texts().filter((text) => text !== 'snapshot')).deep.equal([
      ...meanings.texts().slice(0, 3),
      'backup make: Makes a copy',
    ]);
  });

  it('embeds anew for another model', async () => {
    await start(at());
    await embedded(3);
    gateway.directory.write('config.yaml', configOf(at({ model: 'other' })));
    await gateway.pipeline.reload();
    await embedded(3);
    expect(meanings.asked.map(({ model }) => model)).deep.equal(['m', 'other']);
  });

  it('keeps as many vectors as allowed, in memory and in the vault', async () => {
    await start(at({ maxTools: 2 }));
    await embedded(2);
    catalogue.addTool(toolOf('a_backup', { description: 'Makes a copy' }));
    await until(() => meanings.texts().includes('a backup: Makes a copy'));
    const vault = gateway.kernel.registry.get(Vault.id) as Vault;
    await until(async () => (await vault.list('search-semantic:')).length === 2);
    expect(figures('texts')['state=embedded']).equal(2);
    expect(gateway.log.having('further tools are found by words only', 'warn')).length(1);
  });

  it('neither delays a start nor a search while the address hangs, and stops in the middle of it', async () => {
    meanings.pause();
    await start(at({ waitMs: 50 }));
    await until(() => meanings.requests('/v1/embeddings') > 0);
    expect((await search('send a mail'))[0]).equal('mail_send');
    const began = performance.now();
    await gateway.stop();
    expect(performance.now() - began).below(4_000);
    meanings.resume();
  });

  it('answers by words when the vector of a query is late, and has it for the next search', async () => {
    await start(at({ waitMs: 100 }));
    await embedded(3);
    meanings.pause();
    expect(await search()).deep.equal([]);
    meanings.resume();
    await until(() => meanings.texts().includes(QUERY));
    await until(async () => (await search())[0] === 'invoice_create');
    expect(meanings.texts().filter((text) => text === QUERY)).length(1);
    expect(figures('searches')['outcome=late']).at.least(1);
  });

  it('tries again after failures, says so once, and answers by words meanwhile', async () => {
    meanings.fail(503);
    await start(at({ retryMs: 10 }));
    await until(() => meanings.requests('/v1/embeddings') > 2);
    expect(await search('mail')).deep.equal(['mail_send']);
    const warned = gateway.log.having('tools cannot be embedded', 'warn');
    expect(warned.map(({ data }) => data['reason'])).deep.equal([
      `${new URL(meanings.url).host} answers 503`,
    ]);
    meanings.resume();
    await embedded(3);
    expect((await search())[0]).equal('invoice_create');
  });

  it('passes over vectors of another length than that of the query', async () => {
    await start(at());
    await embedded(3);
    meanings.lengthen(4);
    expect(await search()).deep.equal([]);
    expect(await search('mail')).deep.equal(['mail_send']);
  });

  it('refuses private addresses unless they are allowed', async () => {
    const url = 'https://localhost:1/v1/embeddings';
    await start({ url, model: 'm', retryMs: 10 });
    const { data } = await gateway.log.heard('tools cannot be embedded');
    expect(data['reason']).equal('localhost:1 has a private or internal address');
  });

  it('works with a model in a folder, in a thread of its own', async () => {
    await start({ folder: 'model', waitMs: 5_000 }, { ...modelFiles('model'), ...runtimeFiles() });
    await embedded(3);
    expect((await search())[0]).equal('invoice_create');
    expect((await search('a Letter to Ada'))[0]).equal('mail_send');
    expect((await search(`umbrella${' thing'.repeat(300)}`))[0]).equal('forecast_get');
  });

  it('says what to install when a model in a folder cannot be computed', async () => {
    await start({ folder: 'model', retryMs: 10 }, modelFiles('model'));
    const { data } = await gateway.log.heard('tools cannot be embedded');
    expect(data['reason']).equal(
      `a local model needs onnxruntime-node or onnxruntime-web, of which none is installed; install one: npm install --prefix ${gateway.directory.path} onnxruntime-node`,
    );
    expect(await search('mail')).deep.equal(['mail_send']);
  });

  it('says what is wrong with a model that does not load, and tries again', async () => {
    const files = { ...modelFiles('model'), ...runtimeFiles() };
    await start({ folder: 'model', retryMs: 10 }, { ...files, 'model/model.onnx': 'no' });
    const { data } = await gateway.log.heard('tools cannot be embedded');
    expect(data['reason']).match(/JSON/);
    gateway.directory.write('model/model.onnx', files['model/model.onnx'] ?? '');
    await embedded(3);
  });

  it('is refused with what to write when its address is wrong', async () => {
    await start(undefined);
    const messages = async (config: JsonObject): Promise<readonly string[]> => {
      gateway.directory.write('config.yaml', configOf(config));
      const { issues } = await gateway.pipeline.reload();
      return issues.map(({ severity, message }) => `${severity} ${message}`);
    };
    expect(await messages({})).match(/error .*url or folder is missing: write the address/);
    expect(await messages({ url: 'https://a.example/v1/embeddings' })).match(/error .*url needs model/);
    expect(await messages({ url: 'http://a.example/v1/embeddings', model: 'm' })).match(
      /error .*url must begin with https:/,
    );
    expect(await messages({ url: 'https://a.example/', model: 'm', folder: 'a' })).match(
      /error .*exclude each other/,
    );
    expect(await messages({ url: 'https://me:word@a.example/', model: 'm' })).match(
      /error .*must not have a user/,
    );
    expect(await messages({ url: 'http://10.0.0.1/', model: 'm', allowPrivateIP: true })).match(
      /warning .*can be read on the way/,
    );
  });
});

describe('search-semantic: pegboard check', () => {
  const reviewed = async (config: JsonObject, isOnline = false): Promise<readonly string[]> => {
    const facts = {
      config: validate(plugin.configSchema, config).value,
      settings: { aggregator: {} },
      env: { ADDRESS: 'http://a.example/v1/embeddings' },
      directory: '/nowhere',
      isOnline,
    };
    const findings = await plugin.review?.(facts as unknown as ReviewFacts<unknown>);
    return (findings ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
  };

  it('names references that cannot be filled, and looks at what they are filled with', async () => {
    expect(await reviewed({ url: 'https://a.example/', model: 'm', apiKey: '${env:NOT_SET}' })).deep.equal([
      'apiKey: apiKey names the environment variable NOT_SET, which is not set; set it and restart Pegboard',
    ]);
    expect(await reviewed({ url: '${env:ADDRESS}', model: 'm' })).deep.equal([
      'url: url must begin with https://; for a private address set allowPrivateIP: true',
    ]);
  });

  it('looks for the files of a local model, and for what computes it', async () => {
    const { path } = makeDirectory({ 'empty/.keep': '', 'half/model.onnx': '', ...modelFiles('whole') });
    const about = async (folder: string): Promise<readonly string[]> =>
      reviewed({ folder: join(path, folder) });
    expect((await about('empty'))[0]).include('empty has no model.onnx; a folder has model.onnx');
    expect((await about('half'))[0]).include('half has no tokenizer.json');
    expect(await about('whole')).deep.equal([
      'folder: a local model needs onnxruntime-node or onnxruntime-web, of which none is installed; install one: npm install --prefix /nowhere onnxruntime-node',
    ]);
  });

  it('asks for one vector with --online', async () => {
    const meanings = await startMeanings();
    const config = { url: meanings.embeddings, model: 'm', allowPrivateIP: true };
    expect(await reviewed(config)).deep.equal([]);
    expect(meanings.asked).length(0);
    expect(await reviewed(config, true)).deep.equal([]);
    expect(meanings.texts()).deep.equal(['hello']);
    meanings.fail(401);
    expect(await reviewed(config, true)).deep.equal([`url: ${new URL(meanings.url).host} answers 401`]);
  });
});
