import { AdminPage } from 'pegboard/contracts';
import { actionForm, counted, defineAdminPage, excerpt, html, pager, shown, table } from 'pegboard/kit';

const PATH = '/tool-counts';

/** @type {import('pegboard').Plugin} */
export const plugin = {
  name: 'tool-counts',
  api: 1,
  configSchema: { type: 'object' },
  provides: [AdminPage],
  apply(scope) {
    const calls = new Map();
    scope.tap('onEvent', (event) => {
      if (event.type !== 'call.settled' || event.call.tool.kind === 'meta') return;
      const { name } = event.call.tool;
      calls.set(name, (calls.get(name) ?? 0) + 1);
    });
    scope.provide(
      AdminPage,
      defineAdminPage({
        path: PATH,
        nav: 'Tool counts',
        facts: ({ query }) =>
          excerpt(
            [...calls].map(([tool, count]) => ({ tool, count })),
            query,
          ),
        show: (part, visit) => ({
          title: counted(part.total, 'tool'),
          body: html`${table(
            { caption: 'Calls by tool', empty: 'No tool was called.' },
            ['Tool', 'Calls'],
            part.items.map(({ tool, count }) => [shown(tool), String(count)]),
          )}
          ${pager(part, visit.query)} ${actionForm(visit, { action: `${PATH}/reset`, label: 'Reset' })}`,
        }),
        actions: [
          {
            method: 'POST',
            path: `${PATH}/reset`,
            run() {
              calls.clear();
              return { message: 'all counts are zero', next: PATH };
            },
          },
        ],
      }),
    );
  },
};
