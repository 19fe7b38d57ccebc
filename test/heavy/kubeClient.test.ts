import { expect } from 'chai';
import { findCredentials } from '../../plugins/store-kubernetes/api/findCredentials.ts';
import { KubeApi } from '../../plugins/store-kubernetes/api/kubeApi.ts';
import { KubeError } from '../../plugins/store-kubernetes/api/kubeError.ts';
import type { ObjectChange } from '../../plugins/store-kubernetes/watch/objectMap.ts';
import { ResourceWatch } from '../../plugins/store-kubernetes/watch/resourceWatch.ts';
import type { WatchTimes } from '../../plugins/store-kubernetes/watch/resourceWatch.ts';
import { defer } from '../support/cleanup.ts';
import { captureLog } from '../support/log.ts';
import { needKube } from '../support/kube/binaries.ts';
import { controlPlane } from '../support/kube/controlPlane.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { until } from '../support/until.ts';

const RULES = [
  {
    apiGroups: [''],
    resources: ['configmaps'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
];
/** Restarts of a loaded machine take their time. */
const RETURN_MS = 90_000;

describe('store-kubernetes at a real API server', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  before(async function () {
    needKube(this);
    plane = await controlPlane();
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
  });

  const place = (name?: string) => ({
    group: '',
    version: 'v1',
    plural: 'configmaps',
    namespace: namespace.name,
    ...(name !== undefined && { name }),
  });
  const map = (name: string, data: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data,
  });
  const apiOf = async (options: Parameters<typeof findCredentials>[0], limits = {}): Promise<KubeApi> => {
    const api = new KubeApi(await findCredentials(options), limits);
    defer(() => api.close());
    return api;
  };
  /** An API client that authenticates by a certificate, from a kubeconfig. */
  const adminApi = (limits = {}) => {
    const KUBECONFIG = plane.kubeconfig(plane.certificateOf('admin', 'system:masters'), namespace.name);
    return apiOf({ env: { KUBECONFIG } }, limits);
  };
  const podApi = async () => {
    const account = await namespace.addServiceAccount('pegboard');
    await namespace.grant({ kind: 'ServiceAccount', name: account.name }, RULES);
    return { account, api: await apiOf({ env: plane.env, directory: account.directory }) };
  };
  const watchBy = async (api: KubeApi, times: Partial<WatchTimes> = {}) => {
    const seen: string[] = [];
    const take = (changes: readonly ObjectChange[]): void =>
      void seen.push(...changes.map(({ type, name }) => `${type} ${name}`));
    const log = captureLog();
    const watch = new ResourceWatch({
      api,
      place: place(),
      take,
      log,
      times: { maxBackoffMs: 1_000, ...times },
    });
    defer(() => watch.stop());
    watch.start();
    await watch.synced;
    return { watch, seen, log };
  };
  const saw = (seen: readonly string[], change: string, withinMs = RETURN_MS): Promise<unknown> =>
    until(() => seen.includes(change), { what: change, withinMs });
  const failureOf = async (work: Promise<unknown>): Promise<KubeError> => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(KubeError);
    return error as KubeError;
  };

  it('sees what is created, changed, replaced and deleted', async () => {
    const api = await adminApi();
    const { seen, watch } = await watchBy(api);
    const { object } = await api.create(place(), map('a'));
    await api.mergePatch(place('a'), { data: { key: 'value' } });
    await until(() => seen.length === 2, { what: 'the change' });
    expect((await failureOf(api.replace(place('a'), object))).reason).to.equal('Conflict');
    const { object: present } = await api.get(place('a'));
    await api.replace(place('a'), { ...present, data: { key: 'other' } });
    expect((await failureOf(api.delete(place('a'), { uid: 'another' }))).status).to.equal(409);
    await api.delete(place('a'), { uid: String(object.metadata.uid) });
    await saw(seen, 'deleted a');
    expect(seen).to.deep.equal(['applied a', 'applied a', 'applied a', 'deleted a']);
    expect(watch.objects.has('a')).to.equal(false);
  });

  it('is right after 200 times of delete and create', async () => {
    const api = await adminApi();
    const { watch } = await watchBy(api);
    await api.create(place(), map('a'));
    for (let at = 0; at < 200; at += 1) {
      await api.delete(place('a'));
      const { uid } = (await api.create(place(), map('a'))).object.metadata;
      await until(() => watch.objects.get('a')?.metadata.uid === uid, { what: `the object of round ${at}` });
    }
    expect([...watch.objects.keys()]).to.deep.equal(['a']);
  });

  it('finds after a restart what was deleted meanwhile', async () => {
    const api = await adminApi();
    await api.create(place(), map('gone'));
    await api.create(place(), map('kept'));
    const { seen, watch } = await watchBy(api);
    await plane.stop();
    await until(() => watch.state.lastError !== undefined, { what: 'the loss' });
    expect([...watch.objects.keys()]).to.have.members(['gone', 'kept']);
    await plane.start();
    await plane.admin.delete(namespace.path('configmaps/gone'));
    await saw(seen, 'deleted gone');
    expect(seen.filter((change) => change === 'applied kept')).to.have.length(1);
    await until(() => watch.state.lastError === undefined, { what: 'health' });
  });

  it('notices a frozen server, gives up its calls, and returns when it thaws', async () => {
    const api = await adminApi({ callMs: 1_000 });
    const { seen, watch } = await watchBy(api, { silenceMs: 1_000 });
    plane.freeze();
    expect(await failureOf(api.get(place('a')))).to.include({ kind: 'timeout' });
    await until(() => watch.state.lastError !== undefined, { what: 'the notice' });
    plane.thaw();
    await until(
      () =>
        api.create(place(), map('a')).then(
          () => true,
          () => false,
        ),
      { what: 'a write' },
    );
    await saw(seen, 'applied a');
    await until(() => watch.state.lastError === undefined, { what: 'health' });
  });

  it('lists again when etcd has forgotten its version', async () => {
    const api = await adminApi();
    await api.create(place(), map('a'));
    const { seen } = await watchBy(api);
    await plane.expireHistory();
    await plane.admin.delete(namespace.path('configmaps/a'));
    await saw(seen, 'deleted a');
  });

  it('resumes watches whose connections were dropped', async () => {
    const { seen, watch } = await watchBy(await adminApi());
    const maps = namespace.path('configmaps');
    for (let at = 0; at < 5; at += 1) {
      plane.dropConnections();
      // The connection of this client was dropped too.
      const isThere = async (): Promise<boolean> => {
        const { status } = await plane.admin.ask('POST', maps, { body: map(`a${at}`) });
        return status === 201 || status === 409;
      };
      await until(() => isThere().catch(() => false), { what: 'a write' });
      await saw(seen, `applied a${at}`);
    }
    expect(seen).to.have.length(5);
    expect(watch.objects.size).to.equal(5);
  });

  it('follows changes over watches that the server ends in time', async () => {
    const api = await adminApi();
    const { seen, watch, log } = await watchBy(api, { watchSeconds: 1 });
    for (let at = 0; at < 3; at += 1) {
      const before = watch.state.lastContact ?? 0;
      await until(() => (watch.state.lastContact ?? 0) > before, { what: 'the end of a watch' });
      await api.create(place(), map(`a${at}`));
      await saw(seen, `applied a${at}`);
    }
    expect(seen).to.have.length(3);
    expect(log.records).to.deep.equal([]);
  });

  it("goes by the pod's token, also after it was rotated and the former one is refused", async () => {
    const { account, api } = await podApi();
    const { seen } = await watchBy(api);
    await api.create(place(), map('before'));
    const old = account.token();
    await account.rotateToken();
    const isRefused = async (): Promise<boolean> =>
      (await plane.as({ token: old }).ask('GET', namespace.path('configmaps'))).status === 401;
    await until(isRefused, { what: 'the refusal of the old token', withinMs: RETURN_MS });
    await api.create(place(), map('after'));
    await saw(seen, 'applied after');
    const writers = plane.audit().filter(({ objectRef }) => objectRef?.namespace === namespace.name);
    expect(writers.filter(({ user }) => user.username === account.userName)).to.have.length(2);
  });

  it('writes as the caller, though we have a certificate', async () => {
    const api = await adminApi();
    const bearer = await plane.issuer.idToken('alice@example.com');
    const refused = await failureOf(api.create(place(), map('a'), { bearer }));
    expect(refused).to.include({ status: 403, reason: 'Forbidden' });
    expect(refused.message).to.include('oidc:alice@example.com');
    await namespace.grant({ kind: 'User', name: 'oidc:alice@example.com' }, RULES);
    await api.create(place(), map('a'), { bearer });
    const line = plane.audit().findLast(({ objectRef }) => objectRef?.namespace === namespace.name);
    expect(line?.user.username).to.equal('oidc:alice@example.com');
    expect(line?.userAgent).to.match(/^pegboard\//);
    const expired = await plane.issuer.idToken('alice@example.com', { exp: 1 });
    const unknown = await failureOf(api.create(place(), map('b'), { bearer: expired }));
    expect(unknown).to.include({ status: 401, message: 'Unauthorized' });
  });

  it('tells refusals apart', async () => {
    const api = await adminApi();
    await api.create(place(), map('a'));
    expect(await failureOf(api.create(place(), map('a')))).to.include({
      status: 409,
      reason: 'AlreadyExists',
    });
    const invalid = await failureOf(api.create(place(), map('Bad_Name')));
    expect(invalid).to.include({ status: 422, reason: 'Invalid' });
    expect(invalid.causes[0]).to.include({ field: 'metadata.name' });
    const typo = { ...map('b'), dta: {} };
    expect(await failureOf(api.create(place(), typo, { isStrict: true }))).to.include({ status: 400 });
    expect((await api.create(place(), typo)).warnings).to.deep.equal(['unknown field "dta"']);
    expect(await failureOf(api.get(place('missing')))).to.include({ status: 404, reason: 'NotFound' });
    const none = { ...place(), group: 'none.example', version: 'v1' };
    expect(await failureOf(api.list(none))).to.include({
      status: 404,
      message: 'HTTP 404: 404 page not found',
    });
  });
});
