import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { balancerOver } from '../soak/balancerOver.ts';
import { Load, SLOW_SERVER } from '../soak/load.ts';
import { Replica } from '../soak/replica.ts';
import { makeDirectory } from '../support/directory.ts';
import type { Directory } from '../support/directory.ts';
import { rendered, valuesOf, VALUE_FILES } from '../support/kube/helm.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import type { WatchEvent } from '../support/kube/kubeClient.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { serviceUser } from '../support/kube/serviceUser.ts';
import { NEWER_FIELD, installNewerDefinition } from '../support/kube/newerDefinition.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { McpClient } from '../support/mcpClient.ts';
import { link } from '../support/packages.ts';
import { packedFolder } from '../support/packed.ts';
import { needRedis, startRedis } from '../support/redis.ts';
import { programAt } from '../support/programs.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const RELAY = programAt('test/support/relayServer.ts');
const URI = 'child://one';
const SESSIONS = 12;
const ENOUGH_CALLS = 150;
const WITHIN_MS = 30_000;

interface WithConditions {
  readonly conditions?: readonly { readonly type: string; readonly message: string }[];
}
interface WithViews {
  readonly replicas?: readonly { readonly state: string }[];
  readonly replicasReady?: string;
}
interface WithData {
  readonly data: Readonly<Record<string, string>>;
}

