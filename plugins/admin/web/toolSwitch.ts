import type { Html } from '../../kit/http/page.ts';
import { actionForm } from '../../kit/pages/actionForm.ts';
import type { FormVisit } from '../../kit/pages/actionForm.ts';
import { inPath, shown } from '../../kit/pages/words.ts';

/** A tool of a server by its own name, and whether clients are offered it now. */
export interface Switched {
  readonly server: string;
  readonly own: string;
  readonly isOn: boolean;
}

/** A button that shows what switching a tool on or off for all clients would change in the definition. */
export function toolSwitch(visit: FormVisit, { server, own, isOn }: Switched): Html {
  return actionForm(visit, {
    action: `/mcps/${inPath(server)}/tools`,
    label: isOn ? 'Switch off…' : 'Switch on…',
    about: shown(own),
    fields: { tool: own, to: isOn ? 'off' : 'on' },
  });
}
