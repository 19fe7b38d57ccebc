import type { ServerChangeKind, ServerChanges } from './serverChanges.ts';
import type { Difference, ToolChanges } from './toolChanges.ts';

/** What a configuration directory would change. */
export interface DirectoryPlan extends ServerChanges {
  /** Absent with --static. */
  readonly tools?: ToolChanges;
}

const SIGNS: Readonly<Record<ServerChangeKind, string>> = {
  started: '+',
  added: '+',
  stopped: '-',
  removed: '-',
  restarted: '~',
  changed: '~',
};

/** Empty if nothing changes. */
export function planText({ servers, tools }: DirectoryPlan): string {
  const lines = servers.map(({ name, change, fields }) => {
    const what = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
    return `${SIGNS[change]} ${name} ${change}${what}`;
  });
  return [section('servers', lines), ...(tools === undefined ? [] : toolSections(tools))].join('');
}

function toolSections({ all, presets, unknown }: ToolChanges): readonly string[] {
  return [
    section('tools', signed(all)),
    // The preset full is the whole catalogue again.
    ...presets
      .filter(({ name }) => name !== 'full')
      .map(({ only, name, ...difference }) => {
        const note = only === undefined ? '' : only === 'after' ? ' (new)' : ' (removed)';
        return section(`tools of preset ${name}${note}`, signed(difference), only !== undefined);
      }),
    section(
      'not known',
      unknown.map(({ name, reason, tools }) => {
        const count = tools.length === 0 ? '' : ` (${tools.length} tools now)`;
        return `? ${name}${count}: ${reason}`;
      }),
    ),
  ];
}

function signed({ gained, lost }: Difference): readonly string[] {
  return [...gained.map((tool) => `+ ${tool}`), ...lost.map((tool) => `- ${tool}`)];
}

function section(title: string, lines: readonly string[], isAlwaysShown = false): string {
  return isAlwaysShown || lines.length > 0 ? `${title}\n${lines.map((line) => `  ${line}\n`).join('')}` : '';
}
