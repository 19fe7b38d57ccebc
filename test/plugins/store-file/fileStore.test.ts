import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { ResourceStore } from '../../../plugins/contracts/definitions.ts';
import { isGatewayError, messageOf } from '../../../kernel/errors.ts';
import { asUnprivileged } from '../../support/asUnprivileged.ts';
import { bootGateway } from '../../support/gateway.ts';
import type { Gateway, GatewayOptions } from '../../support/gateway.ts';

const KIND = 'MCPServer';
const SPEC = { type: 'stdio', command: ['node'] };

function boot(files: GatewayOptions['files'] = {}): Promise<Gateway> {
  return bootGateway({ builtIns: ['store-file', 'core-mcpservers'], files });
}
function storeOf({ kernel }: Gateway): ResourceStore {
  return kernel.registry.get(ResourceStore.id) as ResourceStore;
}
function textOf({ directory }: Gateway, name: string): string {
  return readFileSync(directory.at(name), 'utf8');
}
async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isGatewayError(error) ? error.code : String(error);
}

describe('plugins/store-file: writing', () => {
  it('keeps who has written a definition, until another writes it, beside other annotations', async () => {
    const metadata = 'metadata: { name: a, annotations: { team: b } } # own\n';
    const head = `apiVersion: pegboard.dev/v1alpha1\nkind: ${KIND}\n`;
    const gateway = await boot({
      'mcpservers/a.yaml': `${head}${metadata}spec: ${JSON.stringify(SPEC)}\n`,
      'mcpservers/flat.yaml': JSON.stringify(SPEC),
    });
    const store = storeOf(gateway);
    const ana = { issuer: 'https://idp.example', subject: 'ana: "x"' };
    await store.create(KIND, { name: 'new', spec: SPEC, registeredBy: ana });
    expect((await store.get(KIND, 'new'))?.registeredBy).deep.equal(ana);
    for (const registeredBy of [ana, { subject: 'ci' }, undefined]) {
      await store.replace(KIND, { name: 'a', spec: SPEC, registeredBy });
      expect((await store.get(KIND, 'a'))?.registeredBy).deep.equal(registeredBy);
      expect(textOf(gateway, 'mcpservers/a.yaml')).contain('team: b').and.contain('# own');
    }
    await store.replace(KIND, { name: 'flat', spec: SPEC, registeredBy: ana });
    expect((await store.get(KIND, 'flat'))?.registeredBy).equal(undefined);
  });

  it('refuses to change or delete a definition whose file has others, and names the file', async () => {
    const one = (name: string): string => JSON.stringify({ name, ...SPEC });
    const text = `${one('a')}\n---\n${one('b')}\n`;
    const gateway = await boot({ 'mcpservers/two.yaml': text });
    const store = storeOf(gateway);
    for (const change of [store.replace(KIND, { name: 'b', spec: SPEC }), store.delete(KIND, 'b')]) {
      const error: unknown = await change.catch((reason: unknown) => reason);
      expect(error).to.include({ code: 'STORE_FORBIDDEN' });
      expect(messageOf(error)).to.equal(
        `${gateway.directory.at('mcpservers/two.yaml')} has more than MCPServer b; give each a file of its own, or edit it by hand`,
      );
    }
    expect(textOf(gateway, 'mcpservers/two.yaml')).to.equal(text);
    expect((await store.list(KIND)).map(({ name }) => name)).to.deep.equal(['a', 'b']);
  });

  it('creates a file in resource form that reads back, private to its owner and without leftovers', async () => {
    const gateway = await boot();
    const store = storeOf(gateway);
    await store.create(KIND, { name: 'a', labels: { team: 'x' }, spec: SPEC });
    expect(textOf(gateway, 'mcpservers/a.yaml')).to.contain(
      'apiVersion: pegboard.dev/v1alpha1\nkind: MCPServer\n',
    );
    expect(await store.get(KIND, 'a')).to.deep.equal({ name: 'a', labels: { team: 'x' }, spec: SPEC });
    expect(readdirSync(gateway.directory.at('mcpservers'))).to.deep.equal(['a.yaml']);
    expect(statSync(gateway.directory.at('mcpservers/a.yaml')).mode & 0o777).to.equal(0o600);
    expect((await gateway.pipeline.reload()).diff.added).to.deep.equal(['MCPServer/a']);
  });

  it('writes the namespace in force, so that the definition is read again', async () => {
    const gateway = await boot({ 'config.yaml': 'namespace: prod\n' });
    await storeOf(gateway).create(KIND, { name: 'a', spec: SPEC });
    expect((await gateway.pipeline.reload()).diff.added).to.deep.equal(['MCPServer/a']);
  });

  it('refuses to create what exists, under any file name', async () => {
    const gateway = await boot({ 'mcpservers/x.yml': 'name: a\ntype: stdio\ncommand: [a]\n' });
    expect(await codeOf(storeOf(gateway).create(KIND, { name: 'a', spec: SPEC }))).to.equal('STORE_CONFLICT');
    gateway.directory.write('mcpservers/b.yaml', 'name: other\ntype: stdio\ncommand: [a]\n');
    expect(await codeOf(storeOf(gateway).create(KIND, { name: 'b', spec: SPEC }))).to.equal('STORE_CONFLICT');
    gateway.directory.write('mcpservers/c.yaml', 'half: [');
    expect(await codeOf(storeOf(gateway).create(KIND, { name: 'c', spec: SPEC }))).to.equal('STORE_CONFLICT');
  });

  it('creates a name once when two request it at the same time', async () => {
    const gateway = await boot();
    const both = [1, 2].map(() => codeOf(storeOf(gateway).create(KIND, { name: 'a', spec: SPEC })));
    expect(await Promise.all(both)).to.have.members(['undefined', 'STORE_CONFLICT']);
  });

  it('writes no file outside its folder, whatever the name', async () => {
    const gateway = await boot();
    const store = storeOf(gateway);
    const parts = fc.constantFrom('..', '.', '/', '\\', 'a', '\0', '%2e', '-', ' ', '\n', 'B', '_');
    const names = fc.array(parts, { maxLength: 6 }).map((words) => words.join(''));
    const before = (): string[] => readdirSync(gateway.directory.path).sort();
    mkdirSync(gateway.directory.at('mcpservers'));
    const around = before();
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const code = await codeOf(store.create(KIND, { name, spec: SPEC }));
        if (code === 'undefined') {
          expect(readdirSync(gateway.directory.at('mcpservers'))).to.deep.equal([`${name}.yaml`]);
          await store.delete(KIND, name);
        } else expect(code).to.equal('STORE_FORBIDDEN');
        expect(before()).to.deep.equal(around);
        expect(readdirSync(gateway.directory.at('mcpservers'))).to.deep.equal([]);
      }),
    );
    expect(await codeOf(store.delete(KIND, '../config'))).to.equal('STORE_NOT_FOUND');
  });

  it('replaces the spec and keeps comments, metadata, form and mode', async () => {
    const gateway = await boot({
      'mcpservers/a.yaml': '# why\ntype: stdio # local\ncommand: [old]\n',
      'mcpservers/b.yml':
        '# head\napiVersion: x/v1alpha1\nkind: MCPServer\nmetadata:\n  name: bee\n  annotations: { who: me }\nspec:\n  type: stdio\n  command: [old]\n',
    });
    const store = storeOf(gateway);
    await store.replace(KIND, { name: 'a', spec: { type: 'stdio', command: ['new'] } });
    expect(textOf(gateway, 'mcpservers/a.yaml')).to.equal('# why\ntype: stdio # local\ncommand: [new]\n');
    await store.replace(KIND, { name: 'bee', spec: { type: 'stdio', command: ['new'] } });
    expect(textOf(gateway, 'mcpservers/b.yml'))
      .to.contain('# head\n')
      .and.contain('annotations: { who: me }');
    expect((await store.get(KIND, 'bee'))?.spec).to.deep.equal({ type: 'stdio', command: ['new'] });
  });

  it('writes through a link and keeps the link', async () => {
    const gateway = await boot({ 'real/a.yaml': 'type: stdio\ncommand: [old]\n' });
    mkdirSync(gateway.directory.at('mcpservers'));
    symlinkSync('../real/a.yaml', gateway.directory.at('mcpservers/a.yaml'));
    await storeOf(gateway).replace(KIND, { name: 'a', spec: SPEC });
    expect(textOf(gateway, 'real/a.yaml')).to.equal('type: stdio\ncommand: [node]\n');
  });

  it('reports a missing definition, and one it does not modify because it is broken', async () => {
    const gateway = await boot();
    const store = storeOf(gateway);
    expect(await store.get(KIND, 'none')).to.equal(undefined);
    expect(await codeOf(store.replace(KIND, { name: 'none', spec: SPEC }))).to.equal('STORE_NOT_FOUND');
    expect(await codeOf(store.delete(KIND, 'none'))).to.equal('STORE_NOT_FOUND');
    expect(await codeOf(store.list('Nothing'))).to.equal('CONFIG_REFERENCE');
    gateway.directory.write('mcpservers/broken.yaml', 'type: [');
    expect(await codeOf(store.replace(KIND, { name: 'broken', spec: SPEC }))).to.equal('CONFIG_UNREADABLE');
    await store.delete(KIND, 'broken');
    expect(await store.list(KIND)).to.deep.equal([]);
  });

  it('loses neither of many concurrent edits', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': 'type: stdio\ncommand: [a]\n' });
    const store = storeOf(gateway);
    const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
    await Promise.all(names.map((name) => store.create(KIND, { name, spec: SPEC })));
    await Promise.all(
      names.map((name, at) => store.replace(KIND, { name, spec: { ...SPEC, timeout: at + 1 } })),
    );
    const stored = await Promise.all(names.map((name) => store.get(KIND, name)));
    expect(stored.map((definition) => definition?.spec['timeout'])).to.deep.equal(
      names.map((_, at) => at + 1),
    );
  });

  it('refuses to write what it would not read again', async () => {
    const config = 'plugins: { store-file: { config: { maxFileBytes: 1024 } } }\n';
    const gateway = await boot({ 'config.yaml': config, 'mcpservers/a.yaml': 'type: stdio\ncommand: [a]\n' });
    const store = storeOf(gateway);
    const long = (chars: number) => ({ ...SPEC, description: 'x'.repeat(chars) });
    const listed = { ...SPEC, args: Array(200).fill('x') };
    for (const spec of [long(1_000), listed]) {
      const refusals = [store.create(KIND, { name: 'b', spec }), store.replace(KIND, { name: 'a', spec })];
      for (const message of await Promise.all(refusals.map((refusal) => refusal.then(String, messageOf))))
        expect(message).to.match(/^the definition has \d+ bytes, more than 1024; .*raise .*maxFileBytes$/);
    }
    await store.create(KIND, { name: 'b', spec: long(800) });
    expect(await store.get(KIND, 'b')).to.deep.include({ spec: long(800) });
    expect(textOf(gateway, 'mcpservers/a.yaml')).to.equal('type: stdio\ncommand: [a]\n');
  });

  it('names the fix when the folder is not writable, and leaves the file unchanged', async () => {
    const gateway = await boot({ 'mcpservers/a.yaml': 'type: stdio\ncommand: [a]\n' });
    chmodSync(gateway.directory.path, 0o755);
    chmodSync(gateway.directory.at('mcpservers'), 0o555);
    const messages = await asUnprivileged(async () => {
      const store = storeOf(gateway);
      const writes = [
        store.create(KIND, { name: 'b', spec: SPEC }),
        store.replace(KIND, { name: 'a', spec: SPEC }),
        store.delete(KIND, 'a'),
      ];
      return Promise.all(writes.map((write) => write.then(String, messageOf)));
    });
    chmodSync(gateway.directory.at('mcpservers'), 0o755);
    for (const message of messages)
      expect(message).to.contain('cannot be written (EACCES); make its folder writable');
    expect(textOf(gateway, 'mcpservers/a.yaml')).to.equal('type: stdio\ncommand: [a]\n');
  });
});
