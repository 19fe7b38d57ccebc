import { VERSION } from 'pegboard';
import type { Gateway } from '../gateway.ts';
import type { DoctorFinding } from './doctorFinding.ts';
import { isOlder } from './nodeFinding.ts';

const MAX_SKEW = 60;

/** Whether the gateway and this program are of one version. */
export function versionFinding({ client, endpoint }: Gateway): DoctorFinding {
  const subject = 'gateway';
  const version = client.getServerVersion()?.version ?? 'unknown';
  if (version === VERSION) return { level: 'ok', subject, message: `version ${version}` };
  const message = `version ${version} at ${endpoint.url}, this program is ${VERSION}`;
  const fix = isOlder(VERSION, version)
    ? `npm install -g pegboard@${version}`
    : 'end the gateway, which is older, then: pegboard serve';
  return { level: 'warning', subject, message, fix };
}

/** Tokens and their expiry depend on equal clocks. @param ahead seconds; undefined if the gateway sends no date */
export function clockFinding(ahead: number | undefined): readonly DoctorFinding[] {
  const subject = 'clock';
  if (ahead === undefined) return [];
  if (Math.abs(ahead) <= MAX_SKEW)
    return [{ level: 'ok', subject, message: 'equal to the clock of the gateway' }];
  const message = `the gateway is ${Math.abs(ahead)} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine; sign-ins may fail`;
  return [
    {
      level: 'warning',
      subject,
      message,
      fix: 'sudo timedatectl set-ntp true, on the machine that is wrong',
    },
  ];
}
