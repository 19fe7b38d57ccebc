// Generated from schemas/config/isolate.schema.json by npm run tables.
export interface IsolateConfig {
  /** Memory of each process of a sandbox whose definition grants no other; 0: unlimited. */
  readonly memoryMb: number;
  /** Processes and threads of such a sandbox; 0: unlimited. */
  readonly processes: number;
  /** Open files of each process of such a sandbox. */
  readonly openFiles: number;
  /** Size of /tmp of a sandbox, and of /dev/shm, which are in memory. */
  readonly tmpMb: number;
  /** Size of the home of a sandbox, which is kept between starts; one that grows beyond it ends the server. */
  readonly homeMb: number;
  /** How often that size is measured. */
  readonly homeCheckSeconds: number;
}
