import { join } from 'node:path';
import { folderOf, isInstalled } from '../../servers/installation.ts';
import type { Installable } from '../../servers/installation.ts';

const VERSION = '26.4.7';
/** The service account that administers each copy of the data. */
export const ADMIN = { client_id: 'tests', client_secret: 'secret of tests' };
/** Shortens its start on few cores. */
export const JAVA_OPTIONS = {
  JAVA_OPTS_KC_HEAP: '-Xms256m -Xmx512m',
  JAVA_OPTS_APPEND: '-XX:TieredStopAtLevel=1',
};

const ZIP = `keycloak-quarkus-dist-${VERSION}.zip`;
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
const KC = Object.entries(JAVA_OPTIONS).reduce(
  (command, [name, value]) => `${name}='${value}' ${command}`,
  `bash "$FOLDER/keycloak-${VERSION}/bin/kc.sh"`,
);
/** Keycloak as it is released, with its database made once: that takes longer than all else at a start. */
export const KEYCLOAK: Installable = {
  folder: 'keycloak',
  recipe: {
    commands: [
      `mvn --quiet --batch-mode ${COPY} -Dartifact=org.keycloak:keycloak-quarkus-dist:${VERSION}:zip -DoutputDirectory="$FOLDER"`,
      'sums="$PWD/SHA256SUMS"; cd "$FOLDER" && sha256sum --check --quiet "$sums"',
      `python3 -m zipfile -e "$FOLDER/${ZIP}" "$FOLDER" && rm "$FOLDER/${ZIP}"`,
      `cp keycloak.conf "$FOLDER/keycloak-${VERSION}/conf"`,
      `${KC} build`,
      `SECRET='${ADMIN.client_secret}' ${KC} bootstrap-admin service --optimized --client-id=${ADMIN.client_id} --client-secret:env=SECRET`,
    ],
    sources: ['SHA256SUMS', 'keycloak.conf'],
  },
};
export const HOME = join(folderOf(KEYCLOAK), `keycloak-${VERSION}`);

/** Skips the suite aloud where Keycloak has not been installed. */
export function needKeycloak(suite: Mocha.Context): void {
  if (isInstalled(KEYCLOAK)) return;
  console.log(
    `SKIPPED: no Keycloak ${VERSION} here; install it once with: npm run keycloak:install (needs Java 17, Maven and about two minutes)`,
  );
  suite.skip();
}
