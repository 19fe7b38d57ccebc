import { expect } from 'chai';
import { oneLine, serverWords } from '../../../../plugins/kit/text/serverWords.ts';
import { serverTool } from '../../metatools/board.ts';

describe('kit: words of a server', () => {
  const tools = ['git_log', 'read_file', 'search', 'files/list', 'a.b'].map((name) => serverTool('s', name));
  const said = (text: string): string => serverWords(text, tools, 1_000);

  it('name its tools as clients call them, between back-quotes and as words that are not plain English', () => {
    expect(said('Call `git_log` first, then read_file (or search): files/list, a.b.')).to.equal(
      'Call `x_s_git_log` first, then x_s_read_file (or search): x_s_files/list, x_s_a.b.',
    );
    expect(said('read_file\nsearch')).to.equal('x_s_read_file search');
  });

  it('keep plain words that are names of tools, unless they are quoted or called', () => {
    const plain = ['read', 'write', 'add', 'SQL', 'file', 'readAll'].map((name) => serverTool('s', name));
    const kept = 'You can read files and write them, or add (SQL) the file(s). "read files"';
    expect(serverWords(kept, plain, 1_000)).to.equal(kept);
    const meant = `Use \`read\`, "write", 'add' or “SQL”, then file({"id": 1}) and readAll.`;
    expect(serverWords(meant, plain, 1_000)).to.equal(
      `Use \`x_s_read\`, "x_s_write", 'x_s_add' or “x_s_SQL”, then x_s_file({"id": 1}) and x_s_readAll.`,
    );
  });

  it('keep words that only contain such a name, and parts of addresses, paths and options', () => {
    const kept =
      'my_git_log git_logs Search researches x_s_git_log https://a.test/search /search --search @search v1.search search-it';
    expect(said(kept)).to.equal(kept);
  });

  it('are on one line without control characters, cut at a word', () => {
    expect(said('a\r\n\tb\u0000\u202ec \u2028 d')).to.equal('a b c d');
    expect(oneLine('one two three', 13)).to.equal('one two three');
    expect(oneLine('one two three', 12)).to.equal('one two…');
    expect(oneLine('x'.repeat(100), 10)).to.equal(`${'x'.repeat(9)}…`);
    for (const length of [0, 1, 2]) expect(oneLine('words', length).length).to.be.at.most(1 + length);
    expect(oneLine('🙂'.repeat(10), 5)).to.equal(`${'🙂'.repeat(4)}…`);
  });

  it('are bounded however much a server says', () => {
    expect(serverWords('git_log '.repeat(1_000_000), tools, 400).length).to.be.within(380, 400);
  });
});
