import { expect } from 'chai';
import type { JsonObject, KernelEvent } from '../../../kernel/index.ts';
import { readTime } from '../../../plugins/kit/text/readTime.ts';
import { askCore, callCore } from '../../support/coreTools.ts';
import { makeDirectory } from '../../support/directory.ts';
import type { Directory } from '../../support/directory.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway } from '../../support/gateway.ts';
import { refusalOf } from '../../support/kernel.ts';
import { until } from '../../support/until.ts';
import { Vault } from '../../../plugins/contracts/vault.ts';

const BOTH = ['core-events', 'vault-file'];

function boot(config = '{}', directory: Directory = makeDirectory({}), builtIns = BOTH): Promise<Gateway> {
  directory.write('config.yaml', `plugins: { core-events: { config: ${config} } }\n`);
  return bootGateway({ directory, builtIns });
}
function tell({ kernel }: Gateway, name: string, more: JsonObject = {}): void {
  const event: KernelEvent<'server.failed'> = {
    type: 'server.failed',
    reason: 'MCPServerFailed',
    server: name,
    message: `MCPServer ${name} operation failed`,
    severity: 'Warning',
    ...more,
  };
  kernel.emit(event);
}
async function events(gateway: Gateway, args: JsonObject = {}): Promise<JsonObject[]> {
  return (await askCore(gateway, 'core_events', args)) as unknown as JsonObject[];
}
async function names(gateway: Gateway, args: JsonObject = {}): Promise<unknown[]> {
  return (await events(gateway, args)).map((event) => event['resource_name']);
}

