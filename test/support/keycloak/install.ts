// Fetches Keycloak into the user's cache folder, unless it is there.
import { constants, setPriority } from 'node:os';
import { folderOf, install, isInstalled } from '../../servers/installation.ts';
import { KEYCLOAK } from './distribution.ts';

const WITHIN_MS = 600_000;

// Tests run at the same time.
setPriority(constants.priority.PRIORITY_LOW);
if (!isInstalled(KEYCLOAK) && !(await install(KEYCLOAK, WITHIN_MS))) process.exitCode = 1;
else console.log(`keycloak: ${folderOf(KEYCLOAK)}`);
