import type { Scope } from 'pegboard';
import { AuthorizationServer } from '../../contracts/oauth.ts';
import { GuardedServers } from '../../contracts/credentials.ts';
import { SignInOffers, SignInStatuses } from '../../contracts/signIns.ts';
import { allServices } from '../../kit/definitions/allServices.ts';
import type { SignInFlows } from '../flows/provideFlows.ts';
import { loginTool } from './loginTool.ts';
import { logoutTool } from './logoutTool.ts';
import { OwnSignIn } from './ownSignIn.ts';
import type { SignInToolParts } from './signInToolParts.ts';
import { UrlOffers } from './urlOffers.ts';

/** The tools exist also if people cannot sign in: they say why. @param flows undefined while `oauth.mcpClient.enabled` is false */
export function provideTools(scope: Scope<unknown>, flows: SignInFlows | undefined): void {
  const signIn = flows && new OwnSignIn(flows, scope.signal);
  const statuses = (): SignInStatuses | undefined => scope.find(SignInStatuses);
  if (signIn !== undefined) scope.provide(SignInOffers, new UrlOffers(signIn, statuses, scope.log));
  const parts: SignInToolParts = {
    servers: () => scope.find(GuardedServers),
    statuses,
    signIn,
    faultOf: (server) =>
      allServices(scope)
        .find(({ name }) => name === server)
        ?.status().error,
    log: scope.log,
    needsCaller: () => scope.all(AuthorizationServer).length > 0,
  };
  for (const tool of [loginTool(parts), logoutTool(parts)]) scope.addTool(tool);
}
