/** Redirect URIs of widely used clients that are not on the person's machine alone, as their vendors document them. Anyone can register
 *  with them, so each person is asked for consent. */
export const WELL_KNOWN_REDIRECTS: readonly string[] = [
  // Claude on the web, on the desktop and on phones.
  'https://claude.ai/api/mcp/auth_callback',
  'https://claude.com/api/mcp/auth_callback',
  // ChatGPT.
  'https://chatgpt.com/connector_platform_oauth_redirect',
  // VS Code, which registers them beside addresses of the person's machine.
  'https://vscode.dev/redirect',
  'https://insiders.vscode.dev/redirect',
  // Cursor.
  'cursor://anysphere.cursor-mcp/oauth/callback',
];
