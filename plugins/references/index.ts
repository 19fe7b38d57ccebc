import { ConfigControl, definePlugin, readSchema } from 'pegboard';
import { globFault } from '../kit/text/glob.ts';
import { ResourceStore } from '../contracts/definitions.ts';
import { References } from '../contracts/secrets.ts';
import type { ReferencesConfig } from './config.ts';
import { refusedIn } from './refusedIn.ts';
import { ReferenceRules } from './referenceRules.ts';
import { withoutOutside } from './withoutOutside.ts';

/** Says which `${env:}`, `${file:}` and `${secret:}` tools may write, and which files definitions may name. */
export const plugin = definePlugin<ReferencesConfig>({
  name: 'references',
  api: 1,
  configSchema: readSchema('config/references'),
  select: ({ references = {} }) => ({ references }),
  guards: true,
  requires: [ConfigControl],
  // Its definitions are in the draft before they are judged here.
  uses: [ResourceStore],
  provides: [References],
  check: ({ references: { allow } }) =>
    allow.flatMap((pattern, at) => {
      const fault = globFault(pattern);
      return fault === undefined ? [] : [{ path: ['references', 'allow', at], message: fault }];
    }),
  apply(scope) {
    const rulesOf = (config: ReferencesConfig): ReferenceRules =>
      new ReferenceRules(config, scope.get(ConfigControl).directory);
    let rules = rulesOf(scope.config);
    scope.provide(References, { refusedIn: (write) => refusedIn(write, rules) });
    scope.tap('onConfigLoad', (draft) => withoutOutside(draft, rules));
    scope.onReload((next) => {
      rules = rulesOf(next);
    });
  },
});
