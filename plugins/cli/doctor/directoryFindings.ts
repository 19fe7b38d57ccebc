import { existsSync } from 'node:fs';
import { isObject, placeText } from 'pegboard';
import type { Issue } from 'pegboard';
import { runCheck } from '../runCheck.ts';
import type { DoctorFinding } from './doctorFinding.ts';

const subject = 'configuration';

/** What `pegboard check` finds. */
export async function directoryFindings(directory: string): Promise<readonly DoctorFinding[]> {
  if (!existsSync(directory)) {
    const fix = 'pegboard serve creates it; pegboard import takes the servers of your clients';
    return [{ level: 'warning', subject, message: `${directory} does not exist yet`, fix }];
  }
  const { stdout } = await runCheck(directory, 'json');
  const report: unknown = stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
  if (!isObject(report) || !Array.isArray(report['issues']))
    return [{ level: 'error', subject, message: stdout.trim(), fix: 'pegboard check' }];
  const issues = report['issues'] as readonly Issue[];
  if (issues.length === 0) return [{ level: 'ok', subject, message: directory }];
  return issues.map((issue): DoctorFinding => {
    const message = [placeText(issue), issue.message].filter((part) => part !== undefined).join(': ');
    return { level: issue.severity, subject, message, fix: 'pegboard check' };
  });
}
