import { expect } from 'chai';
import { VERSION } from 'pegboard';
import { KubeError } from '../../../../plugins/store-kubernetes/api/kubeError.ts';
import { OwnAccess } from '../../../../plugins/store-kubernetes/api/ownAccess.ts';
import { captureLog } from '../../../support/log.ts';
import { heldTimers } from '../../../support/heldTimers.ts';
import { until } from '../../../support/until.ts';
import { PLACE, json, kubeStub, objectNamed } from '../kubeStub.ts';

const NAMED = { ...PLACE, name: 'a' };
const INVALID = {
  kind: 'Status',
  message: 'MCPServer "a" is invalid',
  reason: 'Invalid',
  code: 422,
  details: { causes: [{ field: 'spec.url', message: 'Required value', reason: 'FieldValueRequired' }] },
};

async function failureOf(work: Promise<unknown>): Promise<KubeError> {
  const error = await work.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(KubeError);
  return error as KubeError;
}

describe('store-kubernetes: calls', () => {
  it('names itself, its token and the kind of its patch; returns the object and the warnings', async () => {
    const warning = '299 - "unknown field \\"spec.uri\\"", 299 - "deprecated"';
    const { api, asked } = await kubeStub((_, res) => json(res, 200, objectNamed('a', '1'), { warning }));
    const { object, warnings } = await api.patchStatus(NAMED, { state: 'Running' }, { isStrict: true });
    expect(object.metadata.name).to.equal('a');
    expect(warnings).to.deep.equal(['unknown field "spec.uri"', 'deprecated']);
    expect(asked[0]?.method).to.equal('PATCH');
    expect(asked[0]?.url).to.equal(
      '/apis/pegboard.dev/v1alpha1/namespaces/test/mcpservers/a/status?fieldValidation=Strict',
    );
    expect(asked[0]?.headers).to.include({
      'user-agent': `pegboard/${VERSION}`,
      'content-type': 'application/merge-patch+json',
      authorization: 'Bearer old',
    });
  });

  it('reads a refusal with its causes, and one in plain text', async () => {
    const { api } = await kubeStub(({ method }, res) => {
      if (method === 'POST') json(res, 422, INVALID);
      else res.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    });
    const invalid = await failureOf(api.create(PLACE, {}));
    expect(invalid).to.include({ kind: 'status', status: 422, reason: 'Invalid', message: INVALID.message });
    expect(invalid.causes).to.deep.equal(INVALID.details.causes);
    const missing = await failureOf(api.list(PLACE));
    expect(missing).to.include({ kind: 'status', status: 404, message: 'HTTP 404: 404 page not found' });
  });

  it('sends a request again after a 401 if the token has been rotated, and only then', async () => {
    const { api, asked } = await kubeStub(({ headers }, res) =>
      headers.authorization === 'Bearer new'
        ? json(res, 200, objectNamed('a', '1'))
        : json(res, 401, { kind: 'Status', message: 'Unauthorized', code: 401 }),
    );
    await api.get(NAMED);
    expect(asked.map(({ headers }) => headers.authorization)).to.deep.equal(['Bearer old', 'Bearer new']);
    const refused = await failureOf(api.get(NAMED, { bearer: 'secret-of-alice' }));
    expect(refused).to.include({ status: 401, message: 'Unauthorized' });
    expect(asked.slice(2).map(({ headers }) => headers.authorization)).to.deep.equal([
      'Bearer secret-of-alice',
    ]);
  });

  it('counts requests, and says once that its credentials are refused and once that they are accepted', async () => {
    const log = captureLog();
    const access = new OwnAccess(log);
    let isAccepted = false;
    const { api, credentials } = await kubeStub(
      (_, res) => (isAccepted ? json(res, 200, objectNamed('a', '1')) : json(res, 401, { kind: 'Status' })),
      { ended: (outcome) => access.ended(outcome, credentials.cure) },
    );
    await failureOf(api.get(NAMED, { bearer: 'secret-of-alice' }));
    expect(log.records).to.deep.equal([]);
    for (let at = 0; at < 3; at += 1) await failureOf(api.patchStatus(NAMED, {}));
    isAccepted = true;
    for (let at = 0; at < 2; at += 1) await api.get(NAMED);
    expect(log.records.map(({ level, data }) => `${level} ${String(data['fix'])}`)).to.deep.equal([
      'error write a new one',
      'info undefined',
    ]);
    expect([...access.requests.samples()]).to.deep.equal([
      { labels: { verb: 'get', code: '401' }, value: 1 },
      { labels: { verb: 'patch', code: '401' }, value: 3 },
      { labels: { verb: 'get', code: '200' }, value: 2 },
    ]);
  });

  it('gives up on a server that says nothing, and on one that stops in the middle', async () => {
    const { api, asked } = await kubeStub(({ url }, res) => {
      if (url.includes('half')) res.writeHead(200).write('{');
    });
    for (const name of ['silent', 'half']) {
      const timers = heldTimers();
      const call = failureOf(api.get({ ...PLACE, name }));
      await until(() => asked.at(-1)?.url.endsWith(name), { what: 'the request' });
      timers.pass(10_000);
      timers.end();
      expect(await call).to.include({ kind: 'timeout' });
    }
  });

  it('refuses an answer that is too long or no JSON, and names no token', async () => {
    const { api } = await kubeStub(
      ({ url }, res) => res.end(url.includes('long') ? `"${'x'.repeat(200)}"` : '<html>'),
      { maxBytes: 100 },
    );
    for (const name of ['long', 'html']) {
      const failure = await failureOf(api.get({ ...PLACE, name }, { bearer: 'secret-of-alice' }));
      expect(failure).to.include({ kind: 'unreadable' });
      expect(failure.message).not.to.include('secret');
    }
  });

  it('says that the server cannot be reached', async () => {
    const { api, credentials } = await kubeStub((_, res) => res.destroy());
    expect(await failureOf(api.get(NAMED))).to.include({ kind: 'unreachable' });
    expect((await failureOf(api.get(NAMED))).message).not.to.include(
      String((await credentials.current()).authorization),
    );
  });

  it('refuses a name that leads to another path', async () => {
    const { api, asked } = await kubeStub((_, res) => json(res, 200, {}));
    const failure = await api.get({ ...PLACE, name: '..' }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(TypeError);
    await api.get({ ...PLACE, name: '../secrets/a' });
    expect(asked.map(({ url }) => url)).to.deep.equal([
      '/apis/pegboard.dev/v1alpha1/namespaces/test/mcpservers/..%2Fsecrets%2Fa',
    ]);
  });
});
