import { FASTMCP, GO, JAVA_0, JAVA_2, MCP_GO, PYTHON, RUST, TS1, TS2 } from './sdks.ts';
import type { Sdk } from './sdks.ts';

/** The client program of an SDK. */
export interface ClientKind {
  /** Word that names its column, and is part of its servers' names. */
  readonly word: string;
  readonly title: string;
  readonly sdk: Sdk;
}

export const CLIENTS: readonly ClientKind[] = [
  { word: 'ts1', title: 'TypeScript 1.x', sdk: TS1 },
  { word: 'ts2', title: 'TypeScript 2.x', sdk: TS2 },
  { word: 'python', title: 'Python mcp 1.x', sdk: PYTHON },
  { word: 'fastmcp', title: 'FastMCP', sdk: FASTMCP },
  { word: 'gosdk', title: 'Go SDK', sdk: GO },
  { word: 'mcpgo', title: 'mcp-go', sdk: MCP_GO },
  { word: 'rmcp', title: 'Rust SDK', sdk: RUST },
  { word: 'java0', title: 'Java 0.17', sdk: JAVA_0 },
  { word: 'java2', title: 'Java 2.1', sdk: JAVA_2 },
];
