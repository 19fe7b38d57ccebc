import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { Era } from '../options.ts';
import type { Declared } from './declared.ts';

/** What a server says about itself when it is connected. */
export interface ServerFacts {
  readonly era: Era;
  /** What was declared of the questions that it may ask; in the modern era, each request says it. */
  readonly declared: Declared;
  /** Whether it takes requests of the modern era besides a session of the legacy one. */
  readonly isDual: boolean;
  readonly protocolVersion: string;
  readonly serverName: string | undefined;
  readonly serverVersion: string | undefined;
  readonly serverTitle: string | undefined;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
}

interface Said extends Pick<ServerFacts, 'era' | 'protocolVersion'> {
  readonly declared?: Declared;
  readonly serverInfo: unknown;
  readonly capabilities: unknown;
  readonly instructions: unknown;
}

/** @param ownWords redacts a text of the server about itself, and removes control characters */
export function factsFrom(
  { era, declared = 'modes', protocolVersion, serverInfo, capabilities, instructions }: Said,
  ownWords: (text: string) => string,
): ServerFacts {
  const info = isObject(serverInfo) ? serverInfo : {};
  const said = (value: unknown): string | undefined =>
    typeof value === 'string' ? ownWords(value) : undefined;
  return {
    era,
    declared,
    isDual: false,
    protocolVersion,
    serverName: said(info['name']),
    serverVersion: said(info['version']),
    serverTitle: said(info['title']),
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: said(instructions),
  };
}