/** Three state folders, one key file, one Redis, one API server: as the chart configures the replicas of a Deployment. */
describe('orchestrator mode: three replicas', function () {
  this.timeout(120_000);
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let replicas: readonly [Replica, Replica, Replica];

  before(async function () {
    needRedis(this);
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    const { url } = await startRedis();
    const directory = await chartFiles(url);
    await add('slow', [process.execPath, makeDirectory({ 'slow.mjs': SLOW_SERVER }).at('slow.mjs')]);
    await add('relay', [process.execPath, ...RELAY, 'stdio']);
    const { kubeconfig: KUBECONFIG } = await serviceUser(plane, namespace);
    const env = { KUBECONFIG, PEGBOARD_KEYS_FILE: directory.at('secret/keys.json') };
    const start = (): Promise<Replica> => Replica.start(directory, { env });
    replicas = await Promise.all([start(), start(), start()]);
    await Promise.all(replicas.map(hasServers));
  });

  const add = (name: string, command: readonly string[], more: object = {}): Promise<unknown> =>
    plane.admin.create(namespace.path('mcpservers', GROUP), {
      apiVersion: GROUP,
      kind: 'MCPServer',
      metadata: { name },
      spec: { type: 'stdio', command, autoStart: true, ...more },
    });
  /** What the chart puts into the ConfigMap and the Secret. */
  const chartFiles = async (redis: string): Promise<Directory> => {
    const values = {
      definitionsNamespace: namespace.name,
      signIn: { enabled: false },
      redis: { url: redis },
      drainMs: 2_000,
    };
    const objects = await rendered('--values', join(VALUE_FILES, 'replicas.yaml'), ...valuesOf(values));
    const dataOf = (kind: string): WithData['data'] =>
      (objects.find((object) => object.kind === kind) as unknown as WithData).data;
    const keys = Buffer.from(dataOf('Secret')['keys.json'] ?? '', 'base64').toString();
    const config = dataOf('ConfigMap')['config.yaml'] ?? '';
    return makeDirectory({ 'config.yaml': config, 'secret/keys.json': keys });
  };
  const hasServers = ({ lines }: Replica): Promise<unknown> =>
    until(() => lines.filter(({ text }) => text === 'server connected').length === 2, {
      what: 'both servers',
      withinMs: WITHIN_MS,
    });
  const viewsOf = async (name: string): Promise<readonly unknown[]> => {
    const { status } = await plane.admin.get(`${namespace.path('mcpservers', GROUP)}/${name}`);
    const { replicas = [], replicasReady } = (status ?? {}) as WithViews;
    return [replicasReady, ...replicas.map(({ state }) => state)];
  };
  const writers = (): readonly Replica[] =>
    replicas.filter(({ lines }) => lines.some(({ text }) => text.startsWith('this process writes status')));

  it('lose no call, session and server while each is replaced by a newer version under load, after its definitions', async () => {
    const servers = namespace.path('mcpservers', GROUP);
    const changed = newerVersion();
    await installNewerDefinition(plane, servers);
    await add('newer', [process.execPath, ...RELAY, 'stdio'], { newThing: 'a' });
    const { events } = await plane.admin.watch(`${servers}?resourceVersion=0`);
    const unknown = 'newer: the definition is in force; mcpservers/newer spec.newThing:';
    await until(() => acceptedIn(events).some((text) => text.startsWith(unknown)), {
      what: 'the field that the older version does not know',
      withinMs: WITHIN_MS,
    });
    const saidBefore = acceptedIn(events).length;
    const load = new Load(await balancerOver(replicas.map(({ port }) => port)), SESSIONS);
    await load.begin();
    const calls = async (): Promise<void> => {
      const wanted = load.phase.calls + ENOUGH_CALLS;
      await until(() => load.phase.calls >= wanted, { what: 'calls', withinMs: WITHIN_MS });
    };
    load.enter('before');
    await calls();
    load.enter('during the upgrade');
    for (const replica of replicas) {
      await replica.end('stop');
      await replica.start(changed);
    }
    load.enter('after');
    await calls();
    await until(() => acceptedIn(events).length > saidBefore, {
      what: 'the field in force',
      withinMs: WITHIN_MS,
    });
    const phases = await load.end();
    const told = phases.map(({ name, calls: count }) => `${count} calls ${name}`).join(', ');
    console.log(`      ${told}`);
    for (const { name, lost, sessionsLost, examples } of phases)
      expect({ lost, sessionsLost }, `${name}: ${examples.join('\n')}`).deep.equal({
        lost: 0,
        sessionsLost: 0,
      });
    const said = acceptedIn(events);
    expect(said.filter((text) => !/^\w+: the definition is in force/.test(text))).deep.equal([]);
    expect(said.slice(saidBefore)).deep.equal(['newer: the definition is in force']);
    for (const { url } of replicas) {
      const { serverInfo } = (await McpClient.connect(url)).initialized as {
        readonly serverInfo?: { readonly version: string };
      };
      expect(serverInfo?.version).equal('0.1.1-changed');
      const client = await McpClient.connect(url);
      expect((await client.callTool('x_newer_seen')).isError, url).not.equal(true);
    }
  });

  it('end a session at all of them', async () => {
    const [a, b, c] = replicas;
    const atA = await McpClient.connect(a.url);
    const isAlive = (client: McpClient): Promise<boolean> =>
      client.request('ping').then(
        () => true,
        () => false,
      );
    const others = [atA.movedTo(b.url), atA.movedTo(c.url)];
    expect(await Promise.all(others.map(isAlive))).deep.equal([true, true]);
    expect(await atA.end()).equal(204);
    const isEnded = async (): Promise<boolean> =>
      !(await Promise.all([atA, ...others].map(isAlive))).includes(true);
    await until(isEnded, { what: 'the end at all' });
  });

  it('keep a subscription when the one that received it is replaced', async () => {
    const [a, b, c] = replicas;
    const atA = await McpClient.connect(a.url);
    const atB = atA.movedTo(b.url);
    const { body } = await atB.listen();
    let text = '';
    void (async () => {
      for await (const chunk of body ?? []) text += Buffer.from(chunk as Uint8Array).toString();
    })().catch(() => undefined);
    const updates = (): number => text.split('notifications/resources/updated').length - 1;
    const update = (client: McpClient): Promise<unknown> =>
      client.callTool('x_relay_notify_aside', {
        method: 'notifications/resources/updated',
        params: { uri: URI },
      });
    await atA.request('resources/subscribe', { uri: URI });
    await until(async () => (await update(atA), updates() > 0), { what: 'an update' });
    await a.end('stop');
    const before = updates();
    await until(async () => (await update(atA.movedTo(c.url)), await update(atB), updates() > before), {
      what: 'an update after the end of that replica',
      withinMs: WITHIN_MS,
    });
    await atB.end();
  });

  it('have one writer of status, which tells the views of all, and the next one after its end', async () => {
    await until(() => writers().length === 1, { what: 'a writer' });
    await until(async () => (await viewsOf('slow')).join() === '3/3,Running,Running,Running', {
      what: 'the views of all',
      withinMs: WITHIN_MS,
    });
    const [writer] = writers();
    await writer?.end('stop');
    const others = replicas.filter((one) => one !== writer);
    await until(() => others.filter((one) => writers().includes(one)).length === 1, {
      what: 'the next writer',
      withinMs: WITHIN_MS,
    });
    await until(async () => (await viewsOf('slow')).join() === '2/2,Running,Running', {
      what: 'the views of the others',
      withinMs: WITHIN_MS,
    });
  });

  /** This package with another version, and a field of servers that this one does not know. @returns its program */
  function newerVersion(): string {
    const { path, at, write } = makeDirectory();
    cpSync(packedFolder(), path, { recursive: true });
    const meta = JSON.parse(readFileSync(at('package.json'), 'utf8')) as object;
    write('package.json', JSON.stringify({ ...meta, version: '0.1.1-changed' }));
    const file = 'schemas/kinds/mcpserver.schema.json';
    const schema = JSON.parse(readFileSync(at(file), 'utf8')) as { readonly properties: object };
    write(file, JSON.stringify({ ...schema, properties: { ...schema.properties, ...NEWER_FIELD } }));
    // What has no validator in the program is checked by the schema.
    const kernel = 'dist/kernel/microkernel.js';
    write(kernel, readFileSync(at(kernel), 'utf8').replace(/"kinds\/mcpserver":\w+,/, ''));
    link(join(ROOT, 'node_modules'), at('node_modules'));
    return at('dist/kernel/program/pegboard.js');
  }
});

/** The messages of `Accepted`, each with the name of its object and once for as long as it stayed the same. */
function acceptedIn(events: readonly WatchEvent[]): readonly string[] {
  const last = new Map<string, string>();
  return events.flatMap(({ object: { metadata, status } }) => {
    const { conditions = [] } = (status ?? {}) as WithConditions;
    const message = conditions.find(({ type }) => type === 'Accepted')?.message;
    if (message === undefined || last.get(metadata.name) === message) return [];
    last.set(metadata.name, message);
    return [`${metadata.name}: ${message}`];
  });
}
