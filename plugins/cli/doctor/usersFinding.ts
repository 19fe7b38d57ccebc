import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { DoctorFinding } from './doctorFinding.ts';

/** What tells who uses this machine. */
export interface Machine {
  /** User number of this process; undefined where users have no numbers. */
  readonly uid: number | undefined;
  /** The text of /etc/passwd. */
  readonly passwd: string;
  /** Users who own a home folder. */
  readonly homeOwners: readonly number[];
  /** People have numbers from here on. */
  readonly firstUid: number;
}

/** Further ones are for no person, as 65534, and for containers. */
const LAST_UID = 59_999;
const NO_LOGIN = /\/(nologin|false|sync|shutdown|halt)$/;

/** Recommends the local token where other people can connect to a gateway that asks nothing.
 *  @param config as config.yaml has it */
export function usersFinding({ aggregator }: JsonObject, machine: Machine): readonly DoctorFinding[] {
  const { localToken, oauth } = isObject(aggregator) ? aggregator : {};
  const server = isObject(oauth) ? oauth['server'] : undefined;
  if (localToken === true || (isObject(server) && server['enabled'] === true)) return [];
  const { length: count } = otherUsers(machine);
  if (count === 0) return [];
  const users = `${count} other user${count === 1 ? '' : 's'} of this machine`;
  return [
    {
      level: 'warning',
      subject: 'users',
      message: `${users} can call every tool: the gateway wants neither a sign-in nor a token`,
      fix: 'write aggregator: { localToken: true } into config.yaml, then: pegboard link',
    },
  ];
}

/** Accounts of other people: those that can log in, and owners of home folders that the file does not list, as those of LDAP.
 *  Root and one account are one person. */
export function otherUsers({ uid, passwd, homeOwners, firstUid }: Machine): readonly number[] {
  if (uid === undefined) return [];
  const accounts = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length === 7)
    .map(([, , id, , , , shell = '']) => ({ id: Number(id), canLogIn: !NO_LOGIN.test(shell) }));
  const people = accounts.filter(({ id, canLogIn }) => canLogIn && id >= firstUid && id <= LAST_UID);
  const unlisted = homeOwners.filter((id) => id >= firstUid && !accounts.some((one) => one.id === id));
  const others = [...new Set([...people.map(({ id }) => id), ...unlisted])].filter((id) => id !== uid);
  return uid < firstUid && others.length < 2 ? [] : others;
}

export function thisMachine(): Machine {
  const [folder, firstUid] = process.platform === 'darwin' ? ['/Users', 501] : ['/home', 1_000];
  return {
    uid: process.getuid?.(),
    passwd: textOf('/etc/passwd'),
    homeOwners: ownersIn(folder),
    firstUid,
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not every system has it.
    return '';
  }
}

function ownersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map((name) => statSync(join(folder, name)).uid);
  } catch {
    // As above; or a home that is not mounted.
    return [];
  }
}
