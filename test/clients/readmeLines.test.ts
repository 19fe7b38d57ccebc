import { expect } from 'chai';
import { CLIENTS } from './clients.ts';
import { connectingLine, permissionOf } from './readmeLines.ts';

describe('README.md', () => {
  for (const name of new Set(CLIENTS.map((client) => client.name)))
    it(`contains the lines that connect ${name} and let it run tools`, () => {
      expect(connectingLine(name, 'http://localhost:1')).to.contain('http://localhost:1/mcp');
      const permission = permissionOf(name);
      expect('flag' in permission ? permission.flag : permission.lines.trim()).not.to.equal('');
    });
});
