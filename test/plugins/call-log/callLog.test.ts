import { expect } from 'chai';
import { GatewayError } from '../../../kernel/errors.ts';
import type { InboundRequest } from '../../../kernel/contracts/request.ts';
import { textResult } from '../../../kernel/lib/results.ts';
import type { Kernel } from '../../../kernel/kernel.ts';
import { plugin } from '../../../plugins/call-log/index.ts';
import { makeKernel, pluginOf, toolOf, wantedOf } from '../../support/kernel.ts';
import type { CapturedLog } from '../../support/log.ts';
import { factsOf } from '../../support/requests.ts';

const failing = new GatewayError('TOOL_DENIED', 'not today');
const tools = pluginOf('tools', (scope) => {
  scope.addTool(
    toolOf('call_tool', { kind: 'meta', invoke: (args, call) => call.child(String(args['name']), {}) }),
  );
  scope.addTool(toolOf('list_tools', { kind: 'meta' }));
  scope.addTool(toolOf('x_s_echo', { server: 's' }));
  scope.addTool(toolOf('x_s_fail', { server: 's', invoke: () => Promise.reject(failing) }));
  scope.addTool(
    toolOf('workflow_w', {
      kind: 'workflow',
      invoke: async (_, call) => {
        await call.child('x_s_echo', {});
        return textResult('done');
      },
    }),
  );
});

describe('plugins/call-log', () => {
  let kernel: Kernel;
  let log: CapturedLog;
  let request: InboundRequest;

  const configure = (slowMs: number) => kernel.move(wantedOf(tools, [plugin, { slowMs }]));
  const call = (name: string): Promise<unknown> =>
    kernel.calls.call('call_tool', { name }, request).catch((error: unknown) => error);
  /** Text, tool, server and outcome of the lines so far. */
  const lines = (): readonly unknown[] =>
    log.records
      .filter(({ text }) => text.includes('call'))
      .map(({ level, text, data }) => [level, text, data['tool'], data['server'], data['outcome']]);

  beforeEach(async () => {
    ({ kernel, log } = makeKernel());
    // Every call takes longer than this.
    await configure(Number.MIN_VALUE);
    request = (await kernel.gate.open(factsOf())) as InboundRequest;
  });

  it('has one line for a slow call, with tool, server, time, outcome and request', async () => {
    await call('x_s_echo');
    expect(lines()).to.deep.equal([['info', 'slow call', 'x_s_echo', 's', 'ok']]);
    const [line] = log.having('slow call');
    expect(line?.data['request']).to.equal(request.id);
    expect(line?.data['ms']).to.be.a('number');
  });

  it('has a line for each slow step of a workflow and for the run, joined by their request', async () => {
    await call('workflow_w');
    const told = log.having('slow call');
    expect(told.map(({ data }) => data['tool'])).to.deep.equal(['x_s_echo', 'workflow_w']);
    expect(new Set(told.map(({ data }) => data['request']))).to.deep.equal(new Set([request.id]));
  });

  it('has a line for a slow meta-tool that calls no other, and for a slow failure with its code', async () => {
    await kernel.calls.call('list_tools', {}, request);
    await call('x_s_fail');
    expect(lines()).to.deep.equal([
      ['info', 'slow call', 'list_tools', undefined, 'ok'],
      ['info', 'slow call', 'x_s_fail', 's', 'error'],
    ]);
    expect(log.having('slow call')[1]?.data['code']).to.equal('TOOL_DENIED');
  });

  it('has calls that are not slow, and refused ones, at the level debug only', async () => {
    await configure(60_000);
    await call('x_s_echo');
    await call('x_s_none');
    expect(lines()).to.deep.equal([
      ['debug', 'call', 'x_s_echo', 's', 'ok'],
      ['debug', 'call refused', 'x_s_none', undefined, undefined],
      ['debug', 'call', 'call_tool', undefined, 'error'],
    ]);
    expect(log.having('call refused')[0]?.data).to.include({ code: 'TOOL_NOT_FOUND', request: request.id });
  });

  it('has no slow calls with slowMs: 0', async () => {
    await configure(0);
    await call('x_s_echo');
    expect(log.having('slow call')).to.deep.equal([]);
  });
});
