import { Failure } from '../failure.ts';

/** What the service runs. */
export interface ServiceProgram {
  /** Absolute: node and the program. */
  readonly command: readonly string[];
  /** The configuration directory. */
  readonly directory: string;
  /** PATH, by which stdio servers are found. */
  readonly path: string;
  /** What the manager is to listen on, such as `127.0.0.1:8090`; empty: the program listens itself. */
  readonly listen: readonly string[];
}
export interface ServiceState {
  readonly running: boolean;
  /** The state in the words of the manager: `active (running)`. */
  readonly state: string;
  /** Undefined unless it runs. */
  readonly pid: number | undefined;
}
type Words = readonly string[];
/** Characters that no file has: in a unit, a line break would begin another setting; XML has no escape for the others. */
const CONTROL = /\p{Cc}/u;

/** What starts programs of a person at their sign-in, and again when they fail. */
export interface ServiceManager {
  readonly name: string;
  /** Its definition of the service. */
  readonly file: string;
  /** The text of that file. */
  readonly text: (program: ServiceProgram) => string;
  /** Its definition of the sockets that it opens for the service; absent if it opens none. */
  readonly socket?: {
    readonly file: string;
    readonly text: (program: ServiceProgram) => string;
    /** The command of `enable` that opens the port, and fails if another process has it. */
    readonly open: Words;
    /** Run before the file is removed because no socket is needed any more. */
    readonly disable: Words;
  };
  /** Starts the service after the file was written, or restarts it. */
  readonly enable: (program: ServiceProgram) => readonly Words[];
  /** Run before the file is removed. */
  readonly disable: readonly Words[];
  /** Run after the file was removed. */
  readonly forget: readonly Words[];
  /** Prints what `stateIn` reads. */
  readonly query: Words;
  readonly stateIn: (printed: string) => ServiceState;
  /** What the manager needs if it does not answer, for people. */
  readonly needs: string;
  /** How to read the log, and what else helps, for people. */
  readonly hints: readonly string[];
}

/** The text of the file. @throws Failure if a part cannot be written into it */
export function serviceFileText(manager: ServiceManager, program: ServiceProgram): string {
  const words = [...program.command, program.directory, program.path];
  const fault = words.find((word) => CONTROL.test(word));
  if (fault === undefined) return manager.text(program);
  const cure = fault === program.path ? 'set another PATH' : 'move it, or rename its folder';
  throw new Failure(
    `${JSON.stringify(fault)} holds a control character, which a service of ${manager.name} cannot name; ${cure}`,
  );
}
