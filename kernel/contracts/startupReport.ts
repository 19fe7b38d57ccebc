import { many } from '../capabilities.ts';

/** What `serve` says of a plugin's work in its ready line and, to people, in a table once the first attempts are over. */
export interface StartupReport {
  /** What its items are, in the singular: `server`. */
  readonly subject: string;
  /** In a stable order. */
  items(): readonly StartupItem[];
}
export interface StartupItem {
  readonly name: string;
  readonly state: string;
  /** True while its first attempt is under way. */
  readonly isStarting: boolean;
  readonly tools: number;
  /** When it came into this state, in ms since the epoch. */
  readonly since: number;
  readonly error?: string;
}
export const StartupReport = many<StartupReport>('startup-report');
