import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { mcpClient } from '../contract/index.ts';
import type { McpClient } from '../contract/index.ts';
import { HttpFixture } from '../plugins/upstream/httpFixture.ts';
import { defer } from '../support/cleanup.ts';
import { forwardProxy } from '../support/forwardProxy.ts';
import { makeDirectory } from '../support/directory.ts';
import type { ControlPlane } from '../support/kube/controlPlane.ts';
import { crdFiles } from '../support/kube/installCrds.ts';
import { installNewerDefinition } from '../support/kube/newerDefinition.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import type { KubeNamespace } from '../support/kube/kubeNamespace.ts';
import { SERVICE_RULES, TEAM_RULES, serviceUser } from '../support/kube/serviceUser.ts';
import { runPegboard, servePegboard } from '../support/serve.ts';
import type { LogLine, Pegboard } from '../support/serve.ts';
import { ROOT } from '../support/sources.ts';
import { until } from '../support/until.ts';

const GROUP = 'pegboard.dev/v1alpha1';
const HOSTILE = join(ROOT, 'test/plugins/upstream/fixtures/hostile.mjs');
const STDIO = { type: 'stdio', command: [process.execPath, HOSTILE, 'plain'], autoStart: true };
const NEWER = { ...STDIO, newThing: 'a' };
/** Nothing listens there. */
const AWAY = { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp' };
/** More than while all is well. */
const STALE_SECONDS = 21;
const TAKEOVER_MS = 15_000;
/** Believes the groups of a header. */
const IDENTIFY = `
import { STAGE } from 'pegboard';
const identify = (request) => {
  const groups = request.header('x-groups');
  if (groups !== undefined) request.caller = { subject: 'ann', issuer: 'test', claims: { groups: groups.split(',') } };
};
const apply = (scope) => scope.tap('onRequest', identify, STAGE.identify);
export const plugin = { name: 'test-identify', api: 1, configSchema: {}, apply };
`;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration: number;
}
interface Status {
  readonly state?: string;
  readonly tools?: number;
  readonly lastRestartedAt?: string;
  readonly nextRetryAfter?: string;
  readonly conditions?: readonly Condition[];
}

