import { setTimeout as pause } from 'node:timers/promises';

export const CAPITAL = 'Paris';
export const ROOT = 'file:///home/ada';
/** How long a call runs before it is cancelled. */
export const WAIT_MS = 200;
const STEP_MS = 5_000;
const POLL_MS = 20;
/** How long a notification may take. */
const NOTE_MS = 3_000;

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
}
interface Called {
  readonly content: readonly { readonly type: string }[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}
interface Read {
  readonly contents: readonly object[];
}
interface Prompted {
  readonly messages: readonly { readonly content: unknown }[];
}
interface Completed {
  readonly completion: { readonly values: readonly string[] };
}

/** A client of either SDK of TypeScript. */
export interface Walker {
  readonly connect: () => Promise<unknown>;
  readonly call: (
    tool: string,
    args?: Record<string, unknown>,
    options?: { readonly onprogress: (update: Progress) => void },
  ) => Promise<Called>;
  /** Log messages as `<level> <data>`, and uris of updated resources, so far. */
  readonly logged: readonly string[];
  readonly updated: readonly string[];
  readonly setLevel: () => Promise<unknown>;
  readonly read: (uri: string) => Promise<Read>;
  readonly subscribe: (uri: string) => Promise<unknown>;
  readonly prompt: (name: string, args: Record<string, string>) => Promise<Prompted>;
  readonly complete: (
    prompt: string,
    argument: { readonly name: string; readonly value: string },
  ) => Promise<Completed>;
  readonly ping: () => Promise<unknown>;
  /** Calls the tool, and cancels that. */
  readonly cancel: (tool: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Whether the server has logged the line: through Pegboard, lines of others arrive as well, and name their server. */
export function isOwn(logger: string | undefined, name: string, prefix: string): boolean {
  return prefix === '' || logger?.startsWith(name) === true;
}

/** Takes every step, prints what was seen, and ends the process. */
export async function takeSteps(name: string, prefix: string, walker: Walker): Promise<void> {
  const seen: Record<string, string> = {};
  const step = async (title: string, take: () => Promise<string>): Promise<void> => {
    seen[title] = await Promise.race([
      take().catch((error: unknown) => `failed: ${error instanceof Error ? error.message : String(error)}`),
      pause(STEP_MS, 'failed: nothing came', { ref: false }),
    ]);
  };
  const { call } = walker;
  const note = `note://${name}/one`;
  const told = async (tool: string): Promise<string> => textOf(await call(tool));
  await step('initialize', async () => {
    await walker.connect();
    return 'connected';
  });
  await step('text', async () => textOf(await call('echo', { message: 'there' })));
  await step('image', async () => {
    const [image] = (await call('image')).content as readonly { mimeType?: string; data?: string }[];
    return `${image?.mimeType ?? ''} ${image?.data?.length ?? 0}`;
  });
  await step('structured', async () => {
    const { structuredContent } = await call('structured', { a: 2, b: 3 });
    return JSON.stringify(structuredContent);
  });
  await step('isError', () => told('fail'));
  await step('bad arguments', async () => {
    const refused = await call('echo', { message: { no: 'text' } }).then(
      ({ isError }) => isError === true,
      () => true,
    );
    return refused ? 'refused' : 'accepted';
  });
  await step('progress', async () => {
    const updates: string[] = [];
    const onprogress = ({ progress, total }: Progress): void =>
      void updates.push(`${progress}/${total ?? 0}`);
    await call('slow', {}, { onprogress });
    return updates.join(' ');
  });
  await step('logging', async () => {
    // Servers that do not let the level be set log anyway.
    await walker.setLevel().catch(() => undefined);
    await call('log');
    return first(walker.logged);
  });
  await step('elicitation', () => told('elicit'));
  await step('sampling', () => told('sample'));
  await step('roots', () => told('roots'));
  await step('cancel', async () => {
    const before = Number(await told('cancelled'));
    await walker.cancel('wait');
    for (let waited = 0; waited < NOTE_MS; waited += POLL_MS) {
      const after = Number(await told('cancelled'));
      if (after > before) return `${after - before} reached it`;
      await pause(POLL_MS);
    }
    return 'nothing reached it';
  });
  const read = async (uri: string): Promise<string> => {
    const { contents } = await walker.read(uri);
    return String((contents[0] as { readonly text?: unknown } | undefined)?.text);
  };
  await step('read', () => read(note));
  await step('template', () => read(`note://${name}/item/7`));
  await step('subscribe', async () => {
    await walker.subscribe(note);
    await call('touch');
    return first(walker.updated);
  });
  await step('prompt', async () => {
    const { messages } = await walker.prompt(`${prefix}greet`, { who: 'Ada' });
    return String((messages[0]?.content as { readonly text?: unknown } | undefined)?.text);
  });
  await step('completion', async () => {
    const { completion } = await walker.complete(`${prefix}greet`, { name: 'who', value: 'A' });
    return completion.values.join(' ');
  });
  await step('ping', async () => {
    await walker.ping();
    return 'answered';
  });
  await step('end', async () => {
    await walker.close();
    return 'ended';
  });
  process.stdout.write(JSON.stringify(seen), () => process.exit());
}

function textOf({ content: [item], isError }: Called): string {
  const text = String((item as { readonly text?: unknown } | undefined)?.text);
  return isError === true ? `error: ${text}` : text;
}

async function first(notes: readonly string[]): Promise<string> {
  for (let waited = 0; notes.length === 0 && waited < NOTE_MS; waited += POLL_MS) await pause(POLL_MS);
  return notes[0] ?? 'nothing came';
}
