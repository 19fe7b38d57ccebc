import { join } from 'node:path';
import { GatewayError, STAGE, StateDirectory, definePlugin, readSchema } from 'pegboard';
import type { Finding, Scope, Settings } from 'pegboard';
import { LineLimit } from '../kit/http/lineLimit.ts';
import { needsSignIn } from '../kit/http/signInSettings.ts';
import { warnOfOpenKeyFile } from '../kit/files/warnOfOpenKeys.ts';
import type { LocalTokenConfig } from './config.ts';
import { openToken } from './openToken.ts';
import { TokenGuard } from './tokenGuard.ts';

/** Keeps other users of this machine out of a gateway without sign-in: clients send a token that only its user can read. */
export const plugin = definePlugin<LocalTokenConfig>({
  name: 'local-token',
  api: 1,
  configSchema: readSchema('config/local-token'),
  select: ({ aggregator: { localToken } }) => ({ localToken }),
  enabled: ({ aggregator: { localToken } }) => localToken === true,
  guards: true,
  requires: [StateDirectory],
  check: (_, settings) => contradictions(settings),
  apply(scope) {
    const refusals = new LineLimit(scope.log, () => 1);
    let guard: TokenGuard | undefined;
    scope.tap('onRequest', (request) => opened(guard).admit(request), STAGE.admit);
    scope.onStart(() => {
      const file = fileOf(scope);
      const token = openToken(file);
      warnOfOpenKeyFile(file, scope.log);
      const own = (guard = new TokenGuard(file, token, refusals));
      // Opened before the token was wanted.
      scope.emit({ type: 'callers.left', hasLeft: (request) => own.isStranger(request) });
    });
    scope.onStop(() => refusals.end());
  },
});

function fileOf(scope: Scope<LocalTokenConfig>): string {
  const { path } = scope.get(StateDirectory);
  if (path !== undefined) return join(path, 'local-token');
  const fix = 'name a directory that can be written with --state-path or PEGBOARD_STATE_PATH';
  throw new GatewayError('PLUGIN_START', `aggregator.localToken has no place for its token; ${fix}`);
}

/** While this plugin is being started, requests come before onStart. */
function opened(guard: TokenGuard | undefined): TokenGuard {
  if (guard !== undefined) return guard;
  throw new GatewayError('PLUGIN_STOPPED', 'the local token is being read; try again');
}

function contradictions(settings: Settings): readonly Finding[] {
  if (!needsSignIn(settings)) return [];
  const message =
    'localToken is one token for all, and aggregator.oauth.server has each caller sign in with a token of their own in the same header; remove one of the two';
  return [{ path: ['aggregator', 'localToken'], message }];
}
