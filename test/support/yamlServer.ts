import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { isObject } from '../../kernel/index.ts';
import type { JsonObject } from '../../kernel/index.ts';

const PROGRAM = createRequire(import.meta.url).resolve('yaml-language-server/bin/yaml-language-server');

export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number } };
}
interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The YAML language server of editors, as one starts it for a folder. */
export class YamlServer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, Waiting>();
  readonly #diagnosed = new Map<string, (found: readonly Diagnostic[]) => void>();
  #unread = Buffer.alloc(0);
  #last = 0;

  private constructor() {
    this.#child = spawn(process.execPath, [PROGRAM, '--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdout?.on('data', (bytes: Buffer) => this.#read(bytes));
    this.#child.once('close', () => {
      for (const { reject } of this.#waiting.values())
        reject(new Error('the YAML language server has ended'));
    });
  }

  static async start(): Promise<YamlServer> {
    const server = new YamlServer();
    await server.#ask('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    server.#send({ method: 'initialized', params: {} });
    // Without them it looks for schemas on the internet.
    const yaml = { schemaStore: { enable: false }, validate: true, completion: true, hover: true };
    server.#send({ method: 'workspace/didChangeConfiguration', params: { settings: { yaml } } });
    return server;
  }

  /** Opens a text, and gives what is wrong in it. */
  open(uri: string, text: string): Promise<readonly Diagnostic[]> {
    const found = new Promise<readonly Diagnostic[]>((resolve) => {
      this.#diagnosed.set(uri, resolve);
    });
    const textDocument = { uri, languageId: 'yaml', version: 1, text };
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } });
    return found;
  }

  /** What is offered at the place. */
  async complete(uri: string, line: number, character: number): Promise<readonly string[]> {
    const place = { textDocument: { uri }, position: { line, character } };
    const answer = (await this.#ask('textDocument/completion', place)) as {
      readonly items: readonly { readonly label: string }[];
    };
    return answer.items.map(({ label }) => label);
  }

  /** What is shown of the word there. */
  async hover(uri: string, line: number, character: number): Promise<string> {
    const place = { textDocument: { uri }, position: { line, character } };
    const answer = (await this.#ask('textDocument/hover', place)) as { contents: { value: string } } | null;
    return answer?.contents.value ?? '';
  }

  async end(): Promise<void> {
    await this.#ask('shutdown', null);
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#send({ method: 'exit' });
    await closed;
  }

  #ask(method: string, params: unknown): Promise<unknown> {
    const id = (this.#last += 1);
    this.#send({ id, method, params });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #send(message: JsonObject): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#child.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #read(bytes: Buffer): void {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    for (;;) {
      const end = this.#unread.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#unread.toString('latin1', 0, end))?.[1]);
      if (this.#unread.length < end + 4 + length) return;
      const text = this.#unread.toString('utf8', end + 4, end + 4 + length);
      this.#unread = this.#unread.subarray(end + 4 + length);
      this.#got(JSON.parse(text) as JsonObject);
    }
  }

  #got({ id, method, params, result, error }: JsonObject): void {
    if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] };
      this.#diagnosed.get(uri)?.(diagnostics);
      return;
    }
    if (typeof method === 'string' && id !== undefined) {
      const items = isObject(params) && Array.isArray(params['items']) ? params['items'] : [];
      this.#send({ id, result: method === 'workspace/configuration' ? items.map(() => ({})) : null });
      return;
    }
    if (typeof id !== 'number') return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(JSON.stringify(error)));
  }
}
