import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { STAGE, definePlugin, textResult } from '../../../kernel/index.ts';
import { callerKey } from '../../../plugins/kit/authority/ownerOf.ts';
import type { JsonObject } from '../../../kernel/index.ts';
import type { Line } from '../../../plugins/audit/line.ts';
import type { Verification } from '../../../plugins/audit/verifyTrail.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { listenerUrl, toolsPlugin } from '../../support/edge.ts';
import { review } from '../../support/reviewed.ts';
import { bootGateway, composeGateway, moduleOf } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { toolOf } from '../../support/kernel.ts';
import { until } from '../../support/until.ts';

const BUILT_INS = [
  ...[
    'http',
    'front',
    'transport-http',
    'metatools',
    'toolsets',
    'store-file',
    'core-mcpservers',
    'workflow',
  ],
  ...['audit', 'limits', 'deny', 'vault-file'],
];
const SECRET = 'planted-secret-7f3a';

const hello = toolOf('x_a_hello', { server: 'a', invoke: () => textResult('hello') });
const failing = toolOf('x_a_fail', { server: 'a', invoke: () => textResult(`no ${SECRET}`, true) });
const throwing = toolOf('x_a_throw', {
  server: 'a',
  invoke: () => {
    throw new Error(`broken by ${SECRET}`);
  },
});
/** Returns the lines of the trail as they are while it runs. */
const reading = toolOf('x_a_read', {
  server: 'a',
  invoke: (args) => textResult(JSON.stringify(linesIn({ at: () => String(args['trail']) }))),
});
const identify = definePlugin({
  name: 'identify',
  api: 1,
  configSchema: { type: 'object' },
  apply: (scope) => {
    scope.tap(
      'onRequest',
      (request) => {
        request.caller = { subject: 'ada', issuer: 'test', claims: { token: SECRET } };
        return undefined;
      },
      STAGE.identify,
    );
    scope.tap('onCall', ({ tool }) => (tool.name === 'x_a_cached' ? textResult('kept') : undefined));
  },
});

function configText(audit: unknown, more: JsonObject = {}): string {
  const modules = { tools: { module: './tools.mjs' }, identify: { module: './identify.mjs' } };
  return JSON.stringify({ aggregator: { port: 0 }, plugins: { ...modules, audit, ...more } });
}
function directoryFor(audit: unknown, more: JsonObject = {}): Directory {
  const directory = makeDirectory({
    'config.yaml': configText(audit, more),
    'tools.mjs': moduleOf(toolsPlugin('tools', [hello, failing, throwing, reading, toolOf('x_a_cached')])),
    'identify.mjs': moduleOf(identify),
    'workflows/greet.yaml': 'steps: [{ id: one, tool: x_a_hello }]\n',
  });
  mkdirSync(directory.at('state'), { mode: 0o700 });
  return directory;
}
const boot = (directory: Directory): Promise<Gateway> => bootGateway({ directory, builtIns: BUILT_INS });

function linesIn({ at }: Pick<Directory, 'at'>, trail = 'state/audit'): Line[] {
  return readdirSync(at(trail))
    .sort()
    .flatMap((name) =>
      readFileSync(join(at(trail), name), 'utf8')
        .split('\n')
        .slice(0, -1),
    )
    .map((line) => JSON.parse(line) as Line);
}
const typesIn = (directory: Directory, trail?: string): string[] =>
  linesIn(directory, trail).map(({ event }) => event.type);

const connect = (gateway: Gateway): Promise<McpClient> => McpClient.connect(listenerUrl(gateway));
const call = (client: McpClient, name: string, args: JsonObject = {}): Promise<JsonObject> =>
  client.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args } });
async function verify(client: McpClient): Promise<Verification> {
  return (await call(client, 'core_audit_verify'))['structuredContent'] as Verification;
}

