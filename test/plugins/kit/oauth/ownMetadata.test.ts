import { expect } from 'chai';
import { ownMetadata } from '../../../../plugins/kit/oauth/ownMetadata.ts';

describe('auth-client: the metadata of the gateway as a client', () => {
  it('names the kind of application by its callback', () => {
    const typeAt = (base: string): unknown => ownMetadata(`${base}/callback`, base)['application_type'];
    expect(typeAt('http://localhost:8090')).equal('native');
    expect(typeAt('https://gateway.example')).equal('web');
  });
});
