import { McpClient, textOf } from '../support/mcpClient.ts';

/** What a client has got from the version that wrote the state, and may use with a later one. */
export interface Recorded {
  readonly token: string;
  readonly session: string;
  readonly execution: string;
  readonly result: string;
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

/** Uses the gateway as a client does, so that there is state. @throws Error while the server starts */
export async function use(url: string, token: string): Promise<Recorded> {
  const client = await McpClient.connect(url, { headers: bearer(token) });
  const run = textOf(await client.callTool('workflow_write'));
  const large = textOf(await client.callTool('x_notes_read', { lines: 500 }));
  return {
    token,
    session: client.sessionId ?? '',
    execution: found(/"execution_id": ?"([\w-]+)"/, run),
    result: found(/"handle": ?"([\w.-]+)"/, large),
  };
}

function found(pattern: RegExp, text: string): string {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(text);
  return value;
}
