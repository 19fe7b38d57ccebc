// Prints the section of CHANGELOG.md about the version in package.json, for the page of the release.
import { readFileSync } from 'node:fs';

const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));
const [, ...sections] = read('CHANGELOG.md').split(/^## /m);
const section = sections.find((text) => text.split(/\s/, 1)[0] === version);
const [title, ...lines] = section?.split('\n') ?? [];
if (title === undefined || /unreleased/i.test(title) || lines.join('').trim() === '') {
  console.error(`CHANGELOG.md has no section "## ${version} (date)" with an entry`);
  process.exit(1);
}
console.log(lines.join('\n').trim());
