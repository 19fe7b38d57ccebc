import { basename, dirname, extname } from 'node:path';
import { targetKind } from './targetKind.ts';

/** Labels of hosts, and parts of packages, that every MCP server may have. */
const COMMON = /^(?:www|mcp|api|app|apis|server|servers|sse|http|remote|gateway|cloud)$/;
/** Hosts of many sites: the label before them is the site. */
const SHARED_HOSTS =
  /\.(?:workers\.dev|pages\.dev|vercel\.app|netlify\.app|onrender\.com|fly\.dev|run\.app|herokuapp\.com|github\.io|hf\.space|azurewebsites\.net|azure\.com|amazonaws\.com|smithery\.ai)$/;
const COUNTRY = /\.(?:co|com|org|net|ac|gov|edu)\.[a-z]{2}$/;
/** Flags of runners, and of docker run, that take a value. */
const TAKING =
  /^(?:--(?:from|with|python|package|directory|project|index|index-url|env|env-file|volume|mount|name|network|publish|user|workdir|add-host|entrypoint|platform|pull|label|memory|cpus|import|require)|-[pevuwlmCr])$/;
const WORDS_OF_RUNNERS = /^(?:run|exec|x|dlx|tool|start|compose|mcp|gateway)$/;
const ANY_FILE = /^(?:server|index|main|mcp|cli|app|start|run|dist|build|src|bin|lib|out)$/i;

/** A name for what is added: after its host, its package, its image or its file; undefined if none of these says anything. */
export function proposedName(target: readonly string[]): string | undefined {
  const [first = '', ...others] = target;
  const kind = targetKind(first);
  if (kind === 'url') return clean(hostName(first));
  if (kind === 'runner') return clean(commandName(first, others));
  if (kind === 'npm' || kind === 'pypi' || kind === 'image') return clean(packageName(first));
  return clean(fileName(first));
}

/** A text as the name of a definition; undefined if nothing of it can be. */
export function clean(text: string): string | undefined {
  const plain = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^[-_]+|(?<![-_])[-_]+$/g, '');
  return plain === '' ? undefined : plain;
}

function hostName(url: string): string {
  if (!URL.canParse(url)) return '';
  const { hostname } = new URL(url);
  if (/^[\d.]+$|^\[|^localhost$/.test(hostname)) return 'localhost';
  const own = hostname.replace(SHARED_HOSTS, '');
  const site = own === hostname ? hostname.replace(COUNTRY, '').replace(/\.[^.]+$/, '') : own;
  const labels = site.split('.');
  return labels.findLast((label) => !COMMON.test(label)) ?? labels.at(-1) ?? '';
}

function commandName(program: string, words: readonly string[]): string {
  const runs = program.startsWith('python') && words.includes('-m');
  const module = runs ? words[words.indexOf('-m') + 1] : undefined;
  if (module !== undefined) return packageName(module.replaceAll('_', '-'));
  const word = words.find(
    (one, at) =>
      !one.startsWith('-') &&
      !one.startsWith('/c') &&
      !WORDS_OF_RUNNERS.test(one) &&
      targetKind(one) !== 'runner' &&
      !TAKING.test(words[at - 1] ?? ''),
  );
  if (word === undefined) return program;
  return /\.[cm]?[jt]s$|\.py$|\.jar$|\.sh$/.test(word) ? fileName(word) : packageName(word);
}

/** `@upstash/context7-mcp@1` → `context7`, `@playwright/mcp` → `playwright`, `ghcr.io/github/github-mcp-server:1` → `github` */
function packageName(word: string): string {
  const [bare = ''] = word
    .replace(/^(?:npm|pypi|github|git\+https?):(?:\/\/)?/, '')
    .replace(/\.git$/, '')
    .split(/[#?]|==|@sha256:/, 1);
  const [last = '', owner = ''] = bare.split('/').reverse();
  // A scope begins with the sign that a version follows.
  const [own = ''] = last.split(/(?<=.)@|:/, 1);
  const parts = own.split(/[-.]/).filter((part) => !COMMON.test(part.toLowerCase()));
  return parts.length === 0 ? owner : parts.join('-');
}

function fileName(path: string): string {
  const name = basename(path, extname(path));
  if (!ANY_FILE.test(name)) return packageName(name);
  const folder = dirname(path);
  return folder === '.' || folder === '/' || folder === path ? name : fileName(folder);
}
