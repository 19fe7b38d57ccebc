import { expect } from 'chai';
import { Rig, until } from './support.ts';

/** Answers each call with the text of its argument, in which the id of the request replaces ID. */
const SERVER = `
import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'tools/call') return console.log(params.arguments.text.replaceAll('ID', id));
  const tools = [{ name: 'repeat', inputSchema: { type: 'object' } }];
  const result = method === 'initialize'
    ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
    : { tools };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});
`;

describe('upstream: an answer that is not JSON', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = new Rig();
    await rig.configure({ drainMs: 1 });
    const command = [process.execPath, '--input-type=module', '-e', SERVER];
    await rig.define({
      s: {
        type: 'stdio',
        autoStart: true,
        command,
        timeout: 5,
        callTimeout: 60,
        env: { TOKEN: 'very-secret-1' },
      },
    });
    await rig.hasTool('x_s_repeat');
  });
  afterEach(() => rig.stop());

  for (const [text, word] of [
    ['{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"x":NaN}}}', ' (NaN)'],
    ['{"result":{"content":[{"x": -Infinity}]},"jsonrpc":"2.0","id":ID}', ' (-Infinity)'],
    ['{"id":"ID","jsonrpc":"2.0","result":{"isError":True}}', ' (True)'],
    ['{"jsonrpc":"2.0","id":ID,"result":{"content":[{"text":"very-secret-1"]}}', ''],
    ['{"jsonrpc":"2.0","id":ID,"error":{"code":-1,"message":"it "broke""}}', ''],
  ] as const)
    it(`fails its call at once: ${text}`, async () => {
      const error = await rig.refusal('x_s_repeat', { text });
      expect(error.message).to.contain(`tool repeat of server s was answered with what is not JSON${word}`);
      expect(error).to.deep.include({
        code: 'UPSTREAM_PROTOCOL',
        details: { server: 's', mayHaveRun: true },
      });
      expect(JSON.stringify(rig.lines)).to.not.contain('very-secret-1');
      expect(
        await rig.text('x_s_repeat', {
          text: '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"text":"ok"}]}}',
        }),
      ).to.equal('ok');
    });

  it('fails no call whose id it only holds within', async () => {
    const calling = rig.refusal('x_s_repeat', { text: '{"method":"x","params":{"x":NaN,"id":ID}}' });
    await until('the line', () => rig.lines.some(({ data }) => String(data['line']).includes('NaN')));
    await rig.define({});
    expect((await calling).code).to.not.equal('UPSTREAM_PROTOCOL');
  });
});
