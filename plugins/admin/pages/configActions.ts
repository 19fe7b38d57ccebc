import { ConfigControl, GatewayError, isError, placeText } from 'pegboard';
import type { JsonObject, Scope } from 'pegboard';
import { runTool } from '../data/runTool.ts';
import type { Action, Visit } from '../web/definePage.ts';

const next = '/config';

/** `POST /config/save` and `reload`: by core_config_*. */
export function configActions(scope: Scope<unknown>): readonly Action[] {
  return [
    {
      method: 'POST',
      path: '/config/save',
      run: async ({ request }) => {
        const { structuredContent } = await runTool(scope, 'core_config_save', {}, request);
        const isSaved = (structuredContent as JsonObject | undefined)?.['status'] === 'saved';
        return { message: isSaved ? 'the changes were saved' : 'there was nothing to save', next };
      },
    },
    { method: 'POST', path: '/config/reload', takes: 'operate', run: (visit) => reload(scope, visit) },
  ];
}

async function reload(
  scope: Scope<unknown>,
  { request }: Visit,
): Promise<{ readonly message: string; readonly next: string }> {
  const former = scope.get(ConfigControl).lastReport();
  try {
    await runTool(scope, 'core_config_reload', {}, request);
  } catch (error) {
    const report = scope.get(ConfigControl).lastReport();
    // Without a new report, the tool itself has failed.
    if (report === undefined || report === former) throw error;
    const faults = report.issues.filter(isError);
    const why = faults.map((issue) => `${placeText(issue) ?? 'config.yaml'}: ${issue.message}`).join('; ');
    throw new GatewayError('CONFIG_INVALID', `the configuration was not applied: ${why}`, { cause: error });
  }
  return { message: 'the configuration was read again', next };
}
