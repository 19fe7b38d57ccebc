import { FASTMCP, GO, JAVA_0, JAVA_2, MCP_GO, PYTHON, RUST, TS1, TS2 } from './sdks.ts';
import type { Sdk } from './sdks.ts';

/** A way to run the server program of an SDK. */
export interface ServerKind {
  /** Word that names its row, and is part of its servers' names. */
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
  { word: 'python-stdio', title: 'Python mcp 1.x, stdio', sdk: PYTHON, ...STDIO },
  { word: 'python-http', title: 'Python mcp 1.x, HTTP', sdk: PYTHON, ...SESSIONS },
  { word: 'fastmcp-stdio', title: 'FastMCP, stdio', sdk: FASTMCP, ...STDIO },
  { word: 'fastmcp-http', title: 'FastMCP, HTTP', sdk: FASTMCP, ...SESSIONS },
  { word: 'gosdk-stdio', title: 'Go SDK, stdio', sdk: GO, ...STDIO },
  { word: 'gosdk-http', title: 'Go SDK, HTTP', sdk: GO, ...SESSIONS },
  { word: 'mcpgo-stdio', title: 'mcp-go, stdio', sdk: MCP_GO, ...STDIO },
  { word: 'mcpgo-http', title: 'mcp-go, HTTP', sdk: MCP_GO, ...SESSIONS },
  { word: 'rmcp-stdio', title: 'Rust SDK, stdio', sdk: RUST, ...STDIO },
  { word: 'rmcp-http', title: 'Rust SDK, HTTP', sdk: RUST, ...SESSIONS },
  { word: 'java0-stdio', title: 'Java 0.17, stdio', sdk: JAVA_0, ...STDIO },
  { word: 'java0-http', title: 'Java 0.17, HTTP', sdk: JAVA_0, over: 'http', keeps: 'sessions' },
  { word: 'java2-stdio', title: 'Java 2.1, stdio', sdk: JAVA_2, ...STDIO },
  { word: 'java2-http', title: 'Java 2.1, HTTP', sdk: JAVA_2, over: 'http', keeps: 'sessions' },
];
