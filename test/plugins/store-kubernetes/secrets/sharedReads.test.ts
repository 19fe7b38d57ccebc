import { expect } from 'chai';
import { KubernetesSecrets } from '../../../../plugins/store-kubernetes/secrets/kubernetesSecrets.ts';

describe('Secrets: reads at a time', () => {
  it('are one request, and wait for no turn that patient ones wait for', async () => {
    const turns: (() => void)[] = [];
    let gets = 0;
    const answer = { object: { data: { key: Buffer.from('text').toString('base64') } } };
    const api = { get: () => Promise.resolve(((gets += 1), answer)) };
    const pace = { turn: () => new Promise<void>((resolve) => turns.push(resolve)) };
    const cluster = { connect: () => Promise.resolve(api), pace } as never;
    const secrets = new KubernetesSecrets(cluster, () => 'n');
    const read = (isPatient: boolean) => secrets.read({ name: 'one' }, ['key'], { isPatient });
    const patient = [read(true), read(true)];
    expect(await Promise.all([read(false), read(false)])).deep.equal([['text'], ['text']]);
    expect([turns.length, gets]).deep.equal([1, 1]);
    turns[0]?.();
    expect(await Promise.all(patient)).deep.equal([['text'], ['text']]);
    expect(gets).equal(2);
  });
});
