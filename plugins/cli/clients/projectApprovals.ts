import { join } from 'node:path';
import { isObject } from 'pegboard';
import type { Env, JsonObject } from 'pegboard';
import { Failure } from '../failure.ts';
import { textAt } from '../files.ts';
import type { ClientEntry } from '../../kit/clients/clientEntry.ts';
import { FORMATS, SyntaxFault } from '../../kit/clients/formats.ts';

/** What Claude Code has recorded about a server of the project's .mcp.json. */
export type Approval = (entry: ClientEntry) => 'approved' | 'refused' | undefined;

/** Approvals count from the user's own files only: a project may bring a .claude folder. Refusals count from any.
 *  Source: https://code.claude.com/docs/en/settings (enableAllProjectMcpServers) */
export async function projectApprovals(folder: string, env: Env): Promise<Approval> {
  const home = env['HOME'] ?? '';
  const { CLAUDE_CONFIG_DIR: own } = env;
  const [state, settings, shared, local] = await Promise.all(
    [
      join(own ?? home, '.claude.json'),
      join(own ?? join(home, '.claude'), 'settings.json'),
      join(folder, '.claude/settings.json'),
      join(folder, '.claude/settings.local.json'),
    ].map(objectAt),
  );
  const projects = isObject(state?.['projects']) ? state['projects'] : {};
  const users = [projects[folder], settings].filter(isObject);
  const all = [...users, shared, local].filter(isObject);
  return ({ name, place: { client, isOfProject } }) => {
    if (client !== 'claude-code' || !isOfProject) return undefined;
    if (all.some((one) => lists(one['disabledMcpjsonServers'], name))) return 'refused';
    const isApproved = users.some(
      (one) => one['enableAllProjectMcpServers'] === true || lists(one['enabledMcpjsonServers'], name),
    );
    return isApproved ? 'approved' : undefined;
  };
}

function lists(value: unknown, name: string): boolean {
  return Array.isArray(value) && value.includes(name);
}

/** A file that cannot be read approves nothing. */
async function objectAt(path: string): Promise<JsonObject | undefined> {
  try {
    return FORMATS.json.parse((await textAt(path)) ?? '');
  } catch (error) {
    if (error instanceof SyntaxFault || error instanceof Failure) return undefined;
    throw error;
  }
}
