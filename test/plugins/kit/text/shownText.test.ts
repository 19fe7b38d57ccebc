import { expect } from 'chai';
import { shownText } from '../../../../plugins/kit/text/shownText.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { onTerminal } from '../../../support/onTerminal.ts';
import { serveHere } from '../../../support/serveHere.ts';
import { typeVerb } from '../../../support/typeVerb.ts';
import { until } from '../../../support/until.ts';
import { told } from '../../upstream/support.ts';

/** Sequences of C0 and C1, reordering, invisible, and a joined emoji. */
const HOSTILE = [
  ...['\u001b[31m', '\u001b]0;title\u0007', '\u009b31m', '\u0085', '\r', '\b', '\u007f', '\u00ad', '\u061c'],
  ...['\u200b', '\u200c', '\u200d', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069', '\ufeff'],
  '👩\u200d💻',
].join('a');
const OBEYED = /(?![\n\t])[\p{Cc}\p{Cf}]/u;

describe('kit: text of others on a terminal', function () {
  this.timeout(60_000);

  it('has escapes for all that a terminal obeys, hides or reorders, and its lines and tabs', () => {
    expect(shownText(HOSTILE)).not.match(OBEYED);
    expect(shownText(`größe\r\n\t検索 🎈 ${HOSTILE}\n`))
      .match(/^größe\n\t検索 🎈 /)
      .include('\\u001b[31ma\\u001b]0;title\\u0007a\\u009b31m')
      .include('👩\\u200d💻\n');
  });

  it('is escaped by each verb that prints it, and is in a pipe as it was sent', async () => {
    const item = { name: 'a', description: HOSTILE };
    const text = `${HOSTILE}\nend`;
    const server = told({
      'tools/list': { tools: [{ ...item, inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text }] },
      'resources/list': { resources: [{ ...item, uri: 'a://a' }] },
      'resources/read': { contents: [{ uri: 'a://a', text }] },
      'prompts/list': { prompts: [item] },
      'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text } }] },
    });
    const directory = makeDirectory({ 'mcpservers/h.yaml': JSON.stringify(server) });
    const endpoint = [
      '--endpoint',
      `${(await serveHere(directory)).url}/mcp`,
      '--config-path',
      directory.path,
    ];
    const piped = () => typeVerb(['call', 'x_h_a', ...endpoint]);
    await until(async () => (await piped()).stdout.includes('end'));
    expect((await piped()).stdout).equal(`${text}\n`);
    for (const words of [
      ['call', 'x_h_a'],
      ['call', 'x_h_a', '-o', 'json'],
      ['get', 'tool', 'x_h_a'],
      ['get', 'resource', 'a://a'],
      ['get', 'prompt', 'x_h_a'],
      ['list', 'resources'],
      ['list', 'prompts', '-o', 'yaml'],
    ]) {
      const { shown, exited } = onTerminal([...words, ...endpoint], {
        columns: 1_000,
        env: { ...(process.env as Record<string, string>), NO_COLOR: '1' },
      });
      expect(await exited, words.join(' ')).equal(0);
      const lines = shown().replaceAll('\r\n', '\n');
      expect(lines, words.join(' ')).include('\\u202e').and.not.match(OBEYED);
    }
  });

  it('is escaped by check, whose findings name what a file of others holds', async () => {
    const directory = makeDirectory({ 'config.yaml': JSON.stringify({ [HOSTILE]: true }) });
    const { shown, exited } = onTerminal(['check', '--config-path', directory.path], { columns: 1_000 });
    expect(await exited).equal(2);
    expect(shown().replaceAll('\r\n', '\n')).include('\\u202e').and.not.match(OBEYED);
  });
});
