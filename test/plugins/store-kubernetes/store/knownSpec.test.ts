import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { JsonObject, ResourceKind } from '../../../../kernel/index.ts';
import { mcpServerKind } from '../../../../plugins/core-mcpservers/mcpServerKind.ts';
import { workflowKind } from '../../../../plugins/workflow/definition/workflowKind.ts';
import { accessKind } from '../../../../plugins/toolsets/accessKind.ts';
import { presetKind } from '../../../../plugins/toolsets/presetKind.ts';
import { knownSpec } from '../../../../plugins/store-kubernetes/store/knownSpec.ts';
import { checkResource } from '../../../../kernel/config/resources.ts';
import { ROOT } from '../../../support/sources.ts';

const KINDS: readonly ResourceKind[] = [mcpServerKind, workflowKind, presetKind, accessKind];
/** Objects that each later version must read. */
const STORED = join(ROOT, 'test/plugins/store-kubernetes/fixtures/v1alpha1');

interface Stored {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: JsonObject;
}

describe('custom resources of other versions', () => {
  const unknownIn = (kind: ResourceKind, spec: JsonObject) => {
    const { spec: known, unknown } = knownSpec(kind, spec);
    return { known, unknown: unknown.map(({ path }) => path.join('.')) };
  };

  it('lose the keys that this version does not know, wherever they are, and nothing else', () => {
    const server = { type: 'stdio', command: ['x'], newThing: 1, auth: { type: 'none', newer: {} } };
    expect(unknownIn(mcpServerKind, server)).deep.equal({
      known: { type: 'stdio', command: ['x'], auth: { type: 'none' } },
      unknown: ['newThing', 'auth.newer'],
    });
    const steps = [{ id: 'a', tool: 't', args: { any: 1 }, newer: 1, retry: { max: 1, newest: true } }];
    expect(
      unknownIn(workflowKind, { steps, env: { any: 1 }, args: { q: { type: 'string', shape: 1 } } }),
    ).deep.equal({
      known: {
        steps: [{ id: 'a', tool: 't', args: { any: 1 }, retry: { max: 1 } }],
        args: { q: { type: 'string' } },
      },
      unknown: ['env', 'args.q.shape', 'steps.0.newer', 'steps.0.retry.newest'],
    });
  });

  it('keep an unknown key of a condition or of who may do what, which is refused then', () => {
    const steps = [{ id: 'a', tool: 't', condition: { tol: 'x' } }];
    expect(unknownIn(workflowKind, { steps }).unknown).deep.equal([]);
    for (const kind of [presetKind, accessKind])
      expect(knownSpec(kind, { groups: ['a'], toolset: ['tool:a'], except: ['b'] }).unknown).deep.equal([]);
  });

  it('that version 0.1.0 has stored are read without a warning', () => {
    const files = readdirSync(STORED);
    const objects = files.map((file) => parse(readFileSync(join(STORED, file), 'utf8')) as Stored);
    expect(new Set(objects.map(({ kind }) => kind))).deep.equal(new Set(KINDS.map(({ name }) => name)));
    for (const { kind: name, metadata, spec } of objects) {
      const kind = KINDS.find((one) => one.name === name)!;
      const { spec: known, unknown } = knownSpec(kind, spec);
      const origin = { locate: () => ({}) };
      const { issues } = checkResource({ kind: name, name: metadata.name, spec: known, origin }, KINDS);
      expect(
        [...unknown, ...issues].map(({ message }) => message),
        metadata.name,
      ).deep.equal([]);
    }
  });
});
