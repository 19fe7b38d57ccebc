import { randomUUID } from 'node:crypto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import type { Resource } from '@opentelemetry/resources';
import { VERSION } from 'pegboard';

/** Several processes at one collector would write one series without it.
 *  Source: https://opentelemetry.io/docs/specs/semconv/resource/#service */
const INSTANCE = randomUUID();

/** What this process is in metrics and traces. `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` win. */
export function ownResource(): Resource {
  const own = resourceFromAttributes({
    'service.name': 'pegboard',
    'service.version': VERSION,
    'service.instance.id': INSTANCE,
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}
