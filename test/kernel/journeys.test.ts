import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT, textOf } from '../support/sources.ts';

const JOURNEYS = textOf('kernel/JOURNEYS.md');
const MAX_STEPS = 25;
/** A file, and what to look for in it. */
const PLACE = /`([\w./-]+\.ts)`: `([\w.#]+)`/g;

interface Place {
  readonly file: string;
  readonly name: string;
}

function placesIn(text: string): readonly Place[] {
  return [...text.matchAll(PLACE)].map(([, file = '', name = '']) => ({ file, name }));
}

/** Whether a file declares a function or class of that name, or a class with a member. */
function declares({ file, name }: Place): boolean {
  if (!existsSync(join(ROOT, file))) return false;
  const text = textOf(file);
  const [owner = '', member] = name.split('.');
  const isDeclared = new RegExp(
    `^(?:export )?(?:async )?(?:function|class) ${owner}\\b|\\bconst ${owner} = `,
    'm',
  );
  if (!isDeclared.test(text)) return false;
  return member === undefined || new RegExp(`^  (?:async |get |static |\\*)*${member}[<(]`, 'm').test(text);
}

/** The numbered list of a journey. */
function stepsBelow(heading: string): readonly string[] {
  const [, section = ''] = JOURNEYS.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return own.split('\n').filter((line) => /^\d+\. /.test(line));
}

describe('kernel/JOURNEYS.md', () => {
  for (const journey of [
    'A call',
    'An edit of a YAML file',
    "A person's sign-in",
    'A sign-in at a server',
    'A kubectl edit',
  ]) {
    it(`tells ${journey} in at most ${MAX_STEPS} steps, each with a file and a name`, () => {
      const steps = stepsBelow(journey);
      expect(steps).not.deep.equal([]);
      expect(steps.length).most(MAX_STEPS);
      expect(steps.filter((step) => !/^\d+\. `[\w./-]+\.ts`: `[\w.#]+` /.test(step))).deep.equal([]);
    });
  }

  it('names files that exist and declare what it names in them', () => {
    const places = placesIn(JOURNEYS);
    expect(places.length).above(100);
    expect(places.filter((place) => !declares(place))).deep.equal([]);
  });

  it('names a layer for each failure', () => {
    const rows = JOURNEYS.split('\n').filter((line) => /^\| (?!failure|-)/.test(line));
    expect(rows.length).above(20);
    expect(rows.filter((row) => placesIn(row).length !== 1)).deep.equal([]);
  });
});
