import { readFileSync } from 'node:fs';
import { packageFile } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { DoctorFinding } from './doctorFinding.ts';

/** Whether this version of Node is one that package.json allows. @param version as `20.19.0` */
export function nodeFinding(version: string): DoctorFinding {
  const { engines } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as JsonObject;
  const least = String((engines as JsonObject)['node']).replace(/^>=/, '');
  if (!isOlder(version, least)) return { level: 'ok', subject: 'node', message: version };
  return {
    level: 'error',
    subject: 'node',
    message: `version ${version} is older than ${least}, which Pegboard needs`,
    fix: 'nvm install --lts',
  };
}

/** Compares versions of three numbers. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  const at = [0, 1, 2].find((part) => left?.[part] !== right?.[part]);
  return at !== undefined && (left?.[at] ?? 0) < (right?.[at] ?? 0);
}
