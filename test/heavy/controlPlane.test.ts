import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { needKube } from '../support/kube/binaries.ts';
import { controlPlane } from '../support/kube/controlPlane.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import type { Credentials, KubeObject } from '../support/kube/kubeClient.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { until } from '../support/until.ts';

const WRITE_MAPS = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'list', 'watch'] }];
const ALICE = 'alice@example.com';

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  readonly contexts: readonly { readonly context: { readonly namespace: string } }[];
}

describe('the control plane for tests', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let maps: string;
  before(async function () {
    needKube(this);
    plane = await controlPlane();
    namespace = await plane.makeNamespace();
    maps = namespace.path('configmaps');
  });

  const addMap = (name: string): Promise<KubeObject> => plane.admin.create(maps, { metadata: { name } });
  /** The version of all that has been written so far. */
  const version = async (): Promise<string> => String((await plane.admin.get(maps)).metadata.resourceVersion);
  const watchFrom = async (from: string) => plane.admin.watch(`${maps}?resourceVersion=${from}`);
  const nameOf = async (who: Credentials): Promise<unknown> => {
    const review = await plane
      .as(who)
      .create('/apis/authentication.k8s.io/v1/selfsubjectreviews', { metadata: { name: '' } });
    return (review.status as { readonly userInfo: { readonly username: string } }).userInfo.username;
  };

  it('is a Kubernetes that knows its version, one for the run', async () => {
    const { gitVersion } = await plane.admin.get('/version');
    expect(gitVersion).to.match(/^v1\.\d+\.\d+$/);
    const pids = plane.pids();
    expect((await controlPlane()).pids()).to.deep.equal(pids);
  });

  it('lets people write by their id_token and role, in that namespace, and its audit log names them', async () => {
    const body = { metadata: { name: 'written' } };
    const headers = { 'user-agent': 'pegboard/test' };
    const alice = plane.as({ token: await plane.issuer.idToken(ALICE, { groups: ['staff'] }) });
    expect((await alice.ask('POST', maps, { body, headers })).status).to.equal(403);
    await namespace.grant({ kind: 'Group', name: 'oidc:staff' }, WRITE_MAPS);
    expect((await alice.ask('POST', maps, { body, headers })).status).to.equal(201);
    const other = await plane.makeNamespace();
    expect((await alice.ask('POST', other.path('configmaps'), { body, headers })).status).to.equal(403);

    const namespaces = [namespace.name, other.name];
    const lines = plane
      .audit()
      .filter(({ user }) => user.username === `oidc:${ALICE}`)
      .filter(({ objectRef }) => namespaces.includes(objectRef?.namespace ?? ''));
    expect(
      lines.map(({ verb, userAgent, responseStatus }) => [verb, userAgent, responseStatus?.code]),
    ).to.deep.equal([
      ['create', 'pegboard/test', 403],
      ['create', 'pegboard/test', 201],
      ['create', 'pegboard/test', 403],
    ]);
  });

  it('refuses an id_token for another audience, one that has expired and one of a former key', async () => {
    const statusFor = async (token: string): Promise<number> =>
      (await plane.as({ token }).ask('GET', maps)).status;
    const { idToken, rotateKeys } = plane.issuer;
    expect(await statusFor(await idToken(ALICE, { aud: 'another' }))).to.equal(401);
    expect(await statusFor(await idToken(ALICE, { exp: 1 }))).to.equal(401);
    const former = await idToken(ALICE);
    rotateKeys();
    expect(await nameOf({ token: await idToken(ALICE) })).to.equal(`oidc:${ALICE}`);
    expect(await statusFor(former)).to.equal(401);
  });

  it('takes the user of a certificate, whatever the bearer says', async () => {
    const carol = plane.certificateOf('carol', 'editors');
    expect(await nameOf(carol)).to.equal('carol');
    expect(await nameOf({ ...carol, token: await plane.issuer.idToken(ALICE) })).to.equal('carol');
  });

  it('writes a kubeconfig for a certificate or a token', async () => {
    const read = (path: string): Kubeconfig => JSON.parse(readFileSync(path, 'utf8')) as Kubeconfig;
    const text = (base64: string | undefined): string => Buffer.from(base64 ?? '', 'base64').toString();
    const carol = read(plane.kubeconfig(plane.certificateOf('carol'), namespace.name));
    expect(carol.contexts[0]?.context.namespace).to.equal(namespace.name);
    expect(carol.clusters[0]?.cluster.server).to.equal(plane.url);
    expect(text(carol.clusters[0]?.cluster['certificate-authority-data'])).to.equal(plane.ca);
    const { 'client-certificate-data': certificate, 'client-key-data': key } = carol.users[0]?.user ?? {};
    expect(await nameOf({ certificate: text(certificate), key: text(key) })).to.equal('carol');
    const alice = read(plane.kubeconfig({ token: await plane.issuer.idToken(ALICE) }));
    expect(await nameOf({ token: String(alice.users[0]?.user['token']) })).to.equal(`oidc:${ALICE}`);
  });

  it('refuses connections while it is stopped', async () => {
    const { apiserver } = plane.pids();
    await plane.stop();
    const failure = await plane.admin.ask('GET', maps).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'ECONNREFUSED');
    await plane.start();
    await plane.admin.get(maps);
    expect(plane.pids().apiserver).not.to.equal(apiserver);
  });

  it('keeps objects over a restart, and answers 410 to a watch from before', async () => {
    const from = await version();
    const watch = await watchFrom(from);
    await addMap('kept');
    await watch.heard('ADDED', 'kept');
    await plane.restart();
    expect(await watch.ended).not.to.equal('clean');
    await plane.admin.get(`${maps}/kept`);
    const { object } = await (await watchFrom(from)).heard('ERROR');
    expect(object).to.include({ code: 410, reason: 'Expired' });
  });

  it('says nothing while it is frozen', async () => {
    plane.freeze();
    const failure = await plane.admin.ask('GET', maps, { withinMs: 500 }).catch((error: unknown) => error);
    expect(failure).to.have.property('name', 'TimeoutError');
    plane.thaw();
    await plane.admin.get(maps);
  });

  it('drops watches, which resume where they ended', async () => {
    const watch = await watchFrom(await version());
    await addMap('before');
    const { object } = await watch.heard('ADDED', 'before');
    expect(plane.dropConnections()).to.be.greaterThan(0);
    expect(await watch.ended).not.to.equal('clean');
    await addMap('meanwhile');
    const resumed = await watchFrom(String(object.metadata.resourceVersion));
    await resumed.heard('ADDED', 'meanwhile');
    expect(resumed.events).to.have.length(1);
  });

  it('expires history for watches and for the rest of a list', async () => {
    for (const name of ['first', 'second']) await addMap(name);
    const { metadata } = await plane.admin.get(`${maps}?limit=1`);
    const rest = `${maps}?limit=1&continue=${metadata.continue}`;
    await plane.admin.get(rest);
    await addMap('later');
    await plane.expireHistory();
    expect((await plane.admin.ask('GET', rest)).status).to.equal(410);
    const { object } = await (await watchFrom(String(metadata.resourceVersion))).heard('ERROR');
    expect(object).to.include({ code: 410 });
  });

  it("rotates a service account's token: the folder has the new one, and the old one is refused", async () => {
    const account = await namespace.addServiceAccount('pegboard');
    const old = account.token();
    expect(await nameOf({ token: old })).to.equal(account.userName);
    await account.rotateToken();
    const token = readFileSync(join(account.directory, 'token'), 'utf8');
    expect(token).not.to.equal(old);
    expect(await nameOf({ token })).to.equal(account.userName);
    const isRefused = async (): Promise<boolean> =>
      (await plane.as({ token: old }).ask('GET', maps)).status === 401;
    await until(isRefused, { what: 'the refusal of the old token', withinMs: 30_000 });
  });

  it('gives a service account its rights in the namespace', async () => {
    const account = await namespace.addServiceAccount('watcher');
    const pod = plane.as({ token: account.token() });
    expect((await pod.ask('GET', maps)).status).to.equal(403);
    await namespace.grant({ kind: 'ServiceAccount', name: account.name }, WRITE_MAPS);
    expect((await pod.ask('GET', maps)).status).to.equal(200);
  });
});
