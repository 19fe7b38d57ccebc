import { expect } from 'chai';
import { SignJWT } from 'jose';
import { KubeError } from '../../../../plugins/store-kubernetes/api/kubeError.ts';
import { storeError } from '../../../../plugins/store-kubernetes/store/storeError.ts';

const ASKED = { verb: 'patch', plural: 'mcpservers', namespace: 'tools', name: 's' };

function refusal(status: number, facts: object = {}): KubeError {
  return new KubeError('status', 'the server said so', { status, ...facts });
}
function tokenWith(claims: object): Promise<string> {
  return new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32));
}

describe('refusals of the API server', () => {
  it('name the verb, the resource and the namespace of a missing right, and whose it is', () => {
    const own = storeError(refusal(403), ASKED);
    expect(own.code).equal('STORE_FORBIDDEN');
    expect(own.message).include(
      'the service account of Pegboard may not patch mcpservers.pegboard.dev in namespace tools',
    );
    expect(storeError(refusal(403), { ...ASKED, token: 'x' }).message).include('you may not patch');
  });

  it('tell by the reason which of two conflicts it is', () => {
    expect(storeError(refusal(409, { reason: 'AlreadyExists' }), ASKED).message).include('exists already');
    expect(storeError(refusal(409, { reason: 'Conflict' }), ASKED).message).include('changed meanwhile');
  });

  it('name each wrong field', () => {
    const causes = [{ field: 'spec.url', message: 'is required', reason: 'FieldValueInvalid' }];
    const { code, message } = storeError(refusal(422, { causes }), ASKED);
    expect(code).equal('TOOL_ARGUMENTS');
    expect(message).include('spec.url: is required');
  });

  it('tell a missing object from missing custom resource definitions', () => {
    expect(storeError(refusal(404, { reason: 'NotFound' }), ASKED).code).equal('STORE_NOT_FOUND');
    expect(storeError(refusal(404), ASKED).message).include('does not know mcpservers.pegboard.dev');
    const list = { ...ASKED, name: '' };
    expect(storeError(refusal(404), list).message).include('pegboard crds | kubectl apply -f -');
  });

  it('explain a 401, which has no reason, from the claims of the token', async () => {
    const said = async (claims: object): Promise<string> =>
      storeError(refusal(401), { ...ASKED, token: await tokenWith(claims) }).message;
    expect(await said({ exp: 1 })).include('it ended at 1970-01-01T00:00:01.000Z');
    expect(await said({ email_verified: false })).include('email_verified is false');
    expect(await said({ iss: 'https://login.example' })).include(
      'must trust the issuer https://login.example',
    );
    expect(storeError(refusal(401), ASKED).message).include('check its service account or kubeconfig');
  });

  it('say that the API server is away without an answer', () => {
    expect(storeError(new KubeError('timeout', 'no answer'), ASKED).code).equal('STORE_UNREACHABLE');
    expect(storeError(new Error('other'), ASKED).code).equal('STORE_UNREACHABLE');
    expect(storeError(undefined, ASKED).message).include('cannot be used: it has not answered yet');
  });
});
