import { expect } from 'chai';
import type { JsonObject } from '../../../../kernel/index.ts';
import { serverChanges } from '../../../../plugins/cli/plan/serverChanges.ts';

const stdio = { name: 's', type: 'stdio', command: ['a', 'b'], suspended: false, timeout: 30 };
const up = { ...stdio, state: 'Running' };
const down = { ...stdio, state: 'Stopped' };
const remote = { name: 's', type: 'streamable-http', url: 'http://localhost/mcp', state: 'Connected' };

const changeOf = (before: JsonObject | undefined, after: JsonObject | undefined): string | undefined => {
  const list = (one: JsonObject | undefined): readonly JsonObject[] => (one === undefined ? [] : [one]);
  return serverChanges(list(before), list(after)).servers[0]?.change;
};

describe('serverChanges', () => {
  it('starts a new server only if it starts by itself', () => {
    expect(changeOf(undefined, stdio)).equal('added');
    expect(changeOf(undefined, { ...stdio, autoStart: true })).equal('started');
    expect(changeOf(undefined, remote)).equal('started');
    expect(changeOf(undefined, { ...remote, suspended: true })).equal('added');
  });

  it('stops a removed server only if it is up', () => {
    expect(changeOf(up, undefined)).equal('stopped');
    expect(changeOf(down, undefined)).equal('removed');
  });

  it('does nothing for state, defaults, and command written as text', () => {
    expect(changeOf(up, { name: 's', type: 'stdio', command: ['a', 'b'] })).equal(undefined);
    expect(changeOf({ ...up, command: ['a'] }, { ...stdio, command: 'a' })).equal(undefined);
  });

  it('restarts for what identifies the server, not for its words and limits', () => {
    expect(changeOf(up, { ...stdio, command: ['a', 'c'] })).equal('restarted');
    expect(changeOf(up, { ...stdio, env: { A: '${env:B}' } })).equal('restarted');
    expect(changeOf(up, { ...stdio, restartRequestedAt: '2026-01-31T12:00:00Z' })).equal('restarted');
    expect(changeOf(up, { ...stdio, description: 'Other.', timeout: 5 })).equal('changed');
    expect(changeOf(down, { ...stdio, command: ['a', 'c'] })).equal('changed');
  });

  it('stops and starts by suspended and autoStart', () => {
    expect(changeOf(up, { ...stdio, suspended: true })).equal('stopped');
    expect(changeOf({ ...down, suspended: true }, stdio)).equal('started');
    expect(changeOf(down, { ...stdio, autoStart: true })).equal('started');
  });

  it('names servers whose secrets it cannot compare', () => {
    const shown = { ...remote, headers: { Authorization: '[redacted]' } };
    const file = { ...remote, headers: { Authorization: 'Bearer abc' } };
    expect(serverChanges([shown], [file])).deep.equal({ servers: [], hidden: ['s'] });
  });
});
