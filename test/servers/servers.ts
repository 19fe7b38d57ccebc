import { TS1, TS2 } from './sdks.ts';
import type { Sdk } from './sdks.ts';

/** A way to run the server program of an SDK. */
export interface ServerKind {
  /** Of its row, and of its servers' names. */
  readonly word: string;
  readonly title: string;
  readonly sdk: Sdk;
  readonly over: 'stdio' | 'http';
  /** Over HTTP, as Pegboard uses it. */
  readonly keeps: 'sessions and a stream' | 'sessions' | 'a stream' | 'nothing';
  /** How it keeps sessions, where its program can do so in several ways. */
  readonly mode?: string;
}

const STDIO = { over: 'stdio', keeps: 'nothing' } as const;
const SESSIONS = { over: 'http', keeps: 'sessions and a stream' } as const;

export const SERVERS: readonly ServerKind[] = [
  { word: 'ts1-stdio', title: 'TypeScript 1.x, stdio', sdk: TS1, ...STDIO },
  { word: 'ts1-sessions', title: 'TypeScript 1.x, sessions', sdk: TS1, ...SESSIONS, mode: 'sessions' },
  {
    word: 'ts1-post',
    title: 'TypeScript 1.x, sessions, `app.post` alone',
    sdk: TS1,
    over: 'http',
    keeps: 'sessions',
    mode: 'post-only',
  },
  {
    word: 'ts1-stateless',
    title: 'TypeScript 1.x, stateless',
    sdk: TS1,
    over: 'http',
    keeps: 'nothing',
    mode: 'stateless',
  },
  { word: 'ts2-stdio', title: 'TypeScript 2.x, stdio', sdk: TS2, ...STDIO },
  { word: 'ts2-http', title: 'TypeScript 2.x, HTTP', sdk: TS2, over: 'http', keeps: 'nothing' },
];
