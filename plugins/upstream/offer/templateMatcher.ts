import { globOf } from '../../kit/text/glob.ts';
import { canonicalUri } from '../client/conversation/canonicalUri.ts';

/** Creates a function that is true for every canonical uri that a template may produce, and for more: the server itself rejects a uri that
 *  does not fit. Source: RFC 6570 */
export function templateMatcher(template: string): (uri: string) => boolean {
  return globOf(template.split(/\{[^{}]*\}/).map(canonicalUri));
}
