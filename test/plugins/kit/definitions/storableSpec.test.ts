import { expect } from 'chai';
import { storableSpec } from '../../../../plugins/kit/definitions/storableSpec.ts';

describe('the spec of a custom resource', () => {
  it('has a server as it was written', () => {
    for (const command of ['node', ['node', 'server.js']]) {
      const server = { type: 'stdio', command, args: ['a'], timeout: 5 };
      expect(storableSpec(server)).equal(server);
    }
  });

  it('has a workflow as kubectl reads it: durations and the version as texts, retryOn, and values of people as they were', () => {
    const free = { args: { timeout: 5 }, output: { delay: 1 }, outputs: { timeout: 2 } };
    const spec = {
      version: 2,
      timeout: 90,
      output: { timeout: 5 },
      steps: [
        { ...free, id: 'a', timeout: 0.5, retry: { max: 1, delay: 2, maxDelay: '1m', max_delay: 30 } },
        { id: 'r', retry: { max: 1, on: ['timeout'] }, args: { retry: { on: [1] } } },
        { id: 'b', forEach: { items: [1], steps: [{ id: 'c', timeout: 7 }] } },
        { id: 'd', parallel: [{ id: 'e', timeout: 8 }] },
      ],
      onFailure: [{ id: 'f', timeout: 9 }],
      finally: [{ id: 'g', timeout: '10s' }],
    };
    expect(storableSpec(spec)).deep.equal({
      version: '2',
      timeout: '90s',
      output: { timeout: 5 },
      steps: [
        {
          ...free,
          id: 'a',
          timeout: '0.5s',
          retry: { max: 1, delay: '2s', maxDelay: '1m', max_delay: '30s' },
        },
        { id: 'r', retry: { max: 1, retryOn: ['timeout'] }, args: { retry: { on: [1] } } },
        { id: 'b', forEach: { items: [1], steps: [{ id: 'c', timeout: '7s' }] } },
        { id: 'd', parallel: [{ id: 'e', timeout: '8s' }] },
      ],
      onFailure: [{ id: 'f', timeout: '9s' }],
      finally: [{ id: 'g', timeout: '10s' }],
    });
  });
});
