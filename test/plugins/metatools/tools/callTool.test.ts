import { expect } from 'chai';
import { GatewayError } from '../../../../kernel/errors.ts';
import { rawResult, resultOf, textResult } from '../../../../kernel/lib/results.ts';
import { Cancellation } from '../../../../kernel/lib/cancellation.ts';
import { refusalOf, toolOf } from '../../../support/kernel.ts';
import { boardOf, firstText } from '../board.ts';
import type { Board } from '../board.ts';

const RAW =
  '{"content":[{"type":"new","x":1.0}],"structuredContent":{"n":12345678901234567890},"_meta":{"a":1},"odd":true}';
const IMAGE = { type: 'image', mimeType: 'image/png', data: 'QUJD' };
const TOOLS = [
  toolOf('x_a_raw', { invoke: () => rawResult(RAW) }),
  toolOf('x_a_echo', { invoke: (args) => textResult(JSON.stringify(args)) }),
  toolOf('x_a_fails', {
    invoke: () => {
      throw new GatewayError('UPSTREAM_UNREACHABLE', 'server a is away');
    },
  }),
  toolOf('x_a_broken', {
    invoke: () => {
      throw new Error('stack');
    },
  }),
  toolOf('x_a_image', {
    invoke: () => resultOf({ content: [IMAGE], structuredContent: { a: 1 }, isError: true }),
  }),
];

