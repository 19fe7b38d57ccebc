import { expect } from 'chai';
import { TopTools } from '../../../../plugins/metrics/calls/topTools.ts';
import { valuesOf } from '../../../support/metrics.ts';

function calls(tools: TopTools, tool: string, times: number, server = 'git'): void {
  for (let at = 0; at < times; at += 1)
    tools.add({ labels: { tool, kind: 'tool', server }, outcome: 'ok', seconds: 0.5, bytes: 10 });
}
function callsOf(tools: TopTools): Readonly<Record<string, number>> {
  const values = Object.entries(valuesOf(tools.metrics, 'pegboard.tool.calls'));
  return Object.fromEntries(values.map(([labels, value]) => [/tool=(\S+)/.exec(labels)?.[1] ?? '', value]));
}

describe('tools with series of their own', () => {
  let max: number;
  let tools: TopTools;
  beforeEach(() => {
    max = 2;
    tools = new TopTools(() => max);
  });

  it('are as many as the configuration allows; all others are counted together', () => {
    for (const tool of ['a', 'b', 'c', 'd']) calls(tools, tool, 1);
    expect(callsOf(tools)).deep.equal({ a: 1, b: 1, other: 2 });
  });

  it('are those with the most calls, whenever they were called first', () => {
    for (const tool of ['a', 'b', 'late']) calls(tools, tool, 2);
    calls(tools, 'late', 100);
    expect(callsOf(tools)['late']).above(90);
  });

  it('do not take turns: one that has taken a place keeps it against fewer calls', () => {
    max = 1;
    calls(tools, 'early', 4);
    calls(tools, 'top', 16);
    calls(tools, 'early', 12);
    expect(callsOf(tools)).include.keys('top').and.not.include.keys('early');
  });

  it('never fall, and lose no call: one that returns continues where it was', () => {
    max = 1;
    const highest: Record<string, number> = {};
    let made = 0;
    for (let round = 1; round <= 12; round += 1) {
      const times = 2 ** round;
      calls(tools, round % 2 === 0 ? 'even' : 'odd', times);
      made += times;
      const now = callsOf(tools);
      for (const [tool, value] of Object.entries(now)) {
        expect(value, tool).least(highest[tool] ?? 0);
        highest[tool] = value;
      }
    }
    expect(Object.keys(highest)).members(['even', 'odd', 'other']);
    expect(Object.values(highest).reduce((sum, one) => sum + one, 0)).equal(made);
  });

  it('become fewer with the configuration', () => {
    calls(tools, 'a', 3);
    calls(tools, 'b', 1);
    max = 1;
    expect(callsOf(tools)).deep.equal({ a: 3 });
  });

  it('end with their server', () => {
    calls(tools, 'a', 1, 'gone');
    calls(tools, 'b', 1, 'stays');
    tools.forget('gone');
    expect(callsOf(tools)).deep.equal({ b: 1 });
  });

  it('add up time and results', () => {
    calls(tools, 'a', 2);
    expect(valuesOf(tools.metrics, 'pegboard.tool.time')).include({ 'tool=a kind=tool server=git': 1 });
    expect(valuesOf(tools.metrics, 'pegboard.tool.result.size')).include({
      'tool=a kind=tool server=git': 20,
    });
  });
});
