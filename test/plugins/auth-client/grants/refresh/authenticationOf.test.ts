import { expect } from 'chai';
import { authenticationOf } from '../../../../../plugins/auth-client/grants/refresh/authenticationOf.ts';

describe('auth-client: how the gateway proves to be a client', () => {
  it('encodes the id and the secret of Basic as forms are', async () => {
    const secret = "s: %ü+-._*~'";
    const client = { id: 'pre-registered_client.1', secret, isRegistered: false } as const;
    const headers = new Headers();
    const proof = authenticationOf({ ...client, authMethod: 'client_secret_basic' });
    await proof({ issuer: 'https://as.example' }, { client_id: client.id }, new URLSearchParams(), headers);
    const pair = Buffer.from(headers.get('authorization')?.replace(/^Basic /, '') ?? '', 'base64').toString();
    expect(pair).equal('pre-registered_client.1:s%3A+%25%C3%BC%2B-._*%7E%27');
    expect(new URLSearchParams(`secret=${pair.split(':')[1] ?? ''}`).get('secret')).equal(secret);
  });
});