describe('metatools: call_tool', () => {
  let board: Board;
  beforeEach(async () => {
    board = await boardOf({ tools: TOOLS });
  });

  it('returns the result byte for byte as the tool returned it', async () => {
    const request = await board.open();
    const result = await board.kernel.calls.call('call_tool', { name: 'x_a_raw' }, request);
    expect(result.json).to.equal(RAW);
  });

  it('treats absent, null and empty arguments as none', async () => {
    for (const given of [undefined, null, {}, '', [], '{}']) {
      const args = given === undefined ? {} : { arguments: given };
      expect(firstText(await board.call('call_tool', { name: 'x_a_echo', ...args }))).to.equal('{}');
    }
    const passed = { arguments: { deep: { a: [1] } } };
    expect(firstText(await board.call('call_tool', { name: 'x_a_echo', ...passed }))).to.equal(
      '{"deep":{"a":[1]}}',
    );
  });

  it('accepts arguments written as a JSON string', async () => {
    const args = { name: 'x_a_echo', arguments: '{"deep":{"a":[1]}}' };
    expect(firstText(await board.call('call_tool', args))).to.equal('{"deep":{"a":[1]}}');
  });

  it('reads lists and objects written as JSON strings for tools of Pegboard, where their schema wants them', async () => {
    const properties = {
      list: { type: 'array' },
      map: { type: ['object', 'null'] },
      either: { type: ['array', 'string'] },
      text: { type: 'string' },
    };
    const given = { list: ' [{"a":1}]', map: '{"b":[2]}', either: '[3]', text: '[4]', more: '[5]' };
    const read = { ...given, list: [{ a: 1 }], map: { b: [2] } };
    const broken = { list: '[{"a":1}', map: '[1]' };
    for (const [kind, sent, received] of [
      ['core', given, read],
      ['workflow', given, read],
      ['core', broken, broken],
      ['tool', given, given],
    ] as const) {
      const tool = toolOf('lists', {
        kind,
        inputSchema: { type: 'object', properties },
        invoke: (args) => textResult(JSON.stringify(args)),
      });
      board = await boardOf({ tools: [tool] });
      const result = await board.call('call_tool', { name: 'lists', arguments: sent });
      expect(JSON.parse(firstText(result)), kind).to.deep.equal(received);
    }
  });

  it('rejects misplaced arguments, naming their right place', async () => {
    const refusals = [
      [{ args: { count: 1 } }, 'unknown argument args of call_tool; did you mean arguments?'],
      [{ parameters: { count: 1 } }, 'unknown argument parameters of call_tool; did you mean arguments?'],
      [{ count: 1 }, 'unknown argument count of call_tool; did you mean arguments: {"count": …}?'],
      [
        { count: 1, color: 'red', arguments: {} },
        'unknown arguments count, color of call_tool; did you mean arguments: {"count": …, "color": …}?',
      ],
    ] as const;
    for (const [args, message] of refusals) {
      const refusal = await refusalOf(() => board.call('call_tool', { name: 'x_a_echo', ...args }));
      expect([refusal.code, refusal.message]).to.deep.equal(['TOOL_ARGUMENTS', message]);
    }
    const renamed = { tool_name: 'x_a_echo', input: {} };
    const refusal = await refusalOf(() => board.call('call_tool', renamed));
    expect(refusal.message).to.equal(
      'unknown arguments tool_name, input of call_tool; did you mean name, arguments?',
    );
  });

  it('rejects arguments of a wrong type with a remedy', async () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    for (const wrong of [[1], 'text', '[]', '5', '{"a": 1.0', deep, 5, true]) {
      const refusal = await refusalOf(() => board.call('call_tool', { name: 'x_a_echo', arguments: wrong }));
      expect(refusal.code).to.equal('TOOL_ARGUMENTS');
      expect(refusal.message).to.match(/^arguments must be a JSON object; describe_tool/);
    }
    for (const name of [undefined, null, '', 5, {}]) {
      const refusal = await refusalOf(() => board.call('call_tool', { name }));
      expect(refusal.message).to.match(/^name argument is required/);
    }
  });

  it('rejects an unknown name, suggesting near ones', async () => {
    const refusal = await refusalOf(() => board.call('call_tool', { name: 'x_a_ecko' }));
    expect([refusal.code, refusal.message]).to.deep.equal(['TOOL_NOT_FOUND', 'tool not found: x_a_ecko']);
    expect(refusal.details).to.have.property('near').that.includes('x_a_echo');
  });

  it('does not run itself without the name of a tool', async () => {
    const refusal = await refusalOf(() => board.call('call_tool', { name: 'call_tool' }));
    expect(refusal.message).to.match(/call it directly/);
  });

  it('passes cancellation and progress to the tool', async () => {
    const heard: number[] = [];
    let seen: string | undefined;
    board.kernel.catalogue.add(
      'test',
      toolOf('x_b_slow', {
        invoke: (_args, call) => {
          call.progress?.({ progress: 1 });
          seen = call.cancel.reason;
          return textResult('');
        },
      }),
    );
    const cancel = new Cancellation();
    const progress = ({ progress: at }: { progress: number }): void => void heard.push(at);
    const request = await board.open();
    await board.kernel.calls.call('call_tool', { name: 'x_b_slow' }, request, { cancel, progress });
    expect([heard, seen]).to.deep.equal([[1], undefined]);
  });

  describe('with the envelope for older clients', () => {
    beforeEach(() => board.reconfigure({ config: { callToolEnvelope: 'json' } }));

    it('wraps the result into one text item and mirrors the error flag', async () => {
      const result = await board.call('call_tool', { name: 'x_a_image' });
      expect(result).to.deep.include({ isError: true, structuredContent: { a: 1 } });
      expect(firstText(result)).to.equal(
        '{"isError":true,"content":[{"type":"image","mimeType":"image/png","dataSize":4}],"structuredContent":{"a":1}}',
      );
      expect(result.content).to.have.length(1);
    });

    it('wraps failures of the call, without internal details', async () => {
      const result = await board.call('call_tool', { name: 'x_a_fails' });
      const content = [{ type: 'text', text: 'Tool execution failed: server a is away' }];
      expect(JSON.parse(firstText(result))).to.deep.equal({ isError: true, content });
      expect(result.isError).to.equal(true);
    });

    it('wraps refusals of every kind, and internal errors without their text', async () => {
      const failures = [
        [{ name: '' }, 'name argument is required'],
        [{ name: 'x_a_echo', arguments: 5 }, 'arguments must be a JSON object'],
        [{ name: 'x_a_gone' }, 'tool not found: x_a_gone'],
        [{ name: 'call_tool' }, 'call it directly'],
        [{ name: 'x_a_broken' }, 'internal error'],
      ] as const;
      for (const [args, text] of failures) {
        const result = await board.call('call_tool', args);
        expect(result.isError, text).to.equal(true);
        expect(firstText(result))
          .to.contain(`Tool execution failed: `)
          .and.contain(text)
          .and.not.contain('stack');
        expect(JSON.parse(firstText(result))).to.have.keys('isError', 'content');
      }
      const headers = { 'x-service-toolset': 'nonsense' };
      const refused = await board.call('call_tool', { name: 'x_a_echo' }, { headers });
      expect(JSON.parse(firstText(refused))).to.include({ isError: true });
    });

    it('switches back to native results at run time', async () => {
      await board.reconfigure({});
      expect((await board.call('call_tool', { name: 'x_a_image' })).content).to.deep.equal([IMAGE]);
    });
  });
});
