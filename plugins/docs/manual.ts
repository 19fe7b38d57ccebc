import { readFileSync, readdirSync } from 'node:fs';
import { packageFile } from 'pegboard';
import type { JsonObject } from 'pegboard';
import type { McpResourceSource } from '../contracts/mcp.ts';

const INDEX = 'pegboard://docs';
const MIME_TYPE = 'text/markdown';
/** Folders whose documents are the manual; the rest of it is in the root. */
const FOLDERS = ['examples', 'kernel', 'plugins', 'schemas'];
const IN_ROOT = ['README.md', 'CHANGELOG.md', 'SECURITY.md'];
const ABOUT =
  'The documents of Pegboard, this gateway: configuration, tools, errors, plugins; read it for the list of them';

/** The resource `pegboard://docs`, a list of documents, and each of them as `pegboard://docs/<path in the package>`. One entry in the
 *  list of resources, so that it costs those who do not need it little. */
export class Manual implements McpResourceSource {
  /** Path in the package to title. */
  #titles: ReadonlyMap<string, string> | undefined;

  resources(): readonly JsonObject[] {
    return [
      { uri: INDEX, name: 'docs', title: 'Documents of Pegboard', description: ABOUT, mimeType: MIME_TYPE },
    ];
  }

  templates(): readonly JsonObject[] {
    const description = 'A document of Pegboard, by its path in the list that pegboard://docs is';
    return [{ uriTemplate: `${INDEX}/{+path}`, name: 'docs-page', description, mimeType: MIME_TYPE }];
  }

  read(uri: string): Promise<string> | undefined {
    const text = this.#textOf(uri);
    if (text === undefined) return undefined;
    return Promise.resolve(JSON.stringify({ contents: [{ uri, mimeType: MIME_TYPE, text }] }));
  }

  #textOf(uri: string): string | undefined {
    const titles = (this.#titles ??= titlesOfDocuments());
    if (uri === INDEX) return indexOf(titles);
    if (!uri.startsWith(`${INDEX}/`)) return undefined;
    // Links in documents lead to folders too.
    const path = uri.slice(INDEX.length + 1).replace(/\/$/, '');
    const found = [path, `${path}/README.md`].find((name) => titles.has(name));
    return found && textAt(found);
  }
}

function titlesOfDocuments(): ReadonlyMap<string, string> {
  const below = FOLDERS.flatMap((folder) =>
    readdirSync(new URL(folder, rootOf()), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .sort(),
  );
  return new Map([...IN_ROOT, ...below].map((path) => [path, /^# (.+)$/m.exec(textAt(path))?.[1] ?? path]));
}

function indexOf(titles: ReadonlyMap<string, string>): string {
  const lines = [...titles].map(([path, title]) => `- [${title}](${INDEX}/${path})`);
  return `# Documents of Pegboard\n\nEach is a resource; a relative link in one leads from its path to another.\n\n${lines.join('\n')}\n`;
}

function textAt(path: string): string {
  return readFileSync(new URL(path, rootOf()), 'utf8');
}

/** The folder of the package. It has no file of that name beside its code, where the nearest `kernel` or `plugins` would be. */
function rootOf(): URL {
  return new URL('..', packageFile('schemas/README.md'));
}
