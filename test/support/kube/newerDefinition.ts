import { defer } from '../cleanup.ts';
import { until } from '../until.ts';
import type { ControlPlane } from './controlPlane.ts';

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/mcpservers.pegboard.dev';
/** A field that only a newer version has. */
export const NEWER_FIELD = { newThing: { type: 'string' } };

interface Version {
  readonly schema: { readonly openAPIV3Schema: { readonly properties: { readonly spec: object } } };
}

/** Gives servers that field until the end of the test. @param servers path of those of a namespace; resolves once they may have it */
export async function installNewerDefinition({ admin }: ControlPlane, servers: string): Promise<void> {
  const { versions } = (await admin.get(PATH))['spec'] as { readonly versions: readonly Version[] };
  const newer = structuredClone(versions);
  for (const { schema } of newer) {
    const { spec } = schema.openAPIV3Schema.properties as { readonly spec: { readonly properties: object } };
    Object.assign(spec.properties, NEWER_FIELD);
  }
  const body = {
    apiVersion: 'pegboard.dev/v1alpha1',
    kind: 'MCPServer',
    metadata: { name: 'probe' },
    spec: { type: 'sse', url: 'http://127.0.0.1:1', newThing: 'a' },
  };
  const install = async (wanted: readonly Version[]): Promise<void> => {
    await admin.ask('PATCH', PATH, { body: { spec: { versions: wanted } } });
    // The API server begins its storage of the kind anew, and answers 429 meanwhile.
    const isTaken = async (): Promise<boolean> => {
      const { status, text } = await admin.ask('POST', `${servers}?dryRun=All`, { body });
      return status === 201 && text.includes('"newThing":"a"') === (wanted === newer);
    };
    await until(isTaken, { what: 'the other definition', withinMs: 20_000 });
  };
  defer(() => install(versions));
  await install(newer);
}
