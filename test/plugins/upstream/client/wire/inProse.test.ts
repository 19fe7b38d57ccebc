import { expect } from 'chai';
import { secretsGiven } from '../../../../../plugins/kit/secrets/secretPlaces.ts';
import { inNames, inProse } from '../../../../../plugins/upstream/client/wire/inProse.ts';

describe('upstream: secrets in declarations of servers', () => {
  it('are values that unrelated text is unlikely to contain, and in names, values that a name is unlikely to contain', () => {
    const given = {
      API_TOKEN: 'hyphens-and-words',
      DB_PASSWORD: 'postgres',
      PIN: '4711',
      OTHER: 'planted-env-4711',
      LONG: 'planted-env-4711-4712',
      NODE_ENV: 'production',
      MODEL: 'words-only-model',
      FILE: '/data/memory-2024.json',
      ABOUT: 'the 20 best notes',
      URL: 'https://example.org/v2',
    };
    const secrets = secretsGiven({ values: Object.entries(given) });
    const namesOf = (some: typeof secrets): readonly string[] => some.map(({ name }) => name);
    expect(namesOf(inProse(secrets))).to.deep.equal(['API_TOKEN', 'OTHER', 'LONG']);
    expect(namesOf(inNames(secrets))).to.deep.equal(['API_TOKEN', 'LONG']);
  });

  it('are found in one pass of a long value', () => {
    const begun = performance.now();
    expect(inProse([{ name: 'OTHER', text: `${'4'.repeat(200_000)}\t` }])).to.deep.equal([]);
    expect(performance.now() - begun).below(5_000);
  });
});
