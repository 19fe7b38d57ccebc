import { homedir } from 'node:os';

/** The user's home folder; undefined for a user without HOME and without an entry in passwd, as containers have. */
export function homeFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