describe('audit on a running gateway', () => {
  let gateway: Gateway;
  let client: McpClient;
  let directory: Directory;
  /** Events of the calls that `run` makes, without those of call_tool itself. */
  const eventsOf = async (run: () => Promise<unknown>): Promise<Line['event'][]> => {
    const before = linesIn(directory).length;
    await run();
    const isOver = (): Line['event'][] | undefined => {
      const events = linesIn(directory)
        .slice(before)
        .map(({ event }) => event);
      return events.some(({ type, tool }) => type === 'ended' && tool === 'call_tool') ? events : undefined;
    };
    const events = await until(isOver, { what: 'call_tool has ended' });
    return events.filter(({ tool }) => tool !== undefined && tool !== 'call_tool');
  };
  before(async () => {
    directory = directoryFor(
      { config: { headMs: 10 } },
      {
        deny: { config: { tools: ['x_a_throw'] } },
        limits: { config: { tools: { x_a_fail: { callsPerMinute: 1, burst: 1 } } } },
      },
    );
    gateway = await boot(directory);
    client = await connect(gateway);
  });

  it('writes a line before a tool runs and one when it has ended', async () => {
    const [begun, ended, ...others] = await eventsOf(() => call(client, 'x_a_hello', { b: SECRET, a: [1] }));
    expect(others).deep.equal([]);
    expect(begun).include({ type: 'begun', tool: 'x_a_hello', server: 'a', kind: 'tool' });
    expect(begun).include({ caller: callerKey({ subject: 'ada', issuer: 'test' }), trace: null });
    for (const digest of ['arguments', 'catalogue', 'policy', 'session'])
      expect(begun?.[digest], digest).match(/^[0-9a-f]{64}$/);
    expect(ended).include({ type: 'ended', tool: 'x_a_hello', outcome: 'ok', call: begun?.['call'] });
  });

  it('has the lines of a tool and of call_tool in the file while the tool runs', async () => {
    let text = '';
    await eventsOf(async () => {
      const { content } = await call(client, 'x_a_read', { trail: directory.at('state/audit') });
      [{ text }] = content as [{ text: string }];
    });
    const [outer, inner] = (JSON.parse(text) as Line[]).map(({ event }) => event).slice(-2);
    expect(outer).include({ type: 'begun', tool: 'call_tool' });
    expect(inner).include({ type: 'begun', tool: 'x_a_read', parent: outer?.['call'] });
  });

  it('has one digest for equal arguments, whatever the order of their keys', async () => {
    const digestOf = async (args: JsonObject): Promise<unknown> =>
      (await eventsOf(() => call(client, 'x_a_hello', args)))[0]?.['arguments'];
    expect(await digestOf({ a: 1, b: { c: 2, d: 3 } })).equal(await digestOf({ b: { d: 3, c: 2 }, a: 1 }));
    expect(await digestOf({ a: 1 })).not.equal(await digestOf({ a: 2 }));
  });

  it('records a denied call under the requested name', async () => {
    const [refused, ...others] = await eventsOf(() => call(client, 'x_a_throw', { key: SECRET }));
    expect(others).deep.equal([]);
    expect(refused).include({ type: 'refused', call: null, tool: 'x_a_throw', outcome: 'TOOL_DENIED' });
    const [unknown] = await eventsOf(() => call(client, 'x_unknown_tool'));
    expect(unknown).include({ type: 'refused', tool: 'x_unknown_tool', outcome: 'TOOL_NOT_FOUND' });
    const [long] = await eventsOf(() => call(client, 'n'.repeat(100_000)));
    expect(long?.['tool']).match(/^sha256:[0-9a-f]{64}$/);
  });

  it('records calls that a limit refused, and results that are errors', async () => {
    const first = await eventsOf(() => call(client, 'x_a_fail'));
    expect(first.map(({ type, outcome }) => [type, outcome])).deep.equal([
      ['begun', undefined],
      ['ended', 'tool_error'],
    ]);
    const [second, ...others] = await eventsOf(() => call(client, 'x_a_fail'));
    expect(others).deep.equal([]);
    expect(second).include({ type: 'refused', tool: 'x_a_fail', outcome: 'LIMIT_EXCEEDED' });
    expect(second?.['call']).a('number');
  });

  it('records answers that another plugin gave in place of the tool', async () => {
    const events = await eventsOf(() => call(client, 'x_a_cached'));
    expect(events.map(({ type, outcome }) => [type, outcome])).deep.equal([['answered', 'ok']]);
  });

  it('names the parent call of each call: steps of a workflow', async () => {
    const events = await eventsOf(() => call(client, 'workflow_greet'));
    const [workflow, step] = events.filter(({ type }) => type === 'begun');
    expect(workflow).include({ tool: 'workflow_greet', kind: 'workflow' });
    expect(step).include({ tool: 'x_a_hello', parent: workflow?.['call'] });
  });

  it('records other digests after the settings and definitions changed', async () => {
    const policyOf = async (): Promise<unknown> =>
      (await eventsOf(() => call(client, 'x_a_hello')))[0]?.['policy'];
    const before = await policyOf();
    directory.write('config.yaml', configText({ config: { headMs: 10 } }));
    directory.write('workflows/other.yaml', 'steps: [{ id: one, tool: x_a_hello }]\n');
    const { actions } = await gateway.pipeline.reload();
    expect(actions).deep.equal({ deny: 'stop', limits: 'stop' });
    expect(await policyOf()).not.equal(before);
    const [former, latter] = linesIn(directory)
      .map(({ event }) => event)
      .filter(({ type }) => type === 'configured')
      .slice(-2);
    expect(former?.['policy']).equal(before);
    expect(latter?.['definitions']).not.equal(former?.['definitions']);
  });

  it('verifies itself', async () => {
    const found = await verify(client);
    expect(found).include({ ok: true, files: 1, fault_count: 0, unconfirmed_starts: 0 });
    expect(found.lines).above(20);
  });

  it('holds no argument, result, error text or claim', async () => {
    await call(client, 'x_a_throw', { key: SECRET });
    expect(JSON.stringify(linesIn(directory))).not.include(SECRET);
  });

  it('continues in another directory when configured, without losing a line', async () => {
    for (const name of ['elsewhere', 'audit', 'elsewhere']) {
      directory.write('config.yaml', configText({ config: { directory: `state/${name}`, headMs: 10 } }));
      const [{ actions }, ...results] = await Promise.all([
        gateway.pipeline.reload(),
        ...Array.from({ length: 20 }, () => call(client, 'x_a_hello')),
      ]);
      expect(actions).deep.equal({ audit: 'reload' });
      for (const result of results) expect(result).not.property('isError');
    }
    expect(typesIn(directory).slice(-2)).deep.equal(['stopped', 'checkpoint']);
    expect(typesIn(directory, 'state/elsewhere').slice(0, 2)).deep.equal(['started', 'checkpoint']);
    expect(await verify(client)).include({ ok: true });
  });

  it('ends with a closing line when it is switched off', async () => {
    directory.write('config.yaml', configText(false));
    await gateway.pipeline.reload();
    expect(typesIn(directory, 'state/elsewhere').slice(-2)).deep.equal(['stopped', 'checkpoint']);
    expect(await call(client, 'x_a_hello')).not.property('isError');
  });
});

