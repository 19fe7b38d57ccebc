import { expect } from 'chai';
import { connectionsTo } from '../../../../plugins/kit/clients/connectionsTo.ts';
import { FORMATS } from '../../../../plugins/kit/clients/formats.ts';
import { AGENTS, CLIENTS } from '../../../clients/clients.ts';
import { connecting } from '../../../clients/readmeLines.ts';

const URL = 'http://localhost:1/mcp';

describe('what connects a client', () => {
  const all = connectionsTo(URL);

  it('is what README.md says, for each client of its table', () => {
    const names = new Set([...CLIENTS, ...AGENTS].map(({ name }) => name));
    for (const name of [...names, 'VS Code', 'Inspector']) {
      const { line, entry = '', files } = all.find(({ label }) => label === name) ?? {};
      const said = connecting(name, 'http://localhost:1');
      if ('line' in said) expect(line, name).equal(said.line);
      else {
        expect(files, name).deep.equal([`~/${said.file}`]);
        const format = said.file.endsWith('.yaml') ? FORMATS.yaml : FORMATS.json;
        expect(format.parse(entry), name).deep.equal(format.parse(said.lines));
      }
    }
  });

  it('is for every client a line, or an entry with the files that may have it', () => {
    expect(all.length).above(20);
    for (const { name, line, entry, files = [] } of all) {
      expect(line ?? entry, name).include(URL);
      if (line === undefined) expect(files, name).not.deep.equal([]);
    }
    expect(all.find(({ name }) => name === 'cursor')).deep.include({ files: ['~/.cursor/mcp.json'] });
    expect(all.find(({ name }) => name === 'zed')?.files).deep.equal([
      '~/.config/zed/settings.json (Linux, macOS)',
      '%APPDATA%/Zed/settings.json (Windows)',
    ]);
    expect(all.find(({ name }) => name === 'jetbrains')?.files).deep.equal(['<project>/.ai/mcp/mcp.json']);
  });

  it('is a line that a shell reads as meant', () => {
    const [claude] = connectionsTo('http://[::1]:8090/mcp?a=$(b)');
    expect(claude?.line).equal(`claude mcp add --transport http pegboard 'http://[::1]:8090/mcp?a=$(b)'`);
  });
});
