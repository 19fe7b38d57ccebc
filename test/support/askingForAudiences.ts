import { definePlugin } from '../../kernel/index.ts';
import { SignInScopes } from '../../plugins/contracts/oauth.ts';
import type { AuthServerOptions } from './authServer.ts';
import { moduleOf } from './gateway.ts';

/** Options of a gateway with a plugin that asks for audiences at each sign-in, every second one on its own. */
export function askingForAudiences(
  audiences: () => readonly string[],
): Pick<AuthServerOptions, 'settings' | 'files'> {
  const plugin = definePlugin({
    name: 'audiences',
    api: 1,
    configSchema: { type: 'object' },
    provides: [SignInScopes],
    apply: (scope) => {
      for (const part of [0, 1])
        scope.provide(SignInScopes, { audiences: () => audiences().filter((_, at) => at % 2 === part) });
    },
  });
  return {
    settings: { plugins: { audiences: { module: './audiences.mjs' } } },
    files: { 'audiences.mjs': moduleOf(plugin) },
  };
}
