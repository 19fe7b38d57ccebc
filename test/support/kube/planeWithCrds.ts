import { needKube } from './binaries.ts';
import { controlPlane } from './controlPlane.ts';
import type { ControlPlane } from './controlPlane.ts';
import { installCrds } from './installCrds.ts';

/** The control plane of the run with schemas/crd installed; skips the suite aloud where it has not been built. For `before`. */
export async function planeWithCrds(suite: Mocha.Context): Promise<ControlPlane> {
  suite.timeout(60_000);
  needKube(suite);
  const plane = await controlPlane();
  await installCrds(plane);
  return plane;
}