describe('orchestrator mode', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let servers: string;
  let gateway: Pegboard;
  let client: McpClient;
  let KUBECONFIG: string;

  before(async function () {
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    servers = namespace.path('mcpservers', GROUP);
    KUBECONFIG = (await serviceUser(plane, namespace)).kubeconfig;
    gateway = await serve();
    client = await mcpClient(gateway.url);
  });

  const configOf = (more = ''): string => {
    const text = `orchestrator: true\nnamespace: ${namespace.name}\n${more}`;
    return makeDirectory({ 'config.yaml': text }).path;
  };
  const serve = (more = ''): Promise<Pegboard> => servePegboard(configOf(more), [], { env: { KUBECONFIG } });
  const add = async (name: string, spec: object = STDIO): Promise<void> => {
    const kind = { apiVersion: GROUP, kind: 'MCPServer' };
    await plane.admin.create(servers, { ...kind, metadata: { name }, spec });
  };
  const edit = async (name: string, spec: object): Promise<void> => {
    const { status, text } = await plane.admin.ask('PATCH', `${servers}/${name}`, { body: { spec } });
    expect(status, text).equal(200);
  };
  const remove = (name: string): Promise<unknown> => plane.admin.delete(`${servers}/${name}`);
  const statusOf = async (name: string): Promise<Status> =>
    (await plane.admin.get(`${servers}/${name}`)).status ?? {};
  const condition = async (name: string, type: string): Promise<Condition | undefined> =>
    (await statusOf(name)).conditions?.find((one) => one.type === type);
  const isReady = async (name: string): Promise<boolean> =>
    (await condition(name, 'Ready'))?.status === 'True';
  const ready = (name: string): Promise<unknown> =>
    until(() => isReady(name), { what: `${name} to be ready`, withinMs: TAKEOVER_MS });
  const pidOf = async (name: string): Promise<string> => {
    const { content } = await client.callTool(`x_${name}_pid`);
    return JSON.stringify(content);
  };
  const statusWrites = (): number =>
    plane
      .audit()
      .filter(
        ({ objectRef }) => objectRef?.namespace === namespace.name && objectRef.subresource === 'status',
      ).length;

  it('takes definitions from custom resources, live, and writes what has become of them', async () => {
    const startedAt = performance.now();
    await add('s');
    await until(async () => (await client.callTool('x_s_pid')).isError !== true, { what: 'its tool' });
    console.log(`      created: its tool answers after ${Math.round(performance.now() - startedAt)} ms`);
    await ready('s');
    expect(await statusOf('s')).include({ state: 'Running', tools: 16 });
    expect((await condition('s', 'Ready'))?.reason).equal('Connected');
    await edit('s', { toolPrefix: 'other' });
    await until(async () => (await client.callTool('x_other_pid')).isError !== true, {
      what: 'the new name',
    });
    await remove('s');
    await until(async () => (await client.callTool('x_other_pid')).isError === true, { what: 'its end' });
    const { content } = await client.callTool('core_mcpserver_list');
    expect(JSON.stringify(content)).include('\\"mode\\":\\"orchestrator\\"').include('\\"total\\":0');
  });

  it('takes definitions of a team once its role is granted, with its Secrets, and none that has a name of ours', async () => {
    await gateway.stop();
    const team = await plane.makeNamespace();
    const user = { kind: 'User', name: `service-of-${namespace.name}` } as const;
    const fixture = new HttpFixture();
    fixture.hasSessions = false;
    await fixture.listen();
    defer(() => fixture.kill());
    const { place } = await forwardProxy(() => Number(new URL(fixture.url).port));
    const headers = { 'x-token': '${secret:tracker/token}' };
    const remote = { type: 'streamable-http', url: 'http://mcp.team.example/mcp', headers };
    for (const [where, token] of [
      [namespace, 'ours'],
      [team, 'theirs'],
    ] as const) {
      const secret = { metadata: { name: 'tracker' }, stringData: { token } };
      await plane.admin.create(where.path('secrets'), secret);
    }
    const read = { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['tracker'] };
    await namespace.grant(user, [read]);
    const theirs = team.path('mcpservers', GROUP);
    for (const [name, spec] of Object.entries({ same: remote, theirs: remote, program: STDIO }))
      await plane.admin.create(theirs, { apiVersion: GROUP, kind: 'MCPServer', metadata: { name }, spec });
    await add('same', remote);
    const plugins = `plugins: { store-kubernetes: { config: { namespaces: [${team.name}] } } }`;
    gateway = await serve(`aggregator: { proxy: 'http://${place}' }\n${plugins}\n`);
    const caller = await mcpClient(gateway.url);
    const sentBy = async (server: string): Promise<unknown> => {
      const { isError } = await caller.callTool(`x_${server}_echo`, { message: 'm' });
      return isError === true ? undefined : fixture.headers.at(-1)?.['x-token'];
    };
    await until(async () => (await sentBy('same')) === 'ours', { what: 'our server' });
    await team.grant(user, [...TEAM_RULES, read]);
    await until(async () => (await sentBy('theirs')) === 'theirs', { what: 'theirs', withinMs: 30_000 });
    const reasonOf = async (name: string): Promise<string | undefined> => {
      const { conditions = [] } = ((await plane.admin.get(`${theirs}/${name}`)).status ?? {}) as Status;
      return conditions.find(({ type }) => type === 'Accepted')?.reason;
    };
    const reasons = Object.entries({ theirs: 'InForce', same: 'NameTaken', program: 'NotAllowed' });
    for (const [name, reason] of reasons)
      await until(async () => (await reasonOf(name)) === reason, { what: name, withinMs: TAKEOVER_MS });
    expect(await sentBy('same')).equal('ours');
    const events = async (): Promise<string> => JSON.stringify(await plane.admin.get(team.path('events')));
    await until(async () => (await events()).includes('"reason":"NameTaken"'), { what: 'its Event' });
    await caller.close();
  });

  it('keeps the last good version of one that is wrong, says why at the object, and applies the others', async () => {
    await add('s');
    await ready('s');
    const pid = await pidOf('s');
    await edit('s', { includeTools: ['[z-a'] });
    await add('t');
    await ready('t');
    await until(async () => (await condition('s', 'Accepted'))?.status === 'False', { what: 'the refusal' });
    const accepted = await condition('s', 'Accepted');
    expect(accepted).include({ reason: 'ConfigInvalid', observedGeneration: 2 });
    expect(accepted?.message).include('mcpservers/s spec.includeTools[0]');
    expect(await isReady('s')).equal(false);
    expect(await pidOf('s')).equal(pid);
    await edit('s', { includeTools: null });
    await ready('s');
    expect(await pidOf('s')).equal(pid);
  });

  it('runs one of a newer version without the fields that it does not know, also after a restart, and names them', async () => {
    await installNewerDefinition(plane, servers);
    await add('s', NEWER);
    // The watch that shows it first began before its definition.
    await until(async () => (await condition('s', 'Accepted'))?.message.includes('spec.newThing'), {
      what: 'the unknown field at the one that runs',
    });
    await gateway.stop();
    await edit('s', { description: 'a later one' });
    const restarted = await serve();
    await until(async () => (await condition('s', 'Accepted'))?.observedGeneration === 2, {
      what: 'the status by the next one',
    });
    await ready('s');
    expect(restarted.lines.filter(({ level }) => level === 'error')).deep.equal([]);
    const accepted = await condition('s', 'Accepted');
    expect(accepted).include({ status: 'True', reason: 'InForce' });
    expect(accepted?.message).include('mcpservers/s spec.newThing').include('unknown key');
  });

  it('takes a command as a text, and says at the object if it has none that can be run', async () => {
    const [command, ...args] = STDIO.command;
    await add('s', { ...STDIO, command, args });
    await ready('s');
    for (const [name, wrong] of Object.entries({ none: undefined, number: 5, map: { node: 'server.js' } })) {
      await add(name, { ...STDIO, command: wrong });
      await until(async () => (await condition(name, 'Accepted'))?.status === 'False', { what: name });
      const accepted = await condition(name, 'Accepted');
      expect(accepted).include({ reason: 'ConfigInvalid' });
      expect(accepted?.message).match(/command (is required|must be)/);
    }
    expect(await isReady('s')).equal(true);
  });

  it('stops, starts and restarts a server once for each newer request, and mirrors the request', async () => {
    await add('s');
    await ready('s');
    const first = await pidOf('s');
    const asks = async (restartRequestedAt: string, mirrored = restartRequestedAt): Promise<void> => {
      await edit('s', { restartRequestedAt });
      await until(async () => (await statusOf('s')).lastRestartedAt === mirrored, { what: mirrored });
    };
    await asks('2026-11-24T10:00:00Z');
    await ready('s');
    const second = await pidOf('s');
    expect(second).not.equal(first);
    for (const former of ['2026-11-24T11:00:00+01:00', '2026-11-24T09:59:59Z', '2026-11-24T10:00:00Z'])
      await asks(former, '2026-11-24T10:00:00Z');
    await edit('s', { description: 'as a sign that the former edits have been seen' });
    await until(async () =>
      JSON.stringify(await client.callTool('core_mcpserver_list')).includes('as a sign'),
    );
    expect(await pidOf('s')).equal(second);
    await edit('s', { suspended: true });
    await until(async () => (await statusOf('s')).state === 'Stopped', { what: 'its stop' });
    expect((await condition('s', 'Ready'))?.reason).equal('UpstreamSuspended');
    await edit('s', { suspended: false });
    await ready('s');
  });

  it('counts the restart of a server that cannot be reached as done, and shows when it is tried again', async () => {
    await add('s', AWAY);
    await until(async () => (await statusOf('s')).nextRetryAfter !== undefined, { what: 'the next attempt' });
    await edit('s', { restartRequestedAt: '2026-11-24T10:00:00Z' });
    await until(async () => (await statusOf('s')).lastRestartedAt === '2026-11-24T10:00:00Z');
    const reachable = await condition('s', 'Reachable');
    expect(reachable).include({ status: 'False', reason: 'UpstreamUnreachable' });
    await until(async () => (await statusOf('s')).nextRetryAfter !== undefined, {
      what: 'the attempt after it',
    });
  });

  it('writes no status while nothing changes', async () => {
    await Promise.all([add('a'), add('b'), add('c')]);
    await Promise.all([ready('a'), ready('b'), ready('c')]);
    await until(() => gateway.lines.some(({ text }) => text.startsWith('this process writes status')));
    const leases = (): number =>
      plane
        .audit()
        .filter(({ objectRef }) => objectRef?.resource === 'leases' && objectRef.namespace === namespace.name)
        .length;
    const before = statusWrites();
    const renewals = leases();
    await until(() => leases() >= renewals + 3, { what: 'three renewals of the Lease', withinMs: 20_000 });
    expect(statusWrites()).equal(before);
  });

  it('lets one of two processes write status, and the other within 15 s of its end', async () => {
    const other = await serve();
    await add('s');
    await ready('s');
    const isWriter = ({ lines }: Pegboard): boolean =>
      lines.some(({ text }) => text.startsWith('this process writes status'));
    expect([isWriter(gateway), isWriter(other)]).deep.equal([true, false]);
    await gateway.kill();
    const startedAt = performance.now();
    await until(() => isWriter(other), { what: 'the takeover', withinMs: TAKEOVER_MS });
    console.log(`      takeover after ${Math.round(performance.now() - startedAt)} ms`);
    await add('t');
    await ready('t');
    const third = await serve();
    const stoppedAt = performance.now();
    await other.stop();
    const { spec } = await plane.admin.get(`${namespace.path('leases', 'coordination.k8s.io/v1')}/pegboard`);
    expect(spec).include({ holderIdentity: '' });
    await until(() => isWriter(third), { what: 'the handover', withinMs: TAKEOVER_MS });
    console.log(`      handover after ${Math.round(performance.now() - stoppedAt)} ms`);
  });

  it('keeps what is in force while the API server is away, and takes later edits', async () => {
    await add('s');
    await ready('s');
    const pid = await pidOf('s');
    const generation = (): number =>
      gateway.lines.filter(({ text }) => text === 'configuration applied').length;
    const applied = generation();
    let isAway = true;
    const load = async (): Promise<number> => {
      let calls = 0;
      for (; isAway; calls += 1) expect(await pidOf('s')).equal(pid);
      return calls;
    };
    const loads = Promise.all([1, 2, 3, 4].map(load));
    await plane.stop();
    await plane.start();
    plane.freeze();
    await pause(2_000);
    plane.thaw();
    await plane.restart();
    isAway = false;
    const calls = (await loads).reduce((sum, count) => sum + count, 0);
    console.log(`      calls while it was killed, frozen and restarted: ${calls}, none failed`);
    expect(calls).above(100);
    await add('t');
    await ready('t');
    await until(async () => (await client.callTool('x_t_pid')).isError !== true, {
      what: 'the later one',
      withinMs: 40_000,
    });
    expect(await pidOf('s')).equal(pid);
    expect(generation()).equal(applied + 1);
  });

  it('shows for how long a frozen API server has sent nothing, and stays ready', async () => {
    const staleSeconds = async (): Promise<number> => {
      const answer = await fetch(`${gateway.url}/ready?verbose`);
      expect(answer.status).equal(200);
      const { definitions } = (await answer.json()) as {
        readonly definitions: readonly { readonly staleSeconds: number }[];
      };
      return Math.max(...definitions.map((one) => one.staleSeconds));
    };
    await add('s');
    await ready('s');
    plane.freeze();
    await until(async () => (await staleSeconds()) >= STALE_SECONDS, { what: 'staleness', withinMs: 90_000 });
    expect((await client.callTool('x_s_pid')).isError).not.equal(true);
    plane.thaw();
    const startedAt = performance.now();
    await add('t');
    await until(async () => (await client.callTool('x_t_pid')).isError !== true, { what: 'the later one' });
    expect(await staleSeconds()).below(STALE_SECONDS);
    console.log(`      an edit after the thaw is live after ${Math.round(performance.now() - startedAt)} ms`);
  });

  it('says in one line that its token is refused, with the cure, and takes the next one from the kubeconfig', async () => {
    const email = 'gateway@example.com';
    await namespace.grant({ kind: 'User', name: `oidc:${email}` }, SERVICE_RULES);
    const kubeconfig = async (): Promise<string> =>
      plane.kubeconfig({ token: await plane.issuer.idToken(email) }, namespace.name);
    await gateway.stop();
    KUBECONFIG = await kubeconfig();
    const other = await serve();
    await add('s');
    await ready('s');
    plane.issuer.rotateKeys();
    const next = await kubeconfig();
    // The API server learns of the rotation by a token of the new key.
    await plane.as({ token: await plane.issuer.idToken(email) }).ask('GET', servers);
    const faults = (): readonly LogLine[] => other.lines.filter(({ level }) => /warn|error/.test(level));
    await until(() => faults().length > 0, { what: 'the refusal' });
    await add('t');
    copyFileSync(next, KUBECONFIG);
    await ready('t');
    expect(faults()).length(1);
    expect(faults()[0]).include({ level: 'error', reason: 'the API server answers 401 Unauthorized' });
    expect(faults()[0]?.['fix']).include('write new credentials into it: it is read again within seconds');
    await other.logged('the Kubernetes API is open to Pegboard again');
  });

  it('says in the log and in an Event of the Lease which definition is gone, and takes the kind again', async () => {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const definition = crdFiles().find(({ metadata }) => metadata.name === 'toolsetpresets.pegboard.dev');
    await add('s');
    await ready('s');
    await plane.admin.delete(`${path}/${definition?.metadata.name}`);
    try {
      const line = await gateway.logged(
        'the custom resource definition is gone, and with it all its objects',
      );
      expect(line).include({ level: 'warn', definition: 'toolsetpresets.pegboard.dev' });
      const told = async (): Promise<unknown> => {
        const { items = [] } = await plane.admin.get(namespace.path('events'));
        return items.find(({ reason }) => reason === 'DefinitionGone')?.['involvedObject'];
      };
      expect(await until(told, { what: 'the Event' })).include({ kind: 'Lease', name: 'pegboard' });
      expect((await client.callTool('x_s_pid')).isError).not.equal(true);
    } finally {
      await until(async () => (await plane.admin.ask('POST', path, { body: definition })).status === 201);
    }
    const preset = {
      apiVersion: GROUP,
      kind: 'ToolsetPreset',
      metadata: { name: 'later' },
      spec: { include: [{ tool: 'a', server: 'b' }] },
    };
    const presets = namespace.path('toolsetpresets', GROUP);
    await until(async () => (await plane.admin.ask('POST', presets, { body: preset })).status === 201);
    await until(async () => (await plane.admin.get(`${presets}/later`)).status !== undefined, {
      what: 'the status of a later object',
    });
  });

  it('is right after each of 200 replacements within 50 ms', async () => {
    for (let round = 0; round < 200; round += 1) {
      await add('s', { ...AWAY, description: `round ${round}` });
      if (round === 199) break;
      await remove('s');
    }
    const seen = async (): Promise<boolean> =>
      JSON.stringify(await client.callTool('core_mcpserver_list')).includes('round 199');
    await until(seen, { what: 'the last one' });
    await until(async () => (await statusOf('s')).state !== undefined, { what: 'its status' });
  });

  it('takes presets and entries of access that teams keep as objects, and says at them what is wrong', async () => {
    await add('s');
    const guarded = await servePegboard(
      makeDirectory({
        'identify.mjs': IDENTIFY,
        'config.yaml': [
          `orchestrator: true\nnamespace: ${namespace.name}`,
          "access: [{ groups: [none], toolset: ['preset:none'] }]",
          'plugins: { test-identify: { module: ./identify.mjs } }\n',
        ].join('\n'),
      }).path,
      [],
      { env: { KUBECONFIG } },
    );
    const member = await mcpClient(guarded.url, { 'x-groups': 'team' });
    const listed = async (): Promise<string> =>
      JSON.stringify((await member.callMeta('list_tools', {})).content);
    expect(await listed()).include('no entry of access');
    const object = (kind: string, spec: object): Promise<unknown> => {
      const plural = kind === 'Access' ? 'accesses' : 'toolsetpresets';
      const body = { apiVersion: GROUP, kind, metadata: { name: 'team' }, spec };
      return plane.admin.create(namespace.path(plural, GROUP), body);
    };
    await object('ToolsetPreset', { include: [{ tool: 'x_s_pid' }] });
    await object('Access', { groups: ['team'], toolset: ['preset:team'] });
    await until(async () => (await listed()).includes('x_s_pid'), { what: 'the tool of the team' });
    expect(await listed()).not.include('x_s_echo');
    const preset = namespace.path('toolsetpresets/team', GROUP);
    const accepted = async (): Promise<Condition | undefined> =>
      ((await plane.admin.get(preset)).status as Status | undefined)?.conditions?.find(
        ({ type }) => type === 'Accepted',
      );
    await plane.admin.ask('PATCH', preset, { body: { spec: { include: [{ tool: 'a', server: 'b' }] } } });
    await until(async () => (await accepted())?.status === 'False', { what: 'the refusal' });
    expect((await accepted())?.message).include('include[0] has 2 keys (tool, server)');
    expect(await listed(), 'the last good version').include('x_s_pid');
    await plane.admin.delete(namespace.path('accesses/team', GROUP));
    await until(async () => (await listed()).includes('no entry of access'), { what: 'its end' });
  });

  it('starts where the role or the definitions of an older version lack kinds, and names what is not read', async () => {
    const older = SERVICE_RULES.map(({ resources, ...rule }) => ({
      ...rule,
      resources: resources.filter((name) => !/^(toolsetpresets|accesses)/.test(name)),
    })).filter(({ resources }) => resources.length > 0);
    const other = await plane.makeNamespace();
    const { kubeconfig } = await serviceUser(plane, other, older);
    const directory = makeDirectory({ 'config.yaml': `orchestrator: true\nnamespace: ${other.name}\n` });
    const old = await servePegboard(directory.path, [], { env: { KUBECONFIG: kubeconfig } });
    const unread = old.lines.filter(({ text }) => text === 'watch interrupted').map(({ plural }) => plural);
    expect(unread).members(['toolsetpresets', 'accesses']);
  });

  it('does not start without the API server: it retries, then exits with 4 and takes no files', async () => {
    const more = 'plugins: { store-kubernetes: { config: { startWaitMs: 1500 } } }\n';
    const directory = configOf(more);
    await plane.stop();
    const { code, stderr } = await runPegboard(['serve', '--config-path', directory, '--port', '0'], {
      KUBECONFIG,
    });
    expect(code).equal(4);
    expect(stderr).match(/no definitions after 2 s: the Kubernetes API cannot list .* \(STORE_UNREACHABLE\)/);
  });

  it('ends at once, in order, when it is stopped while it waits for the API server', async () => {
    const directory = configOf('plugins: { store-kubernetes: { config: { startWaitMs: 600000 } } }\n');
    await plane.stop();
    const waiting = await servePegboard(directory, [], { env: { KUBECONFIG }, awaited: 'watch interrupted' });
    expect(await waiting.stop()).deep.equal({ code: 0, signal: null });
    expect(waiting.lines.at(-1)).include({
      text: 'stopped before the start was complete',
      reason: 'SIGTERM',
    });
  });
});
