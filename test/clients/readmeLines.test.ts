import { expect } from 'chai';
import { AGENTS, CLIENTS } from './clients.ts';
import { connecting, permissionOf } from './readmeLines.ts';

describe('README.md', () => {
  for (const [name, { refusal }] of new Map([...CLIENTS, ...AGENTS].map((client) => [client.name, client])))
    it(`contains the lines that connect ${name} and let it run tools`, () => {
      const connection = connecting(name, 'http://localhost:1');
      expect(Object.values(connection).join()).to.contain('http://localhost:1/mcp');
      if (refusal !== undefined)
        expect(Object.values(permissionOf(name)).map((text) => text.trim())).not.to.include('');
    });
});
