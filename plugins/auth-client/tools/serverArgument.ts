import type { JsonObject, JsonSchema } from 'pegboard';

export const SERVER_ARGUMENTS: JsonSchema = {
  type: 'object',
  properties: { server: { description: 'Name of the MCP server.', type: 'string' } },
  required: ['server'],
  additionalProperties: false,
};
export const NO_SERVER = "Error: 'server' argument is required and must be a string";
export const NO_SESSION = 'Error: authentication context missing — no active session';

/** @returns undefined if it is missing. Its refusal has a text of its own. */
export function serverIn({ server }: JsonObject): string | undefined {
  return typeof server === 'string' && server !== '' ? server : undefined;
}
