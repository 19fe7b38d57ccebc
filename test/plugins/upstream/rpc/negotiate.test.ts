import { expect } from 'chai';
import { erasToTry } from '../../../../plugins/upstream/rpc/negotiate.ts';

describe('upstream: the eras to try', () => {
  const [stdio, http] = [
    { type: 'stdio', revision: 'auto' },
    { type: 'streamable-http', revision: 'auto' },
  ] as const;

  it('begin for a process with the older, for a remote server with the newer one', () => {
    expect(erasToTry(stdio, undefined)).deep.equal(['legacy', 'modern']);
    expect(erasToTry(http, undefined)).deep.equal(['modern', 'legacy']);
  });

  it('begin with the one in which the server was connected before', () => {
    for (const server of [stdio, http]) {
      expect(erasToTry(server, 'legacy')).deep.equal(['legacy', 'modern']);
      expect(erasToTry(server, 'modern')).deep.equal(['modern', 'legacy']);
    }
  });

  it('are the one of the definition, and the older one over SSE', () => {
    for (const { type } of [stdio, http]) {
      expect(erasToTry({ type, revision: 'legacy' }, 'modern')).deep.equal(['legacy']);
      expect(erasToTry({ type, revision: 'modern' }, 'legacy')).deep.equal(['modern']);
    }
    expect(erasToTry({ type: 'sse', revision: 'modern' }, 'modern')).deep.equal(['legacy']);
  });
});
