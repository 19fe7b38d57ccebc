import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** The account that a guarded site knows these headers as; undefined if it refuses them. */
export async function whoIs(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const client = new Client({ name: 'test', version: '1' });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  } catch {
    return undefined;
  }
  try {
    const { content } = await client.callTool({ name: 'whoami' });
    const [{ text } = { text: '' }] = content as readonly { readonly text: string }[];
    return (JSON.parse(text) as { readonly account: string }).account;
  } finally {
    await client.close();
  }
}