describe('audit over restarts', () => {
  const edited = ({ at }: Directory, change: (lines: string[]) => string[]): void => {
    const [name = ''] = readdirSync(at('state/audit'));
    const file = at(`state/audit/${name}`);
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    writeFileSync(file, change(lines).join('\n') + '\n');
  };

  it('continues the chain', async () => {
    const directory = directoryFor({ config: { headMs: 10 } });
    await (await boot(directory)).stop();
    const count = linesIn(directory).length;
    const gateway = await boot(directory);
    expect(linesIn(directory)[count]?.event).include({ type: 'started', end: 'known' });
    expect(await verify(await connect(gateway))).include({ ok: true, files: 1 });
  });

  it('reports at the start that a tail was cut off, and never forgets it', async () => {
    const directory = directoryFor({ config: { headMs: 10 } });
    await (await boot(directory)).stop();
    edited(directory, (lines) => lines.slice(0, -1));
    const gateway = await boot(directory);
    expect(gateway.log.having('the audit trail is not as it was written', 'error')).length(1);
    const { faults } = await verify(await connect(gateway));
    expect(faults.map(({ what }) => what)).deep.equal(['missing', 'gap']);
    await gateway.stop();
    const later = await boot(directory);
    expect(await verify(await connect(later))).include({ ok: false, fault_count: 2 });
  });

  it('pegboard check names file and line of an edited line', async () => {
    const directory = directoryFor({ config: { headMs: 10 } });
    await (await boot(directory)).stop();
    edited(directory, (lines) =>
      lines.map((line, at) => (at === 1 ? line.replace('checkpoint', 'begun') : line)),
    );
    const { pipeline } = await composeGateway({ directory, builtIns: BUILT_INS });
    const [issue] = await pipeline.check(review);
    expect(issue).include({ severity: 'error', line: 1 });
    expect(issue?.message).match(/audit-000000000001\.jsonl:2: changed/);
  });
});

describe('audit without a disk', () => {
  /** A file in place of the trail's directory. */
  const block = ({ at, write }: Directory): void => {
    rmSync(at('state/audit'), { recursive: true, force: true });
    write('state/audit', '');
  };

  it('refuses calls that it cannot record, and continues with a gap once the disk works', async () => {
    const directory = directoryFor({ config: { headMs: 10 } });
    const gateway = await boot(directory);
    const client = await connect(gateway);
    expect(await call(client, 'x_a_hello')).not.property('isError');
    block(directory);
    const refusal = async (): Promise<JsonObject | undefined> => {
      const result = await call(client, 'x_a_hello');
      return result['isError'] === true ? result : undefined;
    };
    const refused = await until(refusal, { what: 'a call is refused' });
    expect(JSON.stringify(refused)).include('STORE_UNREACHABLE').include('cannot be written; check the disk');
    rmSync(directory.at('state/audit'));
    expect(await call(client, 'x_a_hello')).not.property('isError');
    expect(typesIn(directory).slice(0, 4)).deep.equal(['gap', 'reopened', 'checkpoint', 'lost']);
  });

  it('lets calls run with onFailure: continue, and logs that lines are missing', async () => {
    const directory = directoryFor({ config: { onFailure: 'continue', headMs: 10 } });
    block(directory);
    const gateway = await boot(directory);
    expect(await call(await connect(gateway), 'x_a_hello')).not.property('isError');
    expect(gateway.log.having('the audit trail cannot be opened; calls run without it', 'error')).length(1);
    expect(gateway.log.having('a line is missing in the audit trail', 'error')).not.empty;
  });

  it('does not start when it cannot write and calls would be refused', async () => {
    const directory = directoryFor({ config: { headMs: 10 } });
    block(directory);
    const failure = await boot(directory).catch((error: unknown) => error);
    expect(failure).instanceOf(Error);
  });
});
