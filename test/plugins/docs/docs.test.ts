import { expect } from 'chai';
import { listenerUrl } from '../../support/edge.ts';
import { bootGateway } from '../../support/gateway.ts';
import { McpClient } from '../../support/mcpClient.ts';
import { textOf as sourceOf } from '../../support/sources.ts';

const BUILT_INS = ['http', 'front', 'transport-http', 'metatools', 'toolsets', 'docs'];

async function connect(): Promise<McpClient> {
  const files = { 'config.yaml': 'aggregator: { port: 0 }\n', 'state/.keep': '' };
  const gateway = await bootGateway({ builtIns: BUILT_INS, files });
  return McpClient.connect(listenerUrl(gateway));
}

async function read(client: McpClient, uri: string): Promise<string> {
  const { contents } = await client.request('resources/read', { uri });
  return (contents as readonly { readonly text: string }[])[0]?.text ?? '';
}

describe('plugins/docs', () => {
  it('lists the documents of the package in one resource, and reads each by its path', async () => {
    const client = await connect();
    const { resources } = await client.request('resources/list');
    const uris = (resources as readonly { readonly uri: string }[]).map(({ uri }) => uri);
    expect(uris.filter((uri) => uri.startsWith('pegboard:'))).deep.equal(['pegboard://docs']);
    const index = await read(client, 'pegboard://docs');
    const links = [...index.matchAll(/^- \[(.+)\]\((pegboard:.+)\)$/gm)].map(([, title, uri]) => ({
      title,
      uri,
    }));
    expect(links).deep.include({ title: 'upstream', uri: 'pegboard://docs/plugins/upstream/README.md' });
    expect(links).length.above(60);
    for (const { uri = '' } of links)
      expect(await read(client, uri)).equal(sourceOf(uri.replace('pegboard://docs/', '')));
  });

  it('follows a link to a folder, and gives nothing but documents', async () => {
    const client = await connect();
    expect(await read(client, 'pegboard://docs/plugins/deny/')).match(/^# deny/);
    for (const path of [
      'package.json',
      '../secret.md',
      'plugins/../README.md',
      'plugins/none',
      'schemas/config',
    ]) {
      const answer = await client.post({
        jsonrpc: '2.0',
        id: 1,
        method: 'resources/read',
        params: { uri: `pegboard://docs/${path}` },
      });
      expect(answer.text, path).include('not found');
    }
  });

  it('is read by get_resource, and described by describe_resource', async () => {
    const client = await connect();
    const { content } = await client.callMeta('get_resource', { uri: 'pegboard://docs' });
    expect(JSON.stringify(content)).include('Documents of Pegboard');
    const described = await client.callMeta('describe_resource', { uri: 'pegboard://docs' });
    expect(JSON.stringify(described.content)).include('text/markdown');
  });
});
