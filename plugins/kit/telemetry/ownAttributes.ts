import { randomUUID } from 'node:crypto';
import { VERSION } from 'pegboard';

/** What this process is in metrics and traces; the environment wins. Without an instance, several processes at one collector would
 *  write one series. Source: https://opentelemetry.io/docs/specs/semconv/resource/#service */
export const OWN_ATTRIBUTES = {
  'service.name': 'pegboard',
  'service.version': VERSION,
  'service.instance.id': randomUUID(),
};
