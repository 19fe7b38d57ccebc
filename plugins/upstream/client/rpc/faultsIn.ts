import { findingsIn, readSchema } from 'pegboard';

const PROTOCOL = readSchema('protocol');
/** Far more than an honest server makes; what is over it is found in the next round. */
const MAX_FAULTS = 10_000;

type Path = readonly (string | number)[];
/** Where a value deviates from the protocol. */
export interface Fault {
  readonly path: Path;
  /** Names the place and what is wrong: `content[2].text is missing`. */
  readonly text: string;
}

/** How a value that a server has sent deviates from the shape that the official SDKs demand: some clients refuse all that comes with
 *  it. @param shape a list or a method in schemas/protocol.schema.json */
export function faultsIn(shape: string, value: unknown): readonly Fault[] {
  const findings = findingsIn(PROTOCOL, { [shape]: value }, MAX_FAULTS);
  return findings.map(({ path, message }) => {
    const below = path.slice(1);
    const rest = worded(message.slice(path.join('.').length));
    return { path: below, text: `${faultPath(below)}${rest}`.replace(/^[. ]/, '') };
  });
}

/** `content[2].text` */
export function faultPath(path: Path): string {
  return path
    .map((part) => (/^\d+$/.test(String(part)) ? `[${part}]` : `.${part}`))
    .join('')
    .slice(1);
}

/** The rest of a message after its place. */
function worded(rest: string): string {
  if (rest.endsWith(' is required')) return rest.replace(/ is required$/, ' is missing');
  return / (boolean schema is false|must match pattern|must NOT be valid)/.test(rest)
    ? ' has a wrong form'
    : rest;
}
