import { join } from 'node:path';
import { expect } from 'chai';
import { findCredentials } from '../../../../plugins/store-kubernetes/api/findCredentials.ts';
import { keptIdentity } from '../../../../plugins/store-kubernetes/api/keptIdentity.ts';
import { makeDirectory } from '../../../support/directory.ts';

const POD = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
const mounted = () => makeDirectory({ token: 'first\n', 'ca.crt': 'PEM', namespace: 'apps' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const kubeconfig = (user: object, cluster: object = {}) =>
  JSON.stringify({
    'current-context': 'one',
    clusters: [{ name: 'c', cluster: { server: 'https://one.example:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', namespace: 'apps' } },
      { name: 'two', context: { cluster: 'c', user: 'u' } },
    ],
  });
const from = (text: string, context?: string) => {
  const env = { KUBECONFIG: makeDirectory({ config: text }).at('config') };
  return findCredentials({ env, ...(context !== undefined && { context }) });
};
const failureOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error as Error).message,
  );

describe('store-kubernetes: credentials', () => {
  it("are those of the pod's service account inside a cluster", async () => {
    const { path: directory } = mounted();
    const found = await findCredentials({ env: POD, directory });
    expect(found.server.href).to.equal('https://[fd00::1]:6443/');
    expect(found.namespace).to.equal('apps');
    expect(await found.current()).to.deep.equal({
      tls: { ca: 'PEM', skipTlsVerify: false },
      authorization: 'Bearer first',
    });
    const failure = await failureOf(findCredentials({ env: POD, directory: join(directory, 'missing') }));
    expect(failure).to.match(/ENOENT.*automountServiceAccountToken/s);
  });

  it('are read again after a refusal, and the same TLS parts stay the same object', async () => {
    const directory = mounted();
    const found = await findCredentials({ env: POD, directory: directory.path });
    const { tls } = await found.current();
    directory.replace('token', 'second');
    expect((await found.current()).authorization).to.equal('Bearer first');
    found.refused();
    const renewed = await found.current();
    expect(renewed.authorization).to.equal('Bearer second');
    expect(renewed.tls).to.equal(tls);
  });

  it('of a kubeconfig are read again from its file after a refusal', async () => {
    const directory = makeDirectory({ config: kubeconfig({ token: 'first' }) });
    const found = await findCredentials({ env: { KUBECONFIG: directory.at('config') } });
    directory.replace('config', kubeconfig({ token: 'second' }));
    expect((await found.current()).authorization).to.equal('Bearer first');
    found.refused();
    expect((await found.current()).authorization).to.equal('Bearer second');
    directory.replace('config', '{');
    found.refused();
    expect(await failureOf(found.current())).to.include('the kubeconfig');
    directory.replace('config', kubeconfig({ token: 'third' }));
    found.refused();
    expect((await found.current()).authorization).to.equal('Bearer third');
  });

  it('are read again after a minute', async () => {
    let [now, reads] = [0, 0];
    const read = () =>
      Promise.resolve({ tls: { skipTlsVerify: false }, authorization: String((reads += 1)) });
    const { current } = keptIdentity(read, () => now);
    await current();
    now = 59_999;
    expect((await current()).authorization).to.equal('1');
    now = 60_000;
    expect((await current()).authorization).to.equal('2');
  });

  it('are those of a kubeconfig outside of one: certificate, token, user and password', async () => {
    const certificate = { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') };
    const found = await from(kubeconfig(certificate, { 'certificate-authority-data': base64('CA') }));
    expect(found.server.href).to.equal('https://one.example:6443/');
    expect(found.namespace).to.equal('apps');
    const { tls, authorization } = await found.current();
    expect(tls).to.include({ ca: 'CA', cert: 'CERT', key: 'KEY', skipTlsVerify: false });
    expect(authorization).to.equal(undefined);
    const token = await from(kubeconfig({ token: 'abc' }, { 'insecure-skip-tls-verify': true }), 'two');
    expect(token.namespace).to.equal(undefined);
    expect((await token.current()).authorization).to.equal('Bearer abc');
    expect((await token.current()).tls.skipTlsVerify).to.equal(true);
    const basic = await from(kubeconfig({ username: 'a', password: 'b' }));
    expect((await basic.current()).authorization).to.equal(`Basic ${base64('a:b')}`);
  });

  it('run the exec plugin of a kubeconfig', async () => {
    const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' };
    const answer = JSON.stringify({ ...credential, status: { token: 'from-exec' } });
    const script = `console.log(${JSON.stringify(answer)})`;
    const { apiVersion } = credential;
    const exec = { apiVersion, command: process.execPath, args: ['-e', script], interactiveMode: 'Never' };
    const found = await from(kubeconfig({ exec }));
    expect((await found.current()).authorization).to.equal('Bearer from-exec');
    const broken = await from(kubeconfig({ exec: { ...exec, args: ['-e', 'process.exit(3)'] } }));
    expect(await failureOf(broken.current())).to.include('the kubeconfig gives no credentials');
  });

  it('say what is wrong with a kubeconfig', async () => {
    expect(await failureOf(from(kubeconfig({}), 'three'))).to.equal(
      'the kubeconfig has no context "three"; it has one, two',
    );
    expect(await failureOf(from(kubeconfig({}, { server: 'nowhere' })))).to.include('is not an address');
    expect(await failureOf(from(kubeconfig({}, { 'proxy-url': 'http://proxy' })))).to.include('proxy-url');
    expect(await failureOf(from('{'))).to.include('the kubeconfig cannot be read');
  });
});
