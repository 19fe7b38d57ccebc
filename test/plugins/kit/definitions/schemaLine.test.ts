import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { schemaLine } from '../../../../plugins/kit/definitions/schemaLine.ts';
import { ResourceStore } from '../../../../plugins/contracts/definitions.ts';
import { bootGateway } from '../../../support/gateway.ts';
import { textOf } from '../../../support/sources.ts';
import { makeDirectory } from '../../../support/directory.ts';
import { typeVerb } from '../../../support/typeVerb.ts';

const MARK = '# yaml-language-server: $schema=';

describe('the line by which editors find the schema of a file', () => {
  const urlOf = (line: string): string => {
    expect(line).match(/^# yaml-language-server: \$schema=\S+\n$/);
    return line.slice(MARK.length).trim();
  };
  const lines = (text: string): number => text.split(MARK).length - 1;

  it('has the address of the gateway', () => {
    for (const [aggregator, origin] of [
      [{}, 'http://localhost:8090'],
      [{ port: 9000 }, 'http://localhost:9000'],
      [{ host: '0.0.0.0' }, 'http://localhost:8090'],
      [{ host: '10.1.2.3', port: 80 }, 'http://10.1.2.3'],
      [{ host: '::1' }, 'http://[::1]:8090'],
    ] as const)
      expect(urlOf(schemaLine('MCPServer', { aggregator }))).equal(`${origin}/schemas/mcpserver.schema.json`);
  });

  it('has the file of the package where no address is known beforehand, or the host has no address', () => {
    for (const aggregator of [
      { port: 0 },
      { transport: 'stdio' },
      { enabled: false },
      { host: 'a b\ntype: stdio' },
    ]) {
      const url = urlOf(schemaLine('config', { aggregator }));
      expect(url)
        .match(/^file:/)
        .and.match(/schemas\/editor\/config\.schema\.json$/);
      expect(existsSync(new URL(url))).equal(true);
    }
  });

  it('is missing for a kind of a third party', () => {
    expect(schemaLine('Widget', {})).equal('');
    expect(schemaLine('../config', {})).equal('');
  });

  it('begins the first config.yaml, and stays once while tools and people edit a definition', async () => {
    expect(textOf('kernel/program/firstConfig.yaml').startsWith(schemaLine('config', {}))).equal(true);
    const gateway = await bootGateway({ builtIns: ['store-file', 'core-mcpservers'] });
    const store = gateway.kernel.registry.get(ResourceStore.id) as ResourceStore;
    const at = (name: string): string =>
      readFileSync(gateway.directory.at(`mcpservers/${name}.yaml`), 'utf8');
    const spec = { type: 'stdio', command: ['node'] };
    await store.create('MCPServer', { name: 'one', spec });
    gateway.directory.write(
      'mcpservers/flat.yaml',
      `${MARK}http://localhost:1/a.json\ntype: stdio\ncommand: [node]\n`,
    );
    for (const name of ['one', 'flat']) {
      for (const next of [{ command: ['deno'] }, { description: 'x' }, { type: 'auto', url: 'http://a/' }]) {
        await store.replace('MCPServer', { name, spec: { ...spec, ...next } });
        expect(at(name).startsWith(MARK), at(name)).equal(true);
        expect(lines(at(name))).equal(1);
      }
    }
    await store.replace('MCPServer', { name: 'flat', spec: { url: 'http://a/', type: 'sse' } });
    expect(lines(at('flat'))).equal(1);
    // All keys are new.
    await store.replace('MCPServer', { name: 'flat', spec: { description: 'a' } });
    expect(at('flat').startsWith(MARK)).equal(true);
    // A person has taken it out.
    gateway.directory.write('mcpservers/one.yaml', 'type: stdio\ncommand: [node]\n');
    await store.replace('MCPServer', { name: 'one', spec });
    expect(lines(at('one'))).equal(0);
  });

  it('is written by pegboard export, and pegboard schema prints what it names', async () => {
    const directory = makeDirectory({
      'config.yaml': 'aggregator: { port: 9123 }\n',
      'given.yaml': 'kind: MCPServer\nmetadata: { name: files }\nspec: { type: stdio, command: [node] }\n',
    });
    const { code, stderr } = await typeVerb([
      'export',
      '--files',
      directory.path,
      '-f',
      directory.at('given.yaml'),
    ]);
    expect(code, stderr).equal(0);
    expect(readFileSync(directory.at('mcpservers/files.yaml'), 'utf8').split('\n')[0]).equal(
      `${MARK}http://localhost:9123/schemas/mcpserver.schema.json`,
    );
    const printed = await typeVerb(['schema', 'server']);
    expect(JSON.parse(printed.stdout)).deep.equal(JSON.parse(textOf('schemas/editor/mcpserver.schema.json')));
    const wrong = await typeVerb(['schema', 'workflw']);
    expect(wrong.code).equal(1);
    expect(wrong.stderr).contains('did you mean workflow?');
  });
});