describe('plugins/core-events', () => {
  it('answers events newest first with every field, as text and as structured content', async () => {
    const gateway = await boot();
    expect((await callCore(gateway, 'core_events')).content).to.deep.equal([{ type: 'text', text: '[]' }]);
    tell(gateway, 'a');
    const step: KernelEvent<'workflow.stepStarted'> & JsonObject = {
      type: 'workflow.stepStarted',
      reason: 'WorkflowStepStarted',
      workflow: 'w',
      message: 'Workflow w step s started (tool: t)',
      severity: 'Normal',
      step: 's',
      ms: 4,
      hidden: { password: 'x' },
    };
    gateway.kernel.emit(step);
    const result = await callCore(gateway, 'core_events');
    const shown = JSON.parse(String(result.content[0]?.['text'])) as JsonObject[];
    expect(result.structuredContent).to.deep.equal({
      events: shown,
      total: 2,
      limit: 50,
      offset: 0,
      has_more: false,
    });
    const [{ id, timestamp, ...newest } = {}, { timestamp: older } = {}] = shown;
    expect(newest).to.deep.equal({
      type: 'Normal',
      reason: 'WorkflowStepStarted',
      message: 'Workflow w step s started (tool: t)',
      resource_type: 'Workflow',
      resource_name: 'w',
      namespace: 'default',
      details: { step: 's', ms: 4 },
    });
    expect(id).to.match(/^\d{13}-\d{6}$/);
    expect(new Date(String(timestamp)).toISOString()).to.equal(timestamp);
    expect(older).to.be.a('string');
  });

  it('leaves out events that are not for people, and cuts long messages', async () => {
    const gateway = await boot('{ maxMessageChars: 100 }');
    gateway.kernel.emit({ type: 'server.connected', server: 'a', tools: 3, refusedTools: 0, ms: 1 });
    // An event of a third party, about neither a server nor a workflow.
    gateway.kernel.emit({ type: 'x.happened', reason: 'X', message: 'about nothing' } as never);
    tell(gateway, 'a', { message: 'x'.repeat(500) });
    const shown = await events(gateway);
    expect(shown.map(({ message }) => message)).to.deep.equal([`${'x'.repeat(100)}…`]);
  });

  it('filters by kind, name, namespace, weight, reason and time, and pages', async () => {
    const gateway = await boot();
    tell(gateway, 'a');
    tell(gateway, 'b', { severity: 'Normal', reason: 'MCPServerStarted' });
    tell(gateway, 'c', { server: undefined, workflow: 'c' });
    expect(await names(gateway, { resourceType: 'MCPServer' })).to.deep.equal(['b', 'a']);
    expect(await names(gateway, { resourceName: 'b' })).to.deep.equal(['b']);
    expect(await names(gateway, { namespace: 'default' })).to.have.length(3);
    expect(await names(gateway, { namespace: 'other' })).to.deep.equal([]);
    expect(await names(gateway, { eventType: 'Warning' })).to.deep.equal(['c', 'a']);
    expect(await names(gateway, { reason: 'MCPServerStarted', resourceType: '' })).to.deep.equal(['b']);
    expect(await names(gateway, { since: '1h' })).to.have.length(3);
    expect(await names(gateway, { until: '1h' })).to.deep.equal([]);
    expect(await names(gateway, { since: '2999-01-01' })).to.deep.equal([]);
    expect(await names(gateway, { limit: 1, offset: 1 })).to.deep.equal(['b']);
    const { structuredContent } = await callCore(gateway, 'core_events', { limit: 2 });
    expect(structuredContent).to.include({ total: 3, limit: 2, has_more: true });
  });

  it('refuses arguments by field, rule and value', async () => {
    const gateway = await boot();
    const refused = async (args: JsonObject): Promise<string> =>
      (await refusalOf(() => askCore(gateway, 'core_events', args))).message;
    expect(await refused({ since: 'soon' })).to.contain(
      "Invalid 'since' time format: unsupported time format 'soon'. Supported formats: 1h30m",
    );
    expect(await refused({ until: '2026-13-01' })).to.contain("Invalid 'until' time format");
    expect(await refused({ limit: 0 })).to.contain('limit must be at least 1 (minimum), not 0');
    expect(await refused({ eventType: 'Bad' })).to.contain(
      'eventType must be one of the enum values "Normal", "Warning", not "Bad"',
    );
    expect(await refused({ follow: true })).to.contain('follow needs a client with a session');
    expect(await events(gateway, { follow: false })).to.deep.equal([]);
    expect(await refused({ resourcename: 'a' })).to.contain('did you mean "resourceName"?');
  });

  it('keeps no more than the ring in memory, and everything in the vault, over a restart', async () => {
    const config = '{ ringEntries: 3, chunkEntries: 2, writeAfterMs: 60000 }';
    const gateway = await boot(config);
    for (let at = 0; at < 20; at += 1) tell(gateway, `s${at}`);
    expect(await names(gateway)).to.deep.equal(['s19', 's18', 's17']);
    await gateway.stop();
    const again = await boot(config, gateway.directory);
    expect(await names(again)).to.deep.equal(Array.from({ length: 20 }, (_, at) => `s${19 - at}`));
    tell(again, 'new');
    expect(await names(again, { limit: 3 })).to.deep.equal(['new', 's19', 's18']);
    expect(await names(again, { offset: 18 })).to.deep.equal(['s2', 's1', 's0']);
  });

  it('drops the oldest when the vault holds enough', async () => {
    const gateway = await boot('{ ringEntries: 1, keptEntries: 4, chunkEntries: 2, writeAfterMs: 60000 }');
    for (let at = 0; at < 10; at += 1) tell(gateway, `s${at}`);
    await gateway.stop();
    const again = await boot('{ ringEntries: 1 }', gateway.directory);
    expect(await names(again)).to.deep.equal(['s9', 's8', 's7', 's6']);
  });

  it('writes pending events within a writeAfterMs that is lowered live', async () => {
    const gateway = await boot('{ writeAfterMs: 60000 }');
    const [vault] = gateway.kernel.registry.all(Vault.id) as readonly Vault[];
    tell(gateway, 'a');
    expect(await vault?.list('event:')).to.deep.equal([]);
    gateway.directory.write('config.yaml', 'plugins: { core-events: { config: { writeAfterMs: 0 } } }\n');
    await gateway.pipeline.reload();
    await until(async () => (await vault?.list('event:'))?.length === 1, { what: 'the event is written' });
  });

  it('keeps events in memory without a vault, and accepts a new configuration without losing any', async () => {
    const gateway = await boot('{}', makeDirectory({}), ['core-events']);
    tell(gateway, 'a');
    gateway.directory.write('config.yaml', 'plugins: { core-events: { config: { keptDays: 2 } } }\n');
    expect((await gateway.pipeline.reload()).actions).to.deep.equal({ 'core-events': 'reload' });
    expect(await names(gateway)).to.deep.equal(['a']);
  });
});

describe('plugins/core-events: times', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');
  const read = (text: string): string => new Date(readTime('since', text, now)).toISOString();

  it('are durations back from now, RFC 3339, and dates in UTC', () => {
    expect(read('1h30m')).to.equal('2026-01-31T10:30:00.000Z');
    expect(read('1.5s')).to.equal('2026-01-31T11:59:58.500Z');
    expect(read('2026-01-30T12:00:00+02:00')).to.equal('2026-01-30T10:00:00.000Z');
    expect(read('2026-01-30')).to.equal('2026-01-30T00:00:00.000Z');
    expect(read('2026-01-30 01:02:03')).to.equal('2026-01-30T01:02:03.000Z');
  });
});
