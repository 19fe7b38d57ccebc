import { instanceTopics } from '../definition.ts';
import type { ServerDefinition } from '../definition.ts';
import type { RemoteTransport, Topic } from '../client/options.ts';

/** What a shared server has asked for that needs an instance: questions that may belong to the call of another client, and
 *  roots, which a server keeps for all. Empty if it has instances. @param transport what answered to type auto */
export function topicsForInstances(
  definition: ServerDefinition,
  asked: ReadonlySet<Topic> | readonly Topic[],
  transport?: RemoteTransport,
): readonly Topic[] {
  if (definition.instances !== 'shared') return [];
  const offered = instanceTopics(definition, undefined);
  const isSafe = showsCall(definition, transport);
  return [...asked].filter((topic) => offered.includes(topic) && (topic === 'roots' || !isSafe));
}

/** Whether each question of the server shows its call: by its stream; a revision that says so in the message belongs here. */
function showsCall({ type }: ServerDefinition, transport: RemoteTransport | undefined): boolean {
  return (type === 'auto' ? transport : type) === 'streamable-http';
}
