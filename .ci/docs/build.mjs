// Builds the documentation as a site into build/docs/site, from the Markdown of the repository: npm run docs [-- --serve]
// A link to a file becomes a page that shows it, one to a folder its README or a list of its files, so that no link leads out of the site.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = fileURLToPath(new URL('.', import.meta.url));
const source = join(root, 'build/docs');
const IMAGES = ['.png', '.svg'];
const SKIPPED = /(^|\/)(node_modules|state)(\/|$)/;

/** Text of a page by its path in the site. */
const pages = new Map();

function documents(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !SKIPPED.test(path))
    .map((path) => posix.join(folder, path));
}

/** Where a path of the repository is in the site, which shows it from then on. */
function placeOf(path) {
  if (path.endsWith('.md')) return path.replace(/(^|\/)README\.md$/, '$1index.md');
  if (IMAGES.includes(extname(path))) return path;
  if (!statSync(join(root, path)).isDirectory()) return shown(path, () => fenced(path));
  const readme = posix.join(path, 'README.md');
  if (existsSync(join(root, readme))) return placeOf(readme);
  return shown(posix.join(path, 'index'), () => listOf(path));
}

function shown(path, text) {
  // VitePress passes over folders that begin with a dot.
  const place = `${path.replace(/(^|\/)\./g, '$1')}.md`;
  if (!pages.has(place)) {
    pages.set(place, '');
    pages.set(place, text());
  }
  return place;
}

function fenced(path) {
  const text = readFileSync(join(root, path), 'utf8');
  // Longer than any fence in it.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `# ${path}\n\n${fence}${extname(path).slice(1).replace('mjs', 'js')}\n${text.trimEnd()}\n${fence}\n`;
}

function listOf(folder) {
  const names = readdirSync(join(root, folder)).filter((name) => !SKIPPED.test(name));
  const page = posix.join(folder, 'index.md');
  return rewritten(page, `# ${folder}\n\n${names.map((name) => `- [${name}](${name})`).join('\n')}\n`);
}

/** Leads the relative links of a document to pages of the site. @throws Error for one that leads nowhere */
function rewritten(path, text) {
  const outside = /(^```[\s\S]*?^```$)|(\]\()(?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?(?=[)\s])/gm;
  return text.replace(outside, (whole, code, open, link, anchor = '') => {
    if (code !== undefined) return whole;
    const target = posix.join(dirname(path), decodeURI(link)).replace(/\/$/, '');
    if (!existsSync(join(root, target))) throw new Error(`${path}: the link to ${link} leads nowhere`);
    return `${open}/${placeOf(target)}${anchor}`;
  });
}

rmSync(source, { recursive: true, force: true });
const folders = ['examples', 'kernel', 'plugins', 'schemas', 'test'];
const found = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...folders.flatMap(documents)];
for (const path of found) pages.set(placeOf(path), rewritten(path, readFileSync(join(root, path), 'utf8')));
for (const [place, text] of pages) {
  mkdirSync(dirname(join(source, place)), { recursive: true });
  writeFileSync(join(source, place), text);
}
for (const folder of ['plugins/admin'])
  for (const name of readdirSync(join(root, folder)).filter((one) => IMAGES.includes(extname(one))))
    cpSync(join(root, folder, name), join(source, folder, name));
mkdirSync(join(source, '.vitepress'));
cpSync(join(own, 'site.mjs'), join(source, '.vitepress/config.mjs'));

if (!existsSync(join(own, 'node_modules/vitepress')))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: own, stdio: 'inherit' });
const vitepress = join(own, 'node_modules/vitepress/bin/vitepress.js');
execFileSync(process.execPath, [vitepress, 'build', source], { stdio: 'inherit' });
console.log(`${pages.size} pages in build/docs/site`);
if (process.argv.includes('--serve'))
  execFileSync(process.execPath, [vitepress, 'preview', source], { stdio: 'inherit' });
