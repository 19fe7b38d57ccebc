import { closeSync, openSync, utimesSync, writeSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { ConfigControl, STAGE, definePlugin } from '../../../kernel/index.ts';
import { UnfinishedFiles, waitMsOf } from '../../../plugins/live-reload/unfinishedFiles.ts';
import { defer } from '../../support/cleanup.ts';
import type { Files } from '../../support/directory.ts';
import { composeGateway, moduleOf } from '../../support/gateway.ts';

const CONFIG = `# ours
aggregator:
  logLevel: info
namespace: default
plugins:
  limits: false
  deny:
    config:
      tools:
        - x_secret_*
`;
const SERVER = `# ours
type: stdio
command: [node, server.js]
env:
  A: '1'
  B: '2'
timeout: 9
`;
const WORKFLOW = `description: echoes
steps:
  - id: one
    tool: echo
    args: { text: a }
  - id: two
    tool: echo
    args: { text: b }
`;
const CUT_MS = 5_000;
const UNSURE_MS = 2_000;

/** A gateway whose files are looked at when the test says so, with a clock of the test's own. */
async function watched(files: Files = {}) {
  const clock = { ms: 0 };
  const now = (): number => clock.ms;
  const looks: UnfinishedFiles[] = [];
  const looker = definePlugin({
    name: 'looker',
    api: 1,
    configSchema: { type: 'object', additionalProperties: false },
    apply(scope) {
      const control = (): ConfigControl => scope.get(ConfigControl);
      const unfinished = new UnfinishedFiles(control, { log: gateway.log, signal: scope.signal }, now);
      looks.push(unfinished);
      scope.tap('onConfigLoad', (draft) => unfinished.sift(draft), STAGE.last);
      scope.onStart(() => control().hold((text) => unfinished.isHeld(text)));
    },
  });
  const gateway = await composeGateway({
    builtIns: ['store-file', 'core-mcpservers', 'workflow', 'deny', 'limits'],
    files: { 'config.yaml': CONFIG, 'looker.mjs': moduleOf(looker), ...files },
  });
  const { pipeline, directory } = gateway;
  pipeline.amend(() => ({ plugins: { looker: { module: './looker.mjs' } } }));
  await gateway.boot();
  const [unfinished] = looks as [UnfinishedFiles];
  const look = async (...names: readonly string[]): Promise<number | undefined> => {
    const before = pipeline.lastReport()?.generation;
    await unfinished.reload(names.map((name) => directory.at(name)));
    const after = pipeline.lastReport()?.generation;
    return after === before ? undefined : after;
  };
  const wait = async (ms: number): Promise<number | undefined> => {
    clock.ms += ms;
    return look();
  };
  return { ...gateway, look, wait, unfinished, denied: () => pipeline.settings().plugins['deny'] };
}
/** Opens a file for writing, which empties it, and writes pieces of a text when the test says so. */
function rewriting(file: string) {
  const handle = openSync(file, 'w');
  defer(() => closeSync(handle));
  return (piece: string): void => void writeSync(handle, piece);
}
function linesOf(text: string): string[] {
  return text.match(/.*\n/g) ?? [];
}
const DENY = { config: { tools: ['x_secret_*'] } };

describe('UnfinishedFiles', () => {
  for (const [what, text, step] of [
    ['the same text', CONFIG, linesOf],
    ['an edited text', CONFIG.replace('info', 'debug').replace('ours', 'mine'), linesOf],
    [
      'an edited text, cut within lines',
      CONFIG.replace('info', 'debug'),
      (all: string) => all.match(/[^]{7}|[^]+$/g) ?? [],
    ],
    ['a longer text', CONFIG.replace('# ours\n', '# ours\n# theirs\n'.repeat(20)), linesOf],
  ] as const)
    it(`keeps what config.yaml denies at its end while it is rewritten piece by piece with ${what}`, async () => {
      const { directory, look, wait, pipeline, denied, log } = await watched();
      const write = rewriting(directory.at('config.yaml'));
      for (const piece of step(text)) {
        write(piece);
        await look('config.yaml');
        await wait(UNSURE_MS - 1);
        expect(denied(), piece).to.deep.equal(DENY);
        await pipeline.reload();
        expect(denied(), `${piece} and another reload`).to.deep.equal(DENY);
      }
      await wait(CUT_MS);
      expect(denied()).to.deep.equal(DENY);
      expect(pipeline.settings().aggregator.logLevel).to.equal(text.includes('debug') ? 'debug' : 'info');
      expect(pipeline.lastReport()).to.deep.include({ applied: true, issues: [] });
      expect(log.having('looks cut')).to.deep.equal([]);
    });

  for (const [kind, file, text] of [
    ['MCPServer', 'mcpservers/one.yaml', SERVER],
    [
      'MCPServer',
      'mcpservers/one.yaml',
      `apiVersion: pegboard.dev/v1alpha1\nkind: MCPServer\nspec: ${JSON.stringify({ type: 'stdio', command: ['a'] }, null, 2)}\n`,
    ],
    ['Workflow', 'workflows/one.yaml', WORKFLOW],
  ] as const)
    it(`changes nothing while a definition is rewritten line by line with the same text: ${kind} in ${text.split('\n')[0] ?? ''}`, async () => {
      const { directory, look, pipeline, log } = await watched({
        [file]: text,
        'mcpservers/two.yaml': SERVER,
      });
      const [before] = pipeline.resources(kind);
      expect(before?.name).to.equal('one');
      const write = rewriting(directory.at(file));
      let at = 0;
      await look(file);
      for (const line of linesOf(text)) {
        write(line);
        await look(file);
        directory.replace('mcpservers/two.yaml', SERVER.replace('9', String(10 + (at += 1))));
        await look('mcpservers/two.yaml');
        expect(pipeline.resources(kind).find(({ name }) => name === 'one')?.spec, line).to.deep.equal(
          before?.spec,
        );
        expect(pipeline.lastReport()?.diff.changed, line).to.deep.equal(['MCPServer/two']);
      }
      expect(log.having('', 'error')).to.deep.equal([]);
      expect((await pipeline.reload()).issues).to.deep.equal([]);
    });

  it('reports what it keeps in a reload for another reason', async () => {
    const { directory, look, pipeline } = await watched({ 'mcpservers/one.yaml': SERVER });
    directory.write('mcpservers/one.yaml', SERVER.slice(0, 40));
    directory.write('config.yaml', CONFIG.slice(0, 40));
    expect(await look('mcpservers/one.yaml', 'config.yaml')).to.equal(undefined);
    const { applied, issues } = await pipeline.reload();
    expect(applied).to.equal(false);
    expect(issues.map(({ severity, message }) => `${severity} ${message}`)).to.deep.equal([
      'error config.yaml may be half written; until it is whole, its last settings stay',
      'warning MCPServer one: its file may be half written; until it is whole, the last version stays',
    ]);
  });

  it('keeps the last versions in a reload for another reason that comes before the first look', async () => {
    const { directory, look, wait, pipeline, denied } = await watched({ 'mcpservers/one.yaml': SERVER });
    const [before] = pipeline.resources('MCPServer');
    for (const [config, server] of [
      ['', ''],
      [CONFIG.slice(0, CONFIG.indexOf('  deny:')), SERVER.slice(0, SERVER.indexOf('timeout:'))],
    ] as const) {
      directory.write('config.yaml', config);
      directory.write('mcpservers/one.yaml', server);
      expect((await pipeline.reload()).applied).to.equal(false);
      expect(denied()).to.deep.equal(DENY);
      expect(pipeline.resources('MCPServer')).to.deep.equal([before]);
    }
    expect(await look('config.yaml', 'mcpservers/one.yaml')).to.equal(undefined);
    await wait(CUT_MS);
    expect(denied()).to.equal(undefined);
    expect(pipeline.resources('MCPServer')[0]?.spec).to.not.deep.equal(before?.spec);
  });

  for (const [file, text, short] of [
    ['config.yaml', CONFIG, CONFIG.slice(0, CONFIG.indexOf('  deny:'))],
    ['mcpservers/one.yaml', SERVER, SERVER.slice(0, SERVER.indexOf('timeout:'))],
  ] as const)
    it(`reads ${file} without its last lines after 5 s, with a warning`, async () => {
      const { directory, look, wait, log } = await watched({ 'mcpservers/one.yaml': SERVER, [file]: text });
      directory.write(file, short);
      expect(await look(file)).to.equal(undefined);
      expect(await wait(CUT_MS - 1)).to.equal(undefined);
      expect(log.having('may be half written', 'info').map(({ data }) => data)).to.deep.equal([
        { file: directory.at(file) },
      ]);
      expect(await wait(1)).to.equal(2);
      expect(log.having('looks cut', 'warn').map(({ data }) => data)).to.deep.equal([
        { file: directory.at(file) },
      ]);
      expect(await wait(CUT_MS)).to.equal(undefined);
    });

  it('waits anew after each change', async () => {
    const { directory, look, wait } = await watched();
    for (const length of [20, 30, 40, 50]) {
      directory.write('config.yaml', CONFIG.slice(0, length));
      expect(await look('config.yaml')).to.equal(undefined);
      expect(await wait(CUT_MS - 1)).to.equal(undefined);
    }
  });

  it('reads a replaced, appended, removed or new file at once', async () => {
    const { directory, look, wait, unfinished } = await watched({ 'mcpservers/one.yaml': SERVER });
    const edits: readonly (() => string)[] = [
      () => (directory.write('config.yaml', CONFIG.replace('ours', 'mine')), 'config.yaml'),
      () => (directory.replace('config.yaml', CONFIG.replace('info', 'debug')), 'config.yaml'),
      () => (directory.write('config.yaml', CONFIG.replace('info', 'warn')), 'config.yaml'),
      () => (directory.write('config.yaml', `${CONFIG}      servers: [internal]\n`), 'config.yaml'),
      () => (directory.write('mcpservers/two.yaml', 'type: stdio\ncommand: [a]'), 'mcpservers/two.yaml'),
      () => (directory.remove('mcpservers/one.yaml'), 'mcpservers/one.yaml'),
      () => (directory.remove('mcpservers/two.yaml'), 'mcpservers/two.yaml'),
    ];
    await wait(CUT_MS);
    for (const [at, edit] of edits.entries()) {
      await wait(CUT_MS);
      if (at === 0) {
        // The watcher may look while a single write has emptied the file.
        directory.write('config.yaml', '');
        await look('config.yaml');
      }
      const file = edit();
      expect(await look(file), `edit ${at}`).to.equal(at + 2);
    }
    expect(unfinished.isWaiting).to.equal(false);
  });

  it('reads a shorter text with another end 2 s after it was written, and at once if its times were set after that', async () => {
    const { directory, look, wait } = await watched();
    const [shorter, unended] = ['plugins:\n  deny: false\n', CONFIG.replace('info', 'warn').trimEnd()];
    for (const [at, text] of [shorter, CONFIG, unended, CONFIG].entries()) {
      directory.write('config.yaml', text);
      const isWhole = text === CONFIG;
      expect(await look('config.yaml'), text).to.equal(isWhole ? at + 2 : undefined);
      expect(await wait(UNSURE_MS - 1), text).to.equal(undefined);
      expect(await wait(1), text).to.equal(isWhole ? undefined : at + 2);
      await wait(CUT_MS);
    }
    directory.write('config.yaml', shorter);
    utimesSync(directory.at('config.yaml'), 1, 1);
    expect(await look('config.yaml')).to.equal(6);
  });

  it('reads another text in a reload for another reason, although the file waited', async () => {
    const { directory, look, pipeline } = await watched();
    for (const [at, cut] of ['', CONFIG.slice(0, 40)].entries()) {
      directory.write('config.yaml', cut);
      expect(await look('config.yaml')).to.equal(undefined);
      const text = CONFIG.replace('ours', `mine ${at}`).replace('info', at === 0 ? 'warn' : 'debug');
      directory.write('config.yaml', text);
      expect((await pipeline.reload()).issues).to.deep.equal([]);
      expect(pipeline.text).to.equal(text);
    }
  });

  it('lets nothing wait that is not YAML, such as a log that grows beside config.yaml', async () => {
    const { directory, look, unfinished, log } = await watched({ 'gateway.log': 'a\n' });
    const write = rewriting(directory.at('gateway.log'));
    for (const line of ['a\n', 'b', 'c\n']) {
      write(line);
      expect(await look('gateway.log'), line).to.be.a('number');
    }
    expect(unfinished.isWaiting).to.equal(false);
    expect(log.having('half written')).to.deep.equal([]);
  });

  it('reads what our own tools write at once, although the file waits', async () => {
    const { directory, look, pipeline } = await watched({ 'mcpservers/one.yaml': SERVER });
    directory.write('mcpservers/one.yaml', SERVER.slice(0, 40));
    expect(await look('mcpservers/one.yaml')).to.equal(undefined);
    directory.replace('mcpservers/one.yaml', SERVER.slice(0, SERVER.indexOf('env:')));
    expect((await pipeline.reload()).diff.changed).to.deep.equal(['MCPServer/one']);
    expect(await look('mcpservers/one.yaml')).to.equal(3);
  });

  it('holds back every proper prefix of every text, and no change of its spaces at the end', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    fc.assert(
      fc.property(text, fc.nat(), fc.boolean(), (whole, at, isInPlace) => {
        const part = whole.slice(0, at % (whole.length + 1));
        const isSame = part.trimEnd() === whole.trimEnd();
        expect(waitMsOf(part, whole, isInPlace)).to.equal(isSame ? 0 : CUT_MS);
      }),
    );
  });
});
