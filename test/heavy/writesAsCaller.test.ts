import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { messageOf } from '../../kernel/index.ts';
import { askCore } from '../support/coreTools.ts';
import { textOf } from '../support/mcpClient.ts';
import type { AuditLine, ControlPlane } from '../support/kube/controlPlane.ts';
import { READS, SERVER, WRITES } from '../support/kube/callerTools.ts';
import { planeWithCrds } from '../support/kube/planeWithCrds.ts';
import { AUDIENCE } from '../support/kube/kubeIssuer.ts';
import type { KubeNamespace, Rule } from '../support/kube/kubeNamespace.ts';
import { startOrchestrated } from '../support/kube/orchestratedGateway.ts';
import type { Orchestrated } from '../support/kube/orchestratedGateway.ts';
import { until } from '../support/until.ts';

const RESOURCES = ['mcpservers', 'workflows'];

describe('orchestrator mode: writes as the caller', () => {
  let plane: ControlPlane;
  let namespace: KubeNamespace;
  let gateway: Orchestrated;

  before(async function () {
    plane = await planeWithCrds(this);
  });
  beforeEach(async () => {
    namespace = await plane.makeNamespace();
    await plane.admin.create(namespace.path('mcpservers', 'pegboard.dev/v1alpha1'), {
      apiVersion: 'pegboard.dev/v1alpha1',
      kind: 'MCPServer',
      metadata: { name: 'kept' },
      spec: SERVER,
    });
    gateway = await startOrchestrated(plane, namespace);
  });

  const may = (group: string, verbs: readonly string[]): Promise<void> => {
    const rules: Rule[] = [{ apiGroups: ['pegboard.dev'], resources: RESOURCES, verbs }];
    return namespace.grant({ kind: 'Group', name: `oidc:${group}` }, rules);
  };
  const auditOf = (name: string): readonly AuditLine[] =>
    plane
      .audit()
      .filter(({ user, objectRef }) => user.username === name && objectRef?.namespace === namespace.name);

  it('lets an editor do all, by the name of the editor in the audit log', async () => {
    await may('editors', ['create', 'patch', 'delete']);
    const alice = await gateway.session(
      await plane.issuer.idToken('alice@example.com', { groups: ['editors'] }),
    );
    for (const [tool, args] of WRITES) {
      const result = await alice.callTool(tool, args);
      expect(result.isError ?? false, `${tool}: ${textOf(result)}`).equal(false);
    }
    const lines = auditOf('oidc:alice@example.com');
    expect(lines.map(({ verb, objectRef }) => [verb, objectRef?.resource])).deep.equal(
      WRITES.map(([, , verb, resource]) => [verb, resource]),
    );
    expect(lines.every(({ userAgent }) => /^pegboard\/\d/.test(userAgent ?? ''))).equal(true);
    const own = auditOf(gateway.service).filter(({ objectRef }) =>
      RESOURCES.includes(objectRef?.resource ?? ''),
    );
    expect(own.every(({ objectRef }) => objectRef?.subresource === 'status')).equal(true);
  });

  it('refuses others each write with the missing verb, resource and namespace, and no read', async () => {
    const bob = await gateway.session(await plane.issuer.idToken('bob@example.com', { groups: ['viewers'] }));
    for (const [tool, args, verb, resource] of WRITES.filter(([name]) => !/_(start)$/.test(name))) {
      const known = { ...args, name: tool.endsWith('_create') ? 'n' : 'kept' };
      if (resource === 'workflows' && verb !== 'create') continue;
      if (tool === 'core_mcpserver_delete') continue;
      const result = await bob.callTool(tool, known);
      expect(result.isError, tool).equal(true);
      expect(textOf(result), tool).include(
        `you may not ${verb} ${resource}.pegboard.dev in namespace ${namespace.name}`,
      );
    }
    for (const [tool, args] of READS)
      expect((await bob.callTool(tool, args)).isError ?? false, tool).equal(false);
  });

  it('sends nothing for a token without the audience, and says how to get one', async () => {
    await may('editors', ['create', 'patch', 'delete']);
    const token = await plane.issuer.idToken('carl@example.com', { groups: ['editors'], aud: 'another' });
    const carl = await gateway.session(token);
    const text = textOf(await carl.callTool('core_mcpserver_create', { name: 's', ...SERVER }));
    expect(text)
      .include('dex-k8s-authenticator')
      .include('pegboard auth login')
      .include('the audience another');
    expect(auditOf('oidc:carl@example.com')).deep.equal([]);
  });

  it('requests the audience when people sign in, and explains why their issuer is not trusted', async () => {
    const dora = await gateway.signIn('dora');
    expect(decodeJwt(dora.idToken).aud).include(AUDIENCE);
    const text = textOf(await dora.callTool('core_mcpserver_create', { name: 's', ...SERVER }));
    expect(text).include(`must trust the issuer ${gateway.auth.provider.url}`);
  });

  it('writes with the id_token of a sign-in at the gateway, once the API server trusts the issuer', async () => {
    await may('editors', ['create']);
    plane.trust(gateway.provider);
    const erin = await gateway.signIn('erin', { groups: ['editors'] });
    const isTrusted = async (): Promise<boolean> =>
      (await plane.as({ token: erin.idToken }).ask('GET', '/version')).status === 200;
    await until(isTrusted, { what: 'the API server to trust the identity provider', withinMs: 90_000 });
    const result = await erin.callTool('core_mcpserver_create', { name: 's', ...SERVER });
    expect(result.isError ?? false, textOf(result)).equal(false);
    expect(auditOf('oidc:erin@example.com').map(({ verb }) => verb)).deep.equal(['create']);
    await until(async () => JSON.stringify(await erin.callTool('core_service_list')).includes('"name":"s"'), {
      what: 'the server that was created',
    });
  });

  it('refuses callers without an id_token, and never writes with the identity of the service', async () => {
    const before = auditOf(gateway.service).length;
    const text = await askCore(gateway.auth.gateway, 'core_mcpserver_create', { name: 's', ...SERVER }).then(
      String,
      messageOf,
    );
    expect(text).include('written with the identity of the caller').include('kubectl');
    const own = auditOf(gateway.service).slice(before);
    expect(
      own.filter(
        ({ objectRef }) => objectRef?.resource === 'mcpservers' && objectRef.subresource === undefined,
      ),
    ).deep.equal([]);
  });
});
