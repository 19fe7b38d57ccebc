import { expect } from 'chai';
import { ANYONE, readSchema } from '../../../../kernel/index.ts';
import { KubernetesStore } from '../../../../plugins/store-kubernetes/store/kubernetesStore.ts';

const SUBJECT = 'pegboard.dev/registered-by';
const ISSUER = 'pegboard.dev/registered-by-issuer';
const TOKEN = `x.${Buffer.from('{"aud":"api"}').toString('base64url')}.y`;

/** A store whose API server keeps one object and tells what it was sent. */
function storeWith(annotations: object | undefined): { store: KubernetesStore; sent: unknown[] } {
  const sent: unknown[] = [];
  const object = { metadata: { name: 's', annotations }, spec: { type: 'stdio' } };
  const take = (_: unknown, body: unknown): Promise<{ object: unknown }> => {
    sent.push(JSON.parse(JSON.stringify(body)));
    return Promise.resolve({ object });
  };
  const [cluster, control, definitions] = [
    { api: { create: take, mergePatch: take, get: () => Promise.resolve({ object }) } },
    () => ({
      kinds: () => [{ name: 'MCPServer', directory: 'mcpservers', schema: readSchema('kinds/mcpserver') }],
      settings: () => ({ namespace: 'n' }),
    }),
    {
      seen: () => Promise.resolve(),
      objects: () => [{ namespace: 'n', object }],
      find: () => ({ namespace: 'n', object }),
    },
  ] as unknown as ConstructorParameters<typeof KubernetesStore>;
  return { store: new KubernetesStore(cluster, control, definitions, () => Promise.resolve(TOKEN)), sent };
}

describe('custom resources: writers', () => {
  const ana = { issuer: 'https://idp.example', subject: 'ana' };
  const spec = { type: 'stdio' };
  const stored = { team: 'a', [SUBJECT]: 'ana', [ISSUER]: 'https://idp.example' };

  it('are annotations of what they create', async () => {
    const { store, sent } = storeWith(undefined);
    await store.create('MCPServer', { name: 's', spec, registeredBy: ana }, ANYONE);
    const annotations = { [SUBJECT]: 'ana', [ISSUER]: 'https://idp.example' };
    expect(sent).deep.nested.property('[0].metadata.annotations').deep.equal(annotations);
  });

  it('replace the former one, and no other annotation', async () => {
    const { store, sent } = storeWith(stored);
    for (const registeredBy of [{ subject: 'ci' }, undefined, ana])
      await store.replace('MCPServer', { name: 's', spec, registeredBy }, ANYONE);
    expect(sent).deep.equal([
      { metadata: { annotations: { [SUBJECT]: 'ci', [ISSUER]: null } }, spec: {} },
      { metadata: { annotations: { [SUBJECT]: null, [ISSUER]: null } }, spec: {} },
      { spec: {} },
    ]);
  });

  it('are read with the definition', async () => {
    const { store } = storeWith(stored);
    expect((await store.get('MCPServer', 's'))?.registeredBy).deep.equal(ana);
    expect((await store.list('MCPServer'))[0]?.registeredBy).deep.equal(ana);
  });
});
