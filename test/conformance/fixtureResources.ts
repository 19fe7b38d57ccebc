import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ReadResourceResult, Resource, ResourceTemplate } from '@modelcontextprotocol/sdk/types.js';
import { PNG } from './fixtureTools.ts';

export const RESOURCES: readonly Resource[] = [
  { uri: 'test://static-text', name: 'Text', description: 'Fixed text', mimeType: 'text/plain' },
  { uri: 'test://static-binary', name: 'Image', description: 'A red dot', mimeType: 'image/png' },
  { uri: 'test://watched-resource', name: 'Watched', description: 'Can be subscribed to' },
];
export const TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: 'test://template/{id}/data',
    name: 'Data',
    description: 'Data by id',
    mimeType: 'application/json',
  },
];

/** @throws McpError for an unknown resource */
export function readFixture(uri: string): ReadResourceResult {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  }
  if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: PNG }] };
  if (uri === 'test://static-text') return plain(uri, 'This is the content of the static text resource.');
  if (uri === 'test://watched-resource') return plain(uri, 'Watched.');
  throw new McpError(ErrorCode.InvalidParams, `no resource ${uri}`, { uri });
}

function plain(uri: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType: 'text/plain', text }] };
}
