import { existsSync } from 'node:fs';

const [transport = 'stdio', name = 'nameless', redeployed = '', mode = 'sessions'] = process.argv.slice(2);

/** What every program here is started with: `stdio` or a port, its name, a file whose existence adds the tool `bye`,
 *  and how it keeps sessions. */
export const STARTED = { transport, name, mode, hasBye: existsSync(redeployed) } as const;

/** One pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
export const NOTE = `note://${name}/one`;
export const TEMPLATE = `note://${name}/item/{id}`;
export const WHO = ['Ada', 'Alan', 'Grace'] as const;
/** Progress of the tool `slow`. */
export const STEPS = 3;
export const STEP_MS = 50;

export function text(said: string): { content: [{ type: 'text'; text: string }] } {
  return { content: [{ type: 'text', text: said }] };
}
