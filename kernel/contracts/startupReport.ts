import { many } from '../capabilities.ts';

/** What `serve` reports about a plugin's work in its ready line and, on a terminal, in a table after the first attempts. */
export interface StartupReport {
  /** What one item is, in the singular: `server`. */
  readonly subject: string;
  /** The order is stable. */
  items(): readonly StartupItem[];
}
export interface StartupItem {
  readonly name: string;
  readonly state: string;
  /** True while its first attempt is under way. */
  readonly isStarting: boolean;
  readonly tools: number;
  /** When it entered this state, in ms since the epoch. */
  readonly since: number;
  readonly error?: string;
}
export const StartupReport = many<StartupReport>('startup-report');
